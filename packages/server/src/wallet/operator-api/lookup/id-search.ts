/**
 * Search for bets, players, movements of money, requested adjustments and sessions by a whole id or
 * its beginning. Each search uses an index.
 */

import { toSentBetId } from '@purser/protocol/qualified-bet-id'
import { type Queryable, type Statement, statement } from '../../../core/database/db.ts'
import { bucketOf } from '../../store/bucket.ts'
import { hashToken } from '../../store/session.ts'

export type IdKind = 'bet' | 'player' | 'transfer' | 'adjustment' | 'session'

export interface IdMatch {
  readonly kind: IdKind
  readonly id: string
  readonly userId: string
}

export const MIN_PREFIX = 6
/** Matches per kind; for more the user must give more of the id. */
export const MAX_MATCHES = 10
/** The last code point of Unicode: a prefix with it is greater than every text with this prefix. */
export const PREFIX_END = '\u{10ffff}'

/** Searches each bucket by primary key. */
const buildBucketSearch = (name: string, table: string, column: string) =>
  statement(
    name,
    `select f.* from unnest($1::int[]) as k (bucket) cross join lateral (
       select ${column} as id, player as user_id from ${table}
       where bucket = k.bucket and ${column} between $2::text and $3::text order by ${column}, player limit ${MAX_MATCHES}
     ) f order by id, user_id limit ${MAX_MATCHES}`,
    `select ${column} as id, player as user_id from ${table}
     where bucket = any($1::int[]) and ${column} between $2::text and $3::text order by ${column}, player limit ${MAX_MATCHES}`,
  )
const BETS = buildBucketSearch('find_bets', 'purser.bet', 'bet_id')
const PLAYERS = buildBucketSearch('find_players', 'purser.player', 'player')
const buildIndexSearch = (name: string, table: string, column: string, condition = 'true') =>
  statement(
    name,
    `select ${column} as id, player as user_id from ${table}
     where ${column} between $1::text and $2::text and ${condition} order by ${column}, player limit ${MAX_MATCHES}`,
  )
/** An approved adjustment is found as a movement. */
const NOT_MADE = "status <> 'approved'"
const OPERATOR_USERS = buildIndexSearch('find_operator_users', 'purser.player', 'operator_user collate "C"')
const MOVEMENTS = buildIndexSearch('find_movements', 'purser.cash_movement', 'reference')
const ADJUSTMENTS = buildIndexSearch('find_adjustments', 'purser.proposal', 'reference', NOT_MADE)
/** Searches all buckets: the hash of a session from before a move does not lead to its bucket. */
const SESSION = statement(
  'find_session',
  'select token_hash as id, player as user_id from purser.session where bucket = any($1::int[]) and token_hash = $2::text',
)

/** Uses primary keys, so other players with the same reference do not slow it down. */
const SEARCH_OF_PLAYER = statement(
  'find_of_player',
  `select 'bet' as kind from purser.bet where bucket = $1::int and bet_id = $3::text and player = $2::text
   union all select 'transfer' from purser.cash_movement where bucket = $1::int and player = $2::text and reference = $3::text
   union all select 'adjustment' from purser.proposal
     where bucket = $1::int and player = $2::text and reference = $3::text and ${NOT_MADE}`,
)

interface Row extends Record<string, unknown> {
  id: string
  user_id: string
}

/**
 * Matches of the whole id, as stored or as its platform sent it; otherwise matches of the
 * beginning. A session is found by its token or the token's hash.
 */
export async function searchId(reading: Queryable, buckets: number, id: string): Promise<IdMatch[]> {
  const exact = await searchRange(reading, buckets, id, id)
  const seconds = exact.some(({ kind }) => kind === 'bet') ? await findSecondBets(reading, buckets, id) : []
  const whole = [...exact, ...seconds, ...(await findSessions(reading, buckets, id))]
  if (whole.length > 0 || id.length < MIN_PREFIX) return whole
  return searchRange(reading, buckets, id, id + PREFIX_END)
}

export async function searchIdOfPlayer(
  reading: Queryable,
  buckets: number,
  userId: string,
  id: string,
): Promise<IdMatch[]> {
  const rows = await reading.query<{ kind: IdKind }>(SEARCH_OF_PLAYER, [bucketOf(userId, buckets), userId, id])
  return rows.map(({ kind }) => ({ kind, id, userId }))
}

/** Bets of other platforms with the same sent id (W-43); the user may mean any of these bets. */
async function findSecondBets(reading: Queryable, buckets: number, id: string): Promise<IdMatch[]> {
  const rows = await reading.query<Row>(BETS, [allBuckets(buckets), `${id}@`, `${id}@${PREFIX_END}`])
  return rows
    .filter((row) => toSentBetId(row.id) === id)
    .map((row) => ({ kind: 'bet', id: row.id, userId: row.user_id }))
}

const allBuckets = (buckets: number) => Array.from({ length: buckets }, (_, i) => i)

async function searchRange(reading: Queryable, buckets: number, first: string, last: string): Promise<IdMatch[]> {
  const all = allBuckets(buckets)
  const find = async (kind: IdKind, query: Statement, values: readonly unknown[]) => {
    const rows = await reading.query<Row>(query, values)
    return rows.map((row): IdMatch => ({ kind, id: kind === 'player' ? row.user_id : row.id, userId: row.user_id }))
  }
  const found = [
    ...(await find('bet', BETS, [all, first, last])),
    ...(await find('player', PLAYERS, [all, first, last])),
    ...(await find('player', OPERATOR_USERS, [first, last])),
    ...(await find('transfer', MOVEMENTS, [first, last])),
    ...(await find('adjustment', ADJUSTMENTS, [first, last])),
  ]
  const keys = found.map((match) => JSON.stringify(match))
  return found.filter((_, i) => keys.indexOf(keys[i] ?? '') === i)
}

async function findSessions(reading: Queryable, buckets: number, id: string): Promise<IdMatch[]> {
  const rows: Row[] = []
  for (const hash of [id, hashToken(id)]) rows.push(...(await reading.query<Row>(SESSION, [allBuckets(buckets), hash])))
  return rows.map((row) => ({ kind: 'session', id: row.id, userId: row.user_id }))
}
