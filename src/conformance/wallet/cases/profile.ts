/** Part B, K5 and K28: sessions, User data, Balance. */
import type { PlayedCase } from '../case.ts'
import { accept, balance, place, profile, refuse } from '../words.ts'

export const PROFILE_CASES: readonly PlayedCase[] = [
  {
    id: 'profile-01',
    clause: 'User data; Resources, User profile',
    level: 'MUST',
    sentence: 'User data answers a complete profile of the player of the token',
    loses: 'the frame does not open: the operator loses the bets',
    covers: ['B17', 'K28'],
    steps: [profile({}, accept('nothing', ['fits the profile', 'names the player', 'names the currency'])), place()],
  },
  {
    id: 'profile-02',
    clause: 'Place bet, partner action 3',
    level: 'MUST',
    sentence: 'a token that was never given out is refused',
    loses: 'anyone who knows a userId bets with its money: the player pays',
    covers: ['B18', 'K5'],
    steps: [place({ token: 'unknown' }, refuse()), profile({ token: 'unknown' }, refuse())],
  },
  {
    id: 'profile-03',
    clause: 'Place bet, partner action 3',
    level: 'MUST',
    sentence: "a bet with another player's token is refused",
    loses: 'a player bets with the money of another',
    covers: ['B20', 'K5'],
    needs: ['B'],
    steps: [place({ token: 'of B' }, refuse()), place({ who: 'B', token: 'of A' }, refuse())],
  },
  {
    id: 'profile-04',
    clause: 'Place bet, partner action 3',
    level: 'MUST',
    sentence: 'a token that is over is refused',
    loses: 'a session that was ended goes on betting: the player pays',
    covers: ['B19'],
    needs: ['dead token'],
    steps: [place({ token: 'dead' }, refuse()), profile({ token: 'dead' }, refuse())],
  },
  {
    id: 'profile-05',
    clause: 'P-3',
    level: 'SHOULD',
    sentence: 'Balance names player, currency and amount',
    loses: 'nothing: players see a wrong balance in the frame',
    covers: ['B24'],
    needs: ['/user/balance'],
    steps: [balance({}, accept('nothing', ['fits the balance', 'names the player', 'names the currency']))],
  },
  {
    id: 'profile-06',
    clause: 'Resources, User profile; P-2',
    level: 'MUST',
    sentence: 'the profile says of a test player that it is one, and where it lives',
    loses: 'test bets count as real ones, and the wrong rules hold for every player',
    covers: ['F112', 'K28'],
    player: 'described',
    steps: [profile({}, accept('nothing', ['fits the profile', 'says what is known']))],
  },
]
