/**
 * The situations that runs must reach or must avoid, recognised in the SQL statements of the runs.
 */
import type { Trace } from '../market/trace.ts'
import { BALANCE_JUDGED } from './final-checks.ts'
import type { StatementResult } from './wire/client-statements.ts'
import type { PostgresSession } from './wire/postgres-session.ts'

/** Postgres decides which session continues first, so a second play may differ. */
export const SET_FREE_AT_ONCE = 'two sessions were set free at once'

export const STANDBY_LOSS_NAMED = 'what a standby had not got is named'

export const LOCKS_COVERAGE: readonly string[] = [
  ...['a session was blocked', 'the fast path skipped a locked player', 'the fast path left a call to the rules path'],
  ...['a circle of waiting', 'the time for a lock is over', 'a transaction in which nothing comes is ended'],
  ...['cut before it arrives, of a COMMIT', 'cut before its answer arrives, of a COMMIT', 'a connection is refused'],
  ...['the connection falls silent', 'a statement arrives whose client has left', 'cut while it waits for a lock'],
  ...[
    'cut before it arrives, of a COMMIT of the platform',
    'cut before its answer arrives, of a COMMIT of the platform',
  ],
  ...['the platform claims a delivery', 'what came back to the platform is written down'],
  ...['network: lost', 'network: its answer lost', 'network: twice', 'network: broken behind its effect'],
  ...['a wallet is killed', 'a standby that lags takes over', STANDBY_LOSS_NAMED, BALANCE_JUDGED],
]

/** A stale row (PU001) and a duplicate row (23505), which the player's lock must prevent. */
const FENCES = /error (PU001|23505)/

const MARKS: Readonly<Record<string, string>> = {
  lock_ruled_players: 'the fast path left a call to the rules path',
  fast_path_lock: 'the fast path skipped a locked player',
  platform_claim: 'the platform claims a delivery',
  platform_finish: 'what came back to the platform is written down',
}

export function watchLockStatements(trace: Trace, complaints: string[]) {
  return {
    answered({ name, party }: PostgresSession, statement: string, { word, rows }: StatementResult): void {
      if (party !== 'platform' && FENCES.test(word))
        complaints.push(`${name} ${statement}: ${word}, in spite of the locks`)
      const mark = rows > 0 ? MARKS[statement] : undefined
      if (mark !== undefined) trace.mark(mark)
    },
    blocked({ name, waitsFor }: PostgresSession, statement: string): void {
      trace.mark('a session was blocked')
      if (statement.startsWith('fast_path_'))
        complaints.push(`${name} ${statement}: the fast path waits for ${waitsFor.join(', ')}`)
    },
  }
}
