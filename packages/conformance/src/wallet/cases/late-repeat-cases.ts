/**
 * Cases: a repeat of an accepted call at the end of the run has no effect. With `--patient` the kit
 * waits some minutes before the repeats. So a cache of idempotency keys is not enough.
 */
import type { LateRepeatCase } from '../case/wallet-case.ts'

export const LATE_REPEAT_CASES: readonly LateRepeatCase[] = [
  {
    id: 'late-01',
    clause: 'Resources, transactionId; Place bet, partner action 5',
    level: 'MUST',
    sentence: 'a bet that arrives again at the end of the run, byte for byte, debits nothing',
    loses: 'the player pays a second stake for every bet whose answer was lost',
    covers: ['C37', 'I5'],
    late: 'place',
  },
  {
    id: 'late-02',
    clause: 'Settle, resettle action 1',
    level: 'MUST',
    sentence: 'a result that arrives again at the end of the run is a success, and pays nothing',
    loses: 'the operator pays a second time for every result whose answer was lost',
    covers: ['E74', 'I5'],
    late: 'settle',
  },
  {
    id: 'late-03',
    clause: 'Rollback, never twice',
    level: 'MUST',
    sentence: 'a Rollback that arrives again at the end of the run counts as done, and refunds nothing',
    loses: 'the operator refunds the stake again for every Rollback that is retried six minutes later',
    covers: ['D56', 'D65', 'I5'],
    late: 'rollback',
  },
  {
    id: 'late-04',
    clause: "The bet's life; I-2",
    level: 'SHOULD',
    sentence: 'an Unsettle that arrives again at the end of the run takes nothing back',
    loses: 'the payout is taken back twice, and the player pays',
    covers: ['E93', 'I5'],
    late: 'unsettle',
  },
  {
    id: 'late-05',
    clause: 'I-2',
    level: 'SHOULD',
    sentence: 'a replaced result that arrives again at the end of the run does not replace the newer one',
    loses: 'a delayed repeat undoes a correction, and one side pays the difference',
    covers: ['E90', 'I5'],
    late: 'older',
  },
  {
    id: 'late-06',
    clause: 'I-2; R-2',
    level: 'SHOULD',
    sentence: 'a call that arrives again at the end of the run gets the same answer as the first time',
    loses: 'the service treats a repeat as declined, or finds a different time in its books',
    covers: ['I5', 'I9'],
    late: 'same answer',
  },
]
