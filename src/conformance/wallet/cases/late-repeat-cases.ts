/** Row I5: all that was accepted, once more at the end of the run, or minutes later (--patient). Idempotency is no cache. */
import type { LateRepeatCase } from '../case/wallet-case.ts'

export const LATE_REPEAT_CASES: readonly LateRepeatCase[] = [
  {
    id: 'late-01',
    clause: 'Resources, transactionId; Place bet, partner action 5',
    level: 'MUST',
    sentence: 'a bet that comes once more at the end of the run, byte for byte, debits nothing',
    loses: 'a second stake for every bet whose answer was lost: the player pays',
    covers: ['C37', 'I5'],
    late: 'place',
  },
  {
    id: 'late-02',
    clause: 'Settle, resettle action 1',
    level: 'MUST',
    sentence: 'a result that comes once more at the end of the run is a success, and pays nothing',
    loses: 'a second payout for every result whose answer was lost: the operator pays',
    covers: ['E74', 'I5'],
    late: 'settle',
  },
  {
    id: 'late-03',
    clause: 'Rollback, never twice',
    level: 'MUST',
    sentence: 'a Rollback that comes once more at the end of the run is done, and gives nothing back',
    loses: 'a stake for every Rollback that is tried again six minutes later: the operator pays',
    covers: ['D56', 'D65', 'I5'],
    late: 'rollback',
  },
  {
    id: 'late-04',
    clause: "The bet's life; I-2",
    level: 'SHOULD',
    sentence: 'an Unsettle that comes once more at the end of the run takes nothing',
    loses: 'a payout that is taken twice: the player pays',
    covers: ['E93', 'I5'],
    late: 'unsettle',
  },
  {
    id: 'late-05',
    clause: 'I-2',
    level: 'SHOULD',
    sentence: 'a result that was replaced, and comes once more at the end of the run, does not replace the newer one',
    loses: 'a correction that a delayed repeat undoes: one of the two pays the difference',
    covers: ['E90', 'I5'],
    late: 'older',
  },
  {
    id: 'late-06',
    clause: 'I-2; R-2',
    level: 'SHOULD',
    sentence: 'what comes once more at the end of the run is answered as it was the first time',
    loses: 'the service takes a repeat for declined, or finds another time in its books',
    covers: ['I5', 'I9'],
    late: 'same answer',
  },
]
