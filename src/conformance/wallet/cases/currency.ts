/** Rows 21, 25, 50 and 70, and K24: a bet lives and ends in the currency in which it was placed. */

import type { PlayedCase } from '../case/case.ts'
import { written } from '../case/json-text.ts'
import { accept, act, balance, deny, place, profile, refuse, rollback, settle } from '../case/words.ts'

export const CURRENCY_CASES: readonly PlayedCase[] = [
  {
    id: 'currency-01',
    clause: 'Place bet, partner action 4',
    level: 'MUST',
    sentence: 'a bet in a currency that there is not is refused',
    loses: 'a stake of 100 of anything is 100 of what the player has: one of the two pays the difference',
    covers: ['C50', 'K24'],
    steps: [place({ members: { currency: 'XTS' } }, deny()), place({ members: { currency: written('978') } }, deny())],
  },
  {
    id: 'currency-02',
    clause: 'User data, multi-currency rule 1; User data, multi-currency rule 3',
    level: 'MUST',
    sentence: 'after a switch the profile names the new currency and the same player',
    loses: 'bets go on in the currency that the player has left: refused, or from the wrong purse',
    covers: ['K24', 'K28'],
    player: 'switched',
    steps: [profile({}, accept('nothing', ['names the player', 'names the currency'])), place()],
  },
  {
    id: 'currency-03',
    clause: 'P-1',
    level: 'SHOULD',
    sentence: 'a bet in another currency than that of its token is refused',
    loses: 'a bet from a purse that the player has put away',
    covers: ['B21', 'C38', 'K24'],
    player: 'switched',
    steps: [place({ bet: 'Y', purse: 'second' }, refuse()), place(), place({ purse: 'second' }, refuse())],
  },
  {
    id: 'currency-04',
    clause: 'User data, multi-currency rule 4; P-1',
    level: 'SHOULD',
    sentence: 'the token from before the switch is over, in either currency',
    loses: 'a session that the player has left goes on betting: the player pays',
    covers: ['K24'],
    player: 'switched',
    steps: [
      ...[place({ token: 'old' }, refuse()), place({ token: 'old', purse: 'second' }, refuse())],
      profile({ token: 'old' }, refuse()),
    ],
  },
  {
    id: 'currency-05',
    clause: 'User data, multi-currency rule 2; I-4',
    level: 'MUST',
    sentence: 'bets from before a switch are paid, taken back and refunded in their own currency',
    loses: '200 of one currency for 200 of another: the operator or the player pays',
    covers: ['D70', 'K24'],
    needs: ['operator', 'second currency'],
    steps: [
      ...[place(), place({ bet: 'Y' }), act('switch currency')],
      ...[settle('won', '200', {}, accept('pay')), settle('lost', '0')],
      ...[rollback({ bet: 'Y' }), place({ bet: 'Z', purse: 'second' }, refuse('not_enough_money'))],
    ],
  },
  {
    id: 'currency-06',
    clause: 'I-4',
    level: 'SHOULD',
    sentence: 'a Rollback in another currency than its bet is refused',
    loses: 'nothing, as long as the stake comes back as it was debited',
    covers: ['D70'],
    player: 'switched',
    steps: [place(), rollback({ purse: 'second' }, refuse()), rollback()],
  },
  {
    id: 'currency-07',
    clause: 'P-3',
    level: 'SHOULD',
    sentence: 'the balance of a currency in which the player has nothing yet is 0',
    loses: 'nothing: the frame shows an error, or money that is in another purse',
    covers: ['B25'],
    needs: ['second currency', '/user/balance'],
    steps: [
      balance(
        { purse: 'second', amount: '0' },
        accept('nothing', ['fits the balance', 'names the currency', 'says the amount']),
      ),
    ],
  },
]
