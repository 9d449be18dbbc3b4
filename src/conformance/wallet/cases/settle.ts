/** Part E, K10 to K17: what a bet has paid is always the last result that was accepted. */
import type { PlayedCase } from '../case.ts'
import { accept, place, refuse, rounds, settle, times } from '../words.ts'

export const SETTLE_CASES: readonly PlayedCase[] = [
  {
    id: 'settle-01',
    clause: 'Settle, partner actions 3 and 5',
    level: 'MUST',
    sentence: 'a win without a token is paid',
    loses: 'the wins of everyone who has logged out: the player pays',
    covers: ['E71', 'E76', 'E83', 'K10'],
    steps: [place(), settle('won', '200', {}, accept('pay'))],
  },
  {
    id: 'settle-02',
    clause: 'Settle, resettle action 1',
    level: 'MUST',
    sentence: 'a win that is sent three times, each with a new requestId, is paid once',
    loses: 'a payout for every answer that was lost: the operator pays',
    covers: ['E74', 'E80', 'K12'],
    steps: [place(), ...times(3, () => settle('won', '200', {}, accept('pay')))],
  },
  {
    id: 'settle-03',
    clause: 'Settle, resettle actions 2 to 4',
    level: 'MUST',
    sentence: 'a corrected result replaces the one before it, and the way back counts too',
    loses: 'the difference, paid on top or never: one of the two pays it',
    covers: ['E85', 'E86', 'K14'],
    steps: [place(), settle('won', '200'), settle('won', '150'), settle('won', '200'), settle('lost', '0')],
  },
  {
    id: 'settle-04',
    clause: 'Settle, partner action 4',
    level: 'MUST',
    sentence: 'a win of a bet that nobody placed is not paid',
    loses: 'any amount for a bet that cost nothing: the operator pays',
    covers: ['E75'],
    steps: [settle('won', '200', {}, refuse())],
  },
  {
    id: 'settle-05',
    clause: 'Settle, resettle',
    level: 'MUST',
    sentence: 'results of many bets, one after the other, add up',
    loses: 'whatever drifts, bet by bet',
    covers: ['E72', 'E73', 'F105'],
    steps: [
      rounds(
        3,
        ...[place(), settle('lost', '0', {}, accept('pay'))],
        ...[place({ bet: 'Y' }), settle('refund', '100', { bet: 'Y' }, accept('pay'))],
      ),
    ],
  },
]
