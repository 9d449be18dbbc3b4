/** Cases: a bet keeps the currency of its placement. */

import { rawJson } from '../../case/json-spelling.ts'
import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  balanceStep,
  operatorStep,
  placeStep,
  profileStep,
  rollbackStep,
  settleStep,
} from '../../case/step-builders.ts'
import type { StepCase } from '../../case/wallet-case.ts'

export const CURRENCY_CASES: readonly StepCase[] = [
  {
    id: 'currency-01',
    clause: 'Place bet, partner action 4',
    level: 'MUST',
    sentence: 'a bet in a currency that does not exist is refused',
    loses: 'a stake of 100 in any currency costs 100 in the currency of the player, and one side pays the difference',
    covers: ['C50', 'K24'],
    steps: [
      placeStep({ members: { currency: 'XTS' } }, allowAnyFailure()),
      placeStep({ members: { currency: rawJson('978') } }, allowAnyFailure()),
    ],
  },
  {
    id: 'currency-02',
    clause: 'User data, multi-currency rule 1; User data, multi-currency rule 3',
    level: 'MUST',
    sentence: 'after a switch the profile names the new currency and the same player',
    loses: 'bets still use the earlier currency of the player: the wallet refuses them or debits the wrong balance',
    covers: ['K24', 'K28'],
    player: 'switched',
    steps: [profileStep({}, allowAccepted('nothing', ['names the player', 'names the currency'])), placeStep()],
  },
  {
    id: 'currency-03',
    clause: 'P-1',
    level: 'SHOULD',
    sentence: 'a bet in another currency than that of its token is refused',
    loses: 'the wallet debits a currency that the player no longer uses',
    covers: ['B21', 'C38', 'K24'],
    player: 'switched',
    steps: [
      placeStep({ bet: 'Y', currency: 'second' }, allowRefused()),
      placeStep(),
      placeStep({ currency: 'second' }, allowRefused()),
    ],
  },
  {
    id: 'currency-04',
    clause: 'User data, multi-currency rule 4; P-1',
    level: 'SHOULD',
    sentence: 'the token from before the switch is no longer valid, in either currency',
    loses: 'bets continue in a session that the player has left, and the player pays',
    covers: ['K24'],
    player: 'switched',
    steps: [
      ...[placeStep({ token: 'old' }, allowRefused()), placeStep({ token: 'old', currency: 'second' }, allowRefused())],
      profileStep({ token: 'old' }, allowRefused()),
    ],
  },
  {
    id: 'currency-05',
    clause: 'User data, multi-currency rule 2; I-4',
    level: 'MUST',
    sentence: 'bets from before a switch are paid, taken back and refunded in their own currency',
    loses: 'the wallet pays 200 of one currency for 200 of another, and one side loses the difference',
    covers: ['D70', 'K24'],
    needs: ['operator', 'second currency'],
    steps: [
      ...[placeStep(), placeStep({ bet: 'Y' }), operatorStep('switch currency')],
      ...[settleStep('won', '200', {}, allowAccepted('pay')), settleStep('lost', '0')],
      ...[rollbackStep({ bet: 'Y' }), placeStep({ bet: 'Z', currency: 'second' }, allowRefused('not_enough_money'))],
    ],
  },
  {
    id: 'currency-06',
    clause: 'I-4',
    level: 'SHOULD',
    sentence: 'a Rollback in another currency than its bet is refused',
    loses: 'no money is lost as long as the stake returns as it was debited',
    covers: ['D70'],
    player: 'switched',
    steps: [placeStep(), rollbackStep({ currency: 'second' }, allowRefused()), rollbackStep()],
  },
  {
    id: 'currency-07',
    clause: 'P-3',
    level: 'SHOULD',
    sentence: 'the balance of a currency in which the player has nothing yet is 0',
    loses: 'no money is lost, but the frame shows an error or the balance of another currency',
    covers: ['B25'],
    needs: ['second currency', '/user/balance'],
    steps: [
      balanceStep(
        { currency: 'second', amount: '0' },
        allowAccepted('nothing', ['fits the balance', 'names the currency', 'has the amount']),
      ),
    ],
  },
]
