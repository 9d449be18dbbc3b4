/**
 * List of players, searched by the beginning of an id or nickname, or by a whole e-mail address
 * (O-11).
 */
import { type Static, Type } from 'typebox'
import { type BuiltQuery, buildQuery, type QueryCondition } from '../../../core/database/query-builder.ts'
import {
  decodeCursorParts,
  invalidCursorProblem,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
} from '../../../core/http/api/pagination.ts'
import { PLAYER_COLUMNS, type PlayerRow, toPlayer, toProfileKey } from '../../store/player.ts'
import { PREFIX_END } from '../lookup/id-search.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { BrandSchema, PlayerSchema, renderPlayer } from './player-profile.ts'

const optional = Type.Optional

export const PlayerQuerySchema = Type.Object(
  {
    q: optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The beginning of the userId, the operatorUser or the nickname, or the whole e-mail address. Upper and lower case are equal in the last two, which the role `read` cannot search (O-11).',
      }),
    ),
    status: optional(
      Type.Enum(['blocked', 'self_excluded'], { description: 'Only players who cannot bet now for this reason.' }),
    ),
    brand: optional(BrandSchema),
    ...pageQuery,
  },
  noUnknownMembers,
)
export const PlayerListSchema = toPageSchema(PlayerSchema)

/**
 * Search key of players. Each key gives a list with an index of its own; the result is these lists
 * one after another.
 */
interface PlayerSearchKey {
  readonly name: string
  /** The column, and the function from `q` to its text. */
  readonly column: string
  readonly keyOf: (q: string) => string | undefined
  /** Skipped for callers without access, who could spell the value out letter by letter (O-11). */
  readonly personal?: true
  /**
   * Only the whole value matches, because prefixes would let a reader spell out hidden data (O-15).
   */
  readonly whole?: true
}
const identity = (q: string) => q
const SEARCH_KEYS: readonly PlayerSearchKey[] = [
  { name: 'user_id', column: 'player', keyOf: identity },
  { name: 'operator_user', column: 'operator_user collate "C"', keyOf: identity },
  { name: 'nickname', column: 'nickname_key', keyOf: toProfileKey, personal: true },
  { name: 'email', column: 'email_key', keyOf: toProfileKey, personal: true, whole: true },
]

interface FoundRow extends PlayerRow {
  /** Matched value as in the index. */
  key: string
  way: string
}

/**
 * Ordered by search key, then by matched value. A player who matches several keys is listed for the
 * first one.
 */
export async function listPlayers(
  deps: OperatorDeps,
  query: Static<typeof PlayerQuerySchema>,
  canSeePersonalData: boolean,
) {
  const limit = parseLimit(query)
  const position = parsePosition(query.after)
  const searchKeys =
    query.q === undefined ? SEARCH_KEYS.slice(0, 1) : SEARCH_KEYS.slice(position === undefined ? 0 : position.way)
  const rows: FoundRow[] = []
  for (const searchKey of searchKeys) {
    if (searchKey.personal && !canSeePersonalData) continue
    const after = position && SEARCH_KEYS[position.way] === searchKey ? position : undefined
    if (rows.length <= limit)
      rows.push(...(await findPlayersByKey(deps, searchKey, query, after, limit + 1 - rows.length)))
  }
  return toPage(
    rows,
    limit,
    (row) => renderPlayer(toPlayer(row)),
    (last) => [last.way, last.key, last.player],
  )
}

/** End of a page: index in SEARCH_KEYS, matched value, and player. */
interface PlayerListPosition {
  readonly way: number
  readonly key: string
  readonly player: string
}

function parsePosition(after: string | undefined): PlayerListPosition | undefined {
  const parts = decodeCursorParts(after, 3)
  if (parts === undefined) return undefined
  const [name, key = '', player = ''] = parts
  const searchKey = SEARCH_KEYS.findIndex((one) => one.name === name)
  if (searchKey < 0) throw invalidCursorProblem()
  return { way: searchKey, key, player }
}

