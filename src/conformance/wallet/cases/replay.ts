/**
 * Rows I1 to I4: the signature covers neither method, path nor time, so that what was recorded as one call can be sent as
 * another, or late. The interface leaves both open; our decisions close them (S-5, I-2).
 */
import type { PlayedCase } from '../case/case.ts'
import { accept, balance, check, deny, place, profile, refuse, settle, unsettle, whole } from '../case/words.ts'

/** Whatever is said to it, nothing moves. */
const NOTHING = [accept('nothing'), ...deny()]

export const REPLAY_CASES: readonly PlayedCase[] = [
  {
    id: 'replay-01',
    clause: 'S-5',
    level: 'SHOULD',
    sentence:
      'the bytes and the signature of a Place bet take nothing back when they are sent with PUT, as an Unsettle',
    loses: 'whoever has recorded one bet takes its payout from the player, as often as it is paid',
    covers: ['I1'],
    steps: [
      ...[place({ named: 'bet' }), settle('won', '200', {}, accept('pay'))],
      // Once more: the first may have been taken for the repeat of an Unsettle.
      ...[unsettle('100', { bytesOf: 'bet' }, NOTHING), settle('won', '200', {}, accept('pay'))],
      unsettle('100', { bytesOf: 'bet' }, NOTHING),
    ],
  },
  {
    id: 'replay-02',
    clause: 'S-5',
    level: 'SHOULD',
    sentence: 'the bytes of a Place bet read no profile',
    loses: 'no money: name, e-mail and birthday of a player, to whoever has recorded one bet',
    covers: ['I2'],
    steps: [place({ named: 'bet' }), profile({ bytesOf: 'bet' }, refuse())],
  },
  {
    id: 'replay-03',
    clause: 'S-5',
    level: 'SHOULD',
    sentence: 'the bytes of a Place bet read no balance',
    loses: 'no money: what a player has, to whoever has recorded one bet',
    covers: ['I2'],
    needs: ['/user/balance'],
    steps: [place({ named: 'bet' }), balance({ bytesOf: 'bet' }, refuse())],
  },
  {
    id: 'replay-04',
    clause: 'S-5',
    level: 'SHOULD',
    sentence: 'the bytes of a Place bet are no Check',
    loses: 'no money: what became of a bet, to whoever has recorded it',
    covers: ['I2'],
    needs: ['/payment/check'],
    steps: [place({ named: 'bet' }), check({ bytesOf: 'bet' }, refuse())],
  },
  {
    id: 'replay-05',
    clause: 'I-2',
    level: 'SHOULD',
    sentence: 'a result that was refused with 20 or 21 does not replace a newer one when a late copy of it comes',
    loses: 'a result that the service has given up, in place of the one that it counts on: one of the two pays',
    covers: ['I3'],
    // The lower result is refused while the win lies in the open bet Y (L-2); when its late copy comes the money is there.
    steps: [
      ...[place(), settle('won', '200', {}, accept('pay')), place({ bet: 'Y', amount: whole() })],
      settle('won', '50', { named: 'refused' }),
      settle('won', '210'),
      settle('refund', '300', { bet: 'Y' }, accept('pay')),
      settle('won', '50', { bytesOf: 'refused' }, NOTHING),
    ],
  },
  {
    id: 'replay-06',
    clause: 'I-2; L-2',
    level: 'SHOULD',
    sentence: 'a result that was refused with 21 is applied when it is sent again and the player has the money',
    loses: 'a correction that could be made and never is: the operator pays the difference',
    covers: ['I4'],
    steps: [
      ...[place(), settle('won', '200', {}, accept('pay')), place({ bet: 'Y', amount: whole() })],
      settle('won', '50', { named: 'refused' }),
      settle('refund', '300', { bet: 'Y' }, accept('pay')),
      settle('won', '50', { bytesOf: 'refused' }, [accept('pay'), refuse('recalculation_blocked')]),
    ],
  },
]
