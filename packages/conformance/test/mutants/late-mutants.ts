/**
 * Mutants that detect repeated calls with a cache, which forgets calls after a while (I-2, R-2).
 */
import { detectedByLongWait, type Mutant, seenOnWire } from './mutant.ts'

export const LATE_MUTANTS = {
  'place-forgotten-after-bets': seenOnWire(
    'A bet is forgotten when many others have come: its repeat is debited',
    'I5',
  ),
  'place-forgotten': detectedByLongWait('A bet is forgotten after a minute: its repeat is debited', 'I5'),
  'settle-forgotten': detectedByLongWait('A settlement is forgotten after a minute: its repeat is paid', 'I5'),
  'rollback-forgotten': detectedByLongWait('A rollback is forgotten after a minute: its repeat refunds', 'I5'),
  'unsettle-forgotten': detectedByLongWait(
    'An unsettlement is forgotten after a minute: its repeat debits again',
    'I5',
  ),
  'requests-forgotten': detectedByLongWait(
    'Requests are forgotten after a minute: an old result replaces a newer one',
    'I5',
  ),
  'times-forgotten': detectedByLongWait('Times are forgotten after a minute: a repeat gets a new time', 'I5'),
} as const satisfies Record<string, Mutant>
