/** What a run meets, and what it must not meet, as the proxy sees it in statements. */
import type { Trace } from '../market/trace.ts'
import { JUDGED } from './judge.ts'
import type { CameTo } from './messages.ts'
import type { Session } from './session.ts'

/** Who of them goes first, Postgres says: such a run may come to something else when it is played again. */
export const SET_FREE_AT_ONCE = 'two sessions were set free at once'

/** What enough runs must meet. */
export const MUST_BE_MET: readonly string[] = [
  ...['a session was blocked', 'the gate skipped a player that was locked', 'the gate left a call to the rules'],
  ...['a circle of waiting', 'the time for a lock is over', 'a transaction in which nothing comes is ended'],
  ...['cut before it arrives, of a COMMIT', 'cut before its answer arrives, of a COMMIT', 'a connection is refused'],
  ...['the connection falls silent', 'a statement arrives whose client has left', JUDGED],
]

/** What says that something has moved on, or is there already, though its player is locked: a second fence, which nobody comes to. */
const FENCES = /error (PU001|23505)/

/** What must be met, and what must not, seen in statements. */
export function watchStatements(trace: Trace, complaints: string[]) {
  return ({ name }: Session, statement: string, { word, rows }: CameTo) => {
    if (FENCES.test(word)) complaints.push(`${name} ${statement}: ${word}, in spite of the locks`)
    if (rows === 0) return
    if (statement === 'lock_ruled_players') trace.mark('the gate left a call to the rules')
    if (statement === 'gate_lock') trace.mark('the gate skipped a player that was locked')
  }
}
