/** Cases: an Unsettle takes the payout back and leaves the bet open. */

import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  placeStep,
  rollbackStep,
  SHORT_PAUSE,
  settleStep,
  unsettleStep,
  wholeBalance,
} from '../../case/step-builders.ts'
import type { StepCase } from '../../case/wallet-case.ts'

/** Without an applied payout no money moves, whether the call is accepted or rejected. */
const NOTHING = [allowAccepted('nothing'), ...allowAnyFailure()]
const TIMED = [allowAccepted('unpay', ['has the time of the first answer']), allowRefused()]

export const UNSETTLE_CASES: readonly StepCase[] = [
  {
    id: 'unsettle-01',
    clause: 'Place bet, partner action 1',
    level: 'MUST',
    sentence: 'a PUT with type 1 is never treated as a Place bet',
    loses: 'the player pays a second stake for a bet that is already open',
    covers: ['A11', 'E94', 'K6'],
    steps: [
      ...[unsettleStep('100', { token: 'live' }, NOTHING), placeStep()],
      ...[unsettleStep('100', { token: 'live' }, NOTHING), unsettleStep('50', { bet: 'Y', token: 'live' }, NOTHING)],
    ],
  },
  {
    id: 'unsettle-02',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'an Unsettle takes the payout back once, and the same result may arrive again',
    loses: 'the payout is taken back twice or never paid again, and the player pays',
    covers: ['E91', 'E93', 'E95', 'K16'],
    steps: [
      ...[placeStep(), settleStep('won', '200'), unsettleStep('200'), unsettleStep('200')],
      ...[settleStep('won', '200', {}, allowAccepted('pay')), settleStep('won', '200', {}, allowAccepted('pay'))],
    ],
  },
  {
    id: 'unsettle-03',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'an Unsettle of a loss moves nothing: the stake stays in the bet',
    loses: 'the operator refunds the stake of a bet that continues',
    covers: ['E92'],
    steps: [placeStep(), settleStep('lost', '0'), unsettleStep('0'), settleStep('won', '200')],
  },
  {
    id: 'unsettle-04',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'an Unsettle takes back a cashout and a refund as it does a win',
    loses: 'the first payout stays when the next one is paid, and the operator pays both',
    covers: ['K16'],
    steps: [
      ...[placeStep(), settleStep('cashout', '150'), unsettleStep('150'), settleStep('won', '200')],
      ...[placeStep({ bet: 'Y' }), settleStep('refund', '100', { bet: 'Y' }), unsettleStep('100', { bet: 'Y' })],
      settleStep('won', '200', { bet: 'Y' }),
    ],
  },
  {
    id: 'unsettle-05',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'an Unsettle does not open a bet again that was rolled back',
    loses: 'the operator pays the win of a bet whose stake was refunded',
    covers: ['K16'],
    steps: [
      placeStep(),
      rollbackStep(),
      unsettleStep('100', {}, NOTHING),
      settleStep('won', '200', {}, allowRefused()),
    ],
  },
  {
    id: 'unsettle-06',
    clause: "The bet's life; I-4",
    level: 'SHOULD',
    sentence: 'an Unsettle takes back the paid amount, whatever amount it names',
    loses: 'only 50 of a win of 200 is taken back, the win is paid again, and the operator pays the difference',
    covers: ['K16'],
    steps: [placeStep(), settleStep('won', '200'), unsettleStep('50'), settleStep('won', '200')],
  },
  {
    id: 'unsettle-07',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'after an Unsettle the bet is open: it can be lost, refunded or rolled back',
    loses: 'the player loses the stake when the Rollback of an open bet is refused',
    covers: ['K17'],
    steps: [
      ...[placeStep(), settleStep('won', '200'), unsettleStep('200'), settleStep('lost', '0')],
      ...[placeStep({ bet: 'Y' }), settleStep('won', '200', { bet: 'Y' }), unsettleStep('200', { bet: 'Y' })],
      ...[settleStep('refund', '100', { bet: 'Y' }), placeStep({ bet: 'Z' }), settleStep('won', '200', { bet: 'Z' })],
      ...[unsettleStep('200', { bet: 'Z' }), rollbackStep({ bet: 'Z' })],
    ],
  },
  {
    id: 'unsettle-08',
    clause: "The bet's life; L-2",
    level: 'SHOULD',
    sentence: 'a win that is spent is taken back in full, even below a balance of zero, or the Unsettle is refused',
    loses: 'when the win is paid again in full, the operator pays for the second time what was not taken back',
    covers: ['E96'],
    steps: [
      ...[placeStep(), settleStep('won', '200'), placeStep({ bet: 'Y', amount: wholeBalance() })],
      ...[unsettleStep('200'), settleStep('won', '200')],
    ],
  },
  {
    id: 'unsettle-09',
    clause: "The bet's life; L-4",
    level: 'SHOULD',
    sentence: 'an Unsettle takes the payout back without a token',
    loses: 'the operator pays every payout that was announced by mistake',
    covers: ['E76', 'E91'],
    steps: [
      placeStep(),
      settleStep('won', '200'),
      unsettleStep('200', {}, [
        allowAccepted('unpay'),
        allowRefused('recalculation_blocked', 'recalculation_negative'),
      ]),
    ],
  },
  {
    id: 'unsettle-10',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'an Unsettle of a bet that was never placed is refused',
    loses: 'no money is lost, but the service assumes that the wallet knows the bet',
    covers: ['E94', 'K6'],
    steps: [unsettleStep('100', {}, allowRefused())],
  },
  {
    id: 'unsettle-11',
    clause: 'I-2',
    level: 'SHOULD',
    sentence: 'an old Unsettle that is delivered again after a newer result, byte for byte, takes nothing back',
    loses: 'the player loses the newer payout',
    covers: ['E93'],
    steps: [
      ...[
        placeStep(),
        settleStep('won', '200'),
        unsettleStep('200', { named: 'the old one' }),
        settleStep('won', '200'),
      ],
      unsettleStep('200', { bytesOf: 'the old one' }, NOTHING),
    ],
  },
  {
    id: 'unsettle-12',
    clause: 'R-2',
    level: 'SHOULD',
    sentence: 'the repeat of an Unsettle is answered with the time of the first answer',
    loses: 'no money is lost, but the books of both sides have different times',
    covers: ['E93', 'I9'],
    steps: [
      ...[placeStep(), settleStep('won', '200'), unsettleStep('200', {}, TIMED), SHORT_PAUSE],
      unsettleStep('200', {}, TIMED),
    ],
  },
]