async function findPlayersByKey(
  { db, clock, buckets }: OperatorDeps,
  searchKey: PlayerSearchKey,
  { q, status, brand }: Static<typeof PlayerQuerySchema>,
  after: PlayerListPosition | undefined,
  limit: number,
): Promise<FoundRow[]> {
  const prefix = q === undefined ? undefined : searchKey.keyOf(q)
  if (q !== undefined && prefix === undefined) return []
  const filters = {
    q: buildMatch(searchKey, prefix),
    once: excludeEarlierKeys(searchKey, q),
    after: after && ([`(${searchKey.column}, player) > (?::text, ?::text)`, after.key, after.player] as const),
    [status ?? 'any']: status && buildBarred(status, clock.now()),
    brand: brand === undefined ? undefined : (['brand = ?::text', brand] as const),
  }
  // Barred players and players of a brand are few; an index has them in order across buckets.
  const byBucket = searchKey.column === 'player' && (q !== undefined || (status === undefined && brand === undefined))
  const { statement, values } = byBucket
    ? buildPerBucket(searchKey, buckets, filters, limit)
    : buildForAll(searchKey, filters, limit)
  const rows = await db.userQueries.query<Omit<FoundRow, 'way'>>(statement, values)
  return rows.map((row) => ({ ...row, way: searchKey.name }) as FoundRow)
}

type PlayerFilters = Readonly<Record<string, QueryCondition | undefined>>

const buildListSql = ({ column }: PlayerSearchKey, conditions: string) =>
  `select ${PLAYER_COLUMNS}, ${column} as key from purser.player where true${conditions} order by key, player limit $1::int`

function buildForAll(searchKey: PlayerSearchKey, filters: PlayerFilters, limit: number): BuiltQuery {
  return buildQuery(`find_players_${searchKey.name}`, [limit], filters, (conditions) =>
    buildListSql(searchKey, conditions),
  )
}

/**
 * The primary key begins with the bucket, so the first rows of each bucket are merged into the
 * page.
 */
function buildPerBucket(
  searchKey: PlayerSearchKey,
  buckets: number,
  filters: PlayerFilters,
  limit: number,
): BuiltQuery {
  const all = Array.from({ length: buckets }, (_, bucket) => bucket)
  return buildQuery(
    'find_players_in_buckets',
    [limit, all],
    filters,
    (conditions) =>
      `select p.* from unnest($2::int[]) as k (bucket)
       cross join lateral (${buildListSql(searchKey, ` and bucket = k.bucket${conditions}`)}) p order by key, player limit $1::int`,
    (conditions) => buildListSql(searchKey, ` and bucket = any($2::int[])${conditions}`),
  )
}

/** Excludes players that an earlier key has matched. */
function excludeEarlierKeys(searchKey: PlayerSearchKey, q: string | undefined): QueryCondition | undefined {
  const others = SEARCH_KEYS.slice(0, SEARCH_KEYS.indexOf(searchKey)).map((other) =>
    buildMatch(other, q && other.keyOf(q)),
  )
  const earlier = others.filter((condition) => condition !== undefined)
  const text = earlier.map(([sql]) => `${sql} is not true`).join(' and ')
  return earlier.length === 0 ? undefined : [text, ...earlier.flatMap(([, ...values]) => values)]
}

function buildMatch({ column, whole }: PlayerSearchKey, prefix: string | undefined): QueryCondition | undefined {
  if (prefix === undefined) return undefined
  return whole
    ? [`(${column} = ?::text)`, prefix]
    : [`(${column} >= ?::text and ${column} < ?::text)`, prefix, prefix + PREFIX_END]
}

/** Condition of the index player_barred. */
const IS_BARRED = "(status = 'blocked' or self_excluded_until is not null)"

function buildBarred(status: 'blocked' | 'self_excluded', now: Date): QueryCondition {
  if (status === 'blocked') return [`${IS_BARRED} and status = 'blocked'`]
  return [`${IS_BARRED} and self_excluded_until > ?::timestamptz`, now]
}
