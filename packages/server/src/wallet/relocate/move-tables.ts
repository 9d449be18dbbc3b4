/**
 * The role that each wallet table has in a move. Tables of platform and gateway stay in the old
 * database, because other servers use them. A test compares this list with the schema.
 */

/** Tables of players' rows, found by player id; the id decides the bucket in the new database. */
export const PLAYER_TABLES = [
  'player',
  'session',
  'account',
  'transfer',
  'cash_movement',
  'proposal',
  'carried_balance',
  'bet',
  'bet_details',
  'bet_call',
] as const

/** Tables whose rows are found by primary key. Users come before their sessions. */
export const KEYED_TABLES = [
  'currency',
  'setting',
  'api_key',
  'console_user',
  'console_session',
  'webhook',
  'daily_close',
  'daily_sum',
  'archive',
  'archived_sum',
  'adjusted_sum',
  'action',
  'conformance_run',
  'journal',
  'bet_event',
] as const

/** Tables of the feed, copied with their numbers, so every cursor stays valid. */
export const FEED_TABLES = ['feed_counter', 'change'] as const

/** Tables that are not copied, with the reason. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  migration: 'that of the new database, which has the same version',
  call_stats: 'what each process counted in the last hour',
  journal_retention: 'how long the new database keeps its journal is set there',
  console_failure: 'wrong passwords of the last day',
}

/**
 * Tables without writes after the move. The other tables record later operations on the old
 * database.
 */
export const TABLES_TO_CLOSE: readonly string[] = [...PLAYER_TABLES, ...KEYED_TABLES, ...FEED_TABLES].filter(
  (table) => !['setting', 'action', 'journal'].includes(table),
)

/** In the lock order of a wallet: a transaction that holds a player or the counter can finish. */
export const TABLES_TO_LOCK: readonly string[] = [...PLAYER_TABLES, ...KEYED_TABLES, ...FEED_TABLES]
