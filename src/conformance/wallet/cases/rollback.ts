/** Part D, K18 to K21: the stake comes back once, whatever the order of the calls. */
import type { PlayedCase } from '../case.ts'
import { ALREADY_DONE, accept, place, refuse, rollback, settle, times, whole } from '../words.ts'

export const ROLLBACK_CASES: readonly PlayedCase[] = [
  {
    id: 'rollback-01',
    clause: 'Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a Rollback gives the stake back',
    loses: 'the stake of a bet that never was: the player pays',
    covers: ['D55'],
    steps: [place(), rollback()],
  },
  {
    id: 'rollback-02',
    clause: 'Rollback, rules: never refunded twice',
    level: 'MUST',
    sentence: 'ten Rollbacks, each with a new requestId, refund once',
    loses: 'nine stakes: the operator pays',
    covers: ['D56', 'D65', 'K18'],
    steps: [place(), ...times(10, () => rollback())],
  },
  {
    id: 'rollback-03',
    clause: 'Rollback, rules: may arrive before the Place bet',
    level: 'MUST',
    sentence: 'a bet that arrives after its Rollback is refused and debits nothing',
    loses: 'the stake of a bet that the service has given up: the player pays',
    covers: ['D57', 'D58', 'K19'],
    steps: [rollback(), place({}, refuse())],
  },
  {
    id: 'rollback-04',
    clause: 'Rollback, partner action 4; I-4',
    level: 'MUST',
    sentence: 'what comes back is the stake that was debited, whatever the Rollback says',
    loses: 'a Rollback of 500 for a stake of 100: the operator pays 400',
    covers: ['D60', 'K18'],
    steps: [place(), rollback({ amount: '500' }, [accept('cancel'), ALREADY_DONE, refuse()]), rollback()],
  },
  {
    id: 'rollback-05',
    clause: 'Rollback, responses: no funds need returning',
    level: 'MUST',
    sentence: 'the Rollback of a bet that was refused for want of money refunds nothing',
    loses: 'money that the player never paid: the operator pays',
    covers: ['D61'],
    steps: [place({ amount: whole(1) }, refuse(7)), rollback()],
  },
  {
    id: 'rollback-06',
    clause: 'Rollback, rules',
    level: 'MUST',
    sentence: 'a bet that was paid is not refunded beside it',
    loses: 'stake and win together: the operator pays the stake',
    covers: ['D62', 'K21'],
    steps: [place(), settle('won', '200'), rollback()],
  },
  {
    id: 'rollback-07',
    clause: 'Settle, partner action 4',
    level: 'MUST',
    sentence: 'a Settle after the Rollback pays nothing',
    loses: 'the win of a bet whose stake is back: the operator pays',
    covers: ['E82', 'K21'],
    steps: [place(), rollback(), settle('won', '200', {}, refuse())],
  },
]
