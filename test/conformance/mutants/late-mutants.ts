/** Faults of a cache for the detection of repeats, which is correct only for a while (I-2, R-2). */
import { type Mutant, seenOnWire, seenWithPatience } from './mutant.ts'

export const LATE_MUTANTS = {
  'place-forgotten-after-bets': seenOnWire(
    'A bet is forgotten when many others have come: its repeat is debited',
    'I5',
  ),
  'place-forgotten': seenWithPatience('A bet is forgotten after a minute: its repeat is debited', 'I5'),
  'settle-forgotten': seenWithPatience('A settlement is forgotten after a minute: its repeat is paid', 'I5'),
  'rollback-forgotten': seenWithPatience('A rollback is forgotten after a minute: its repeat refunds', 'I5'),
  'unsettle-forgotten': seenWithPatience('An unsettlement is forgotten after a minute: its repeat debits again', 'I5'),
  'requests-forgotten': seenWithPatience(
    'Requests are forgotten after a minute: an old result replaces a newer one',
    'I5',
  ),
  'times-forgotten': seenWithPatience('Times are forgotten after a minute: a repeat gets a new time', 'I5'),
} as const satisfies Record<string, Mutant>
