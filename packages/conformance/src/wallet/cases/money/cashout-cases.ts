/** Cases: a cashout needs the player's token, because the player requests it. */

import { allowAccepted, allowAnyFailure, placeStep, rollbackStep, settleStep } from '../../case/step-builders.ts'
import type { CaseNeed, StepCase, TokenChoice } from '../../case/wallet-case.ts'
import { RESETTLE_RESULTS, resettleSteps } from './resettle-cases.ts'

const CASHOUT = ['cashout', '150'] as const

function cashoutTokenCase(id: string, token: TokenChoice, sentence: string, ...needs: CaseNeed[]): StepCase {
  return {
    ...{ id, sentence, needs, covers: ['E98', 'K11'], level: 'MUST' },
    clause: 'Settle, partner action 3; Authentication, 2; L-4',
    loses: 'another person ends the bet below its worth, and the player pays',
    steps: [
      placeStep(),
      settleStep('cashout', '150', { token }, allowAnyFailure()),
      settleStep('won', '200', {}, allowAccepted('pay')),
    ],
  }
}

export const CASHOUT_CASES: readonly StepCase[] = [
  {
    id: 'cashout-01',
    clause: 'Settle, partner action 3; Settle, partner action 5',
    level: 'MUST',
    sentence: 'a cashout with the token of the player is paid once, and ends the bet',
    loses: 'the operator pays the cashout twice, or returns the stake in addition to it',
    covers: ['E97', 'K11', 'K13', 'K21'],
    steps: [
      ...[
        placeStep(),
        settleStep('cashout', '150', {}, allowAccepted('pay')),
        settleStep('cashout', '150', {}, allowAccepted('pay')),
      ],
      rollbackStep(),
    ],
  },
  cashoutTokenCase('cashout-02', 'unknown', 'a cashout with a token that was never issued is refused'),
  cashoutTokenCase('cashout-03', 'none', 'a cashout without a token is refused'),
  cashoutTokenCase('cashout-04', 'of B', 'a cashout with the token of another player is refused', 'B'),
  cashoutTokenCase('cashout-05', 'dead', 'a cashout with a token that is no longer valid is refused', 'dead token'),
  {
    id: 'cashout-06',
    clause: 'Settle, resettle action 1; Settle, resettle action 2; Settle, resettle action 3',
    level: 'MUST',
    sentence:
      'a result before or after a cashout is not paid in addition to it: the bet has paid only the last of them',
    loses: 'the operator pays the cashout in addition to the win',
    covers: ['E99', 'K13', 'K14'],
    steps: RESETTLE_RESULTS.flatMap((result) => [...resettleSteps(CASHOUT, result), ...resettleSteps(result, CASHOUT)]),
  },
]
