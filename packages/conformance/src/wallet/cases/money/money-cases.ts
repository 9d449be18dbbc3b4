/**
 * Cases: amounts are exact to the last decimal of their currency, also large amounts, and sums of
 * many amounts.
 */

import { rawJson } from '../../case/json-spelling.ts'
import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  floatProbeAmount,
  minorUnits,
  placeStep,
  rollbackStep,
  roundsStep,
  settleStep,
  tooPreciseAmount,
} from '../../case/step-builders.ts'
import type { StepCase } from '../../case/wallet-case.ts'

/**
 * In floating point 0.29, 1.15 and 10.03 times 100 are 28.999…, 114.999… and 1002.999…, and 1.003
 * times 1000 is 1002.999…
 */
const NOT_BINARY = [29, 115, 1003].map(minorUnits)
/** The operator may not accept so large a bet, and the interface has no code for this. */
const TOO_LARGE = allowAnyFailure()

export const MONEY_CASES: readonly StepCase[] = [
  {
    id: 'money-01',
    clause: 'Place bet, partner action 5; M-1',
    level: 'MUST',
    sentence: 'ten bets of ten minor units cost a hundred minor units together',
    loses: 'both sides lose fractions of a cent with each bet, until the balance is no longer a valid amount',
    covers: ['C35', 'K23'],
    steps: [
      roundsStep(10, placeStep({ amount: minorUnits(10) })),
      ...[placeStep({ bet: 'Z', amount: minorUnits(10) }), settleStep('won', minorUnits(30), { bet: 'Z' })],
    ],
  },
  {
    id: 'money-02',
    clause: 'Place bet, partner action 5; M-1',
    level: 'MUST',
    sentence: 'no cent is lost where a floating-point number cannot hold the amount',
    loses: 'the operator loses one cent of every such stake, and the player loses one cent of every such payout',
    covers: ['C35', 'I11'],
    steps: [
      // The last stake can be more than the smallest permitted balance.
      ...[placeStep(), settleStep('won', '200')],
      ...NOT_BINARY.flatMap((amount, index) => {
        const bet = `X${index + 1}`
        return [placeStep({ bet, amount }), settleStep('won', amount, { bet })]
      }),
    ],
  },
  {
    id: 'money-03',
    clause: 'Settle, partner action 5',
    level: 'MUST',
    sentence: 'a win of 120 million is paid, and can be bet and rolled back',
    loses: 'the player loses the largest win of the year',
    covers: ['K23'],
    steps: [
      ...[placeStep(), settleStep('won', '120000000')],
      ...[
        placeStep({ bet: 'Y', amount: '120000000' }, [allowAccepted('debit'), ...TOO_LARGE]),
        rollbackStep({ bet: 'Y' }),
      ],
    ],
  },
  {
    id: 'money-04',
    clause: 'Settle, partner action 5; M-2',
    level: 'MUST',
    sentence: 'a large win is paid to the minor unit',
    loses: 'the operator or the player loses the cents of every large win',
    covers: ['C36', 'K23'],
    steps: [
      ...[placeStep(), settleStep('won', minorUnits(123_456_789))],
      ...[placeStep({ bet: 'Y' }), settleStep('won', minorUnits(9_999_999_999), { bet: 'Y' })],
    ],
  },
  {
    id: 'money-05',
    clause: 'Place bet, partner action 5; Settle, partner action 5; M-2',
    level: 'MUST',
    sentence: 'stakes, payouts and balances keep all decimals of a currency with many decimals',
    loses: 'the player loses every amount below a cent, also in currencies where a cent has a high value',
    covers: ['C36'],
    player: 'crypto',
    steps: [
      ...[placeStep({ amount: minorUnits(1) }), placeStep({ bet: 'Y', amount: '0.123456' })],
      ...[settleStep('won', '1234567.123456', { bet: 'Y' }), rollbackStep()],
    ],
  },
  {
    id: 'money-06',
    clause: 'M-2',
    level: 'SHOULD',
    sentence:
      'an amount with more decimals than its currency has is refused, and never reaches a balance, rounded or as it is',
    loses: 'no money is lost at once, but with each bet the books of both sides differ by fractions of a cent',
    covers: ['C34', 'K23'],
    steps: [
      placeStep({ members: { amount: rawJson('1e-9') } }, allowRefused('invalid_request')),
      ...[
        placeStep({ amount: tooPreciseAmount('33') }, allowRefused('invalid_request')),
        placeStep({ amount: tooPreciseAmount('99999999') }, allowRefused('invalid_request')),
      ],
      ...[
        placeStep({ bet: 'Y' }),
        settleStep('won', tooPreciseAmount('33'), { bet: 'Y' }, allowRefused('invalid_request')),
      ],
    ],
  },
  {
    id: 'money-07',
    clause: 'M-3',
    level: 'SHOULD',
    sentence: 'a stake of 0 is refused',
    loses: 'the operator pays a win that cost no stake',
    covers: ['C31', 'K4'],
    steps: [placeStep({ amount: '0' }, allowRefused('invalid_request'))],
  },
  {
    id: 'money-08',
    clause: 'Place bet, partner action 4; Place bet, partner action 5; Settle, partner action 5; M-1',
    level: 'MUST',
    sentence:
      'after a win and a stake whose sum a floating-point number cannot hold, the player can bet the exact rest',
    loses: 'both sides lose single cents, and the wallet refuses bets that the player can pay',
    covers: ['C35', 'C36', 'K23'],
    steps: [
      ...[placeStep({ amount: minorUnits(1) }), settleStep('won', floatProbeAmount('inexact win'))],
      placeStep({ bet: 'Y', amount: floatProbeAmount('major part') }, [allowAccepted('debit'), ...TOO_LARGE]),
      placeStep({ bet: 'Z', amount: floatProbeAmount('minor part') }),
    ],
  },
]
