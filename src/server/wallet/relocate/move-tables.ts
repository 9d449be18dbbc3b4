/**
 * What becomes of each table of the wallet. Tables of the platform and of the gateway are other servers': they stay where they are, and go on there.
 * A test holds this list against the schema.
 */

/** All rows of a player, found by the name; each goes into the bucket that the name has there. */
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

/** Found by their keys. A person comes before the sessions of that person. */
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

/** With its numbers, so that every cursor stays good. */
export const FEED_TABLES = ['feed_counter', 'change'] as const

/** Why they stay. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  migration: 'that of the new database, which has the same version',
  call_stats: 'what each process counted in the last hour',
  journal_retention: 'how long the new database keeps its journal is set there',
  console_failure: 'wrong passwords of the last day',
}

/** Nothing is written there any more once the database was moved away. The rest says what was asked of it since. */
export const TABLES_TO_CLOSE: readonly string[] = [...PLAYER_TABLES, ...KEYED_TABLES, ...FEED_TABLES].filter(
  (table) => !['setting', 'action', 'journal'].includes(table),
)

/** In the order in which a wallet locks: who has a player, or the count of changes, has all that it needs and is waited for. */
export const TABLES_TO_LOCK: readonly string[] = [...PLAYER_TABLES, ...KEYED_TABLES, ...FEED_TABLES]
