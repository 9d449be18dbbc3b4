/** Cases: a changed result of a bet replaces the earlier result in full or not at all. */

import {
  ALLOW_CHANGE_REFUSED,
  allowAccepted,
  allowRefused,
  operatorStep,
  placeStep,
  settleStep,
  wholeBalance,
} from '../../case/step-builders.ts'
import type { CaseStep, StepCase } from '../../case/wallet-case.ts'

type SettlementResult = readonly [resultType: string, amount: string]

/** Results of a cashout need a token and are in cashout-cases.ts. */
export const RESETTLE_RESULTS: readonly SettlementResult[] = [
  ['won', '200'],
  ['lost', '0'],
  ['refund', '100'],
  ['refund', '60'],
]

/** The second result is sent twice, then the first one again (K14). */
export function resettleSteps(first: SettlementResult, second: SettlementResult): CaseStep[] {
  const bet = [...first, ...second].join(' ')
  return [
    placeStep({ bet }),
    ...[first, second, second, first].map(([type, amount]) => settleStep(type, amount, { bet })),
  ]
}

export const RESETTLE_CASES: readonly StepCase[] = [
  {
    id: 'resettle-01',
    clause:
      'Settle, resettle action 1; Settle, resettle action 2; Settle, resettle action 3; Settle, resettle action 4',
    level: 'MUST',
    sentence:
      'after two results in any order, a repeat, and a correction back to the first result, the bet has paid only its last result',
    loses: 'the difference between two results is paid in addition or never, and one side loses it',
    covers: ['E85', 'K14'],
    steps: RESETTLE_RESULTS.flatMap((first) =>
      RESETTLE_RESULTS.filter((one) => one !== first).flatMap((second) => resettleSteps(first, second)),
    ),
  },
  {
    id: 'resettle-02',
    clause: 'Settle, resettle action 1; L-1',
    level: 'MUST',
    sentence: 'the same amount under another resultType is not paid again',
    loses: 'the operator pays a second time when a win of 100 becomes a refund of 100',
    covers: ['E87'],
    steps: [placeStep(), settleStep('won', '100'), settleStep('refund', '100'), settleStep('won', '100')],
  },
  {
    id: 'resettle-03',
    clause: 'Settle, resettle action 4; L-2',
    level: 'MUST',
    sentence:
      'a lower result for a win that is spent is booked in full, even below a balance of zero, or refused with 20 or 21, but never in part',
    loses: 'the wallet takes the rest of the balance but refuses the correction, and the books of both sides differ',
    covers: ['E88', 'K15'],
    steps: [
      ...[
        placeStep(),
        settleStep('won', '200', {}, allowAccepted('pay')),
        placeStep({ bet: 'Y', amount: wholeBalance() }),
      ],
      ...[settleStep('won', '200', {}, allowAccepted('pay')), settleStep('won', '150'), settleStep('lost', '0')],
    ],
  },
  {
    id: 'resettle-04',
    clause: 'I-2',
    level: 'SHOULD',
    sentence: 'an old Settle that is delivered again after a newer one, byte for byte, does not replace the newer one',
    loses: 'a delayed repeat undoes a correction, and the operator pays the difference',
    covers: ['E90'],
    steps: [
      ...[placeStep(), settleStep('won', '200', { named: 'the old one' }), settleStep('won', '150')],
      settleStep('won', '200', { bytesOf: 'the old one' }, [allowAccepted('nothing'), ALLOW_CHANGE_REFUSED]),
    ],
  },
  {
    id: 'resettle-05',
    clause: 'L-3',
    level: 'SHOULD',
    sentence: 'the result of a bet that the operator has locked is not changed, and its repeat is still a success',
    loses: 'a result changes after the operator has closed its books, and the operator pays the difference',
    covers: ['E89'],
    needs: ['operator'],
    steps: [
      ...[placeStep(), settleStep('won', '200', {}, allowAccepted('pay')), operatorStep('lock bet')],
      ...[
        settleStep('won', '150', {}, allowRefused('recalculation_blocked')),
        settleStep('won', '200', {}, allowAccepted('pay')),
      ],
    ],
  },
]
