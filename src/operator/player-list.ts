/** The list of players, searched by the beginning of an id or nickname, or by a whole e-mail address (O-11). */
import { type Static, Type } from 'typebox'
import { type Composed, type Condition, compose } from '../db/conditions.ts'
import { decodeParts, limitOf, noCursor, onlyKnown, pageOf, pageQuery, toPage } from '../http/page.ts'
import { PLAYER_COLUMNS, type PlayerRow, toPlayer, toProfileKey } from '../wallet/store/player.ts'
import { LAST } from './find-id.ts'
import type { OperatorDeps } from './operator.ts'
import { BrandSchema, PlayerSchema, showPlayer } from './players.ts'

const optional = Type.Optional

export const PlayerQuerySchema = Type.Object(
  {
    q: optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The beginning of the userId, the operatorUser or the nickname, or the whole e-mail address; the last two in any case, and not for the role `read` (O-11).',
      }),
    ),
    status: optional(
      Type.Enum(['blocked', 'self_excluded'], { description: 'Only players who may not bet for this reason, now.' }),
    ),
    brand: optional(BrandSchema),
    ...pageQuery,
  },
  onlyKnown,
)
export const PlayerListSchema = pageOf(PlayerSchema)

/** A way in which players are known. Each is a list by an index of its own (migration 0047); a list of players is one behind the other. */
interface Way {
  readonly name: string
  /** The column, and the text that `q` is for it. */
  readonly column: string
  readonly keyOf: (q: string) => string | undefined
  /** Whoever may not see it could spell it out, letter by letter (O-11). */
  readonly personal?: true
  /** Found by the whole value only: by its beginnings a reader could spell out a value that is folded (O-15). */
  readonly whole?: true
}
const asItIs = (q: string) => q
const WAYS: readonly Way[] = [
  { name: 'user_id', column: 'player', keyOf: asItIs },
  { name: 'operator_user', column: 'operator_user collate "C"', keyOf: asItIs },
  { name: 'nickname', column: 'nickname_key', keyOf: toProfileKey, personal: true },
  { name: 'email', column: 'email_key', keyOf: toProfileKey, personal: true, whole: true },
]

interface FoundRow extends PlayerRow {
  /** What was found, as it stands in the index. */
  key: string
  way: string
}

/** In the order of the ways, in each by what was found. A player who is found in several ways is in the list by the first one. */
export async function listPlayers(deps: OperatorDeps, query: Static<typeof PlayerQuerySchema>, seesPersons: boolean) {
  const limit = limitOf(query)
  const begun = toPlace(query.after)
  const ways = query.q === undefined ? WAYS.slice(0, 1) : WAYS.slice(begun === undefined ? 0 : begun.way)
  const rows: FoundRow[] = []
  for (const way of ways) {
    if (way.personal && !seesPersons) continue
    const after = begun && WAYS[begun.way] === way ? begun : undefined
    if (rows.length <= limit) rows.push(...(await findBy(deps, way, query, after, limit + 1 - rows.length)))
  }
  return toPage(
    rows,
    limit,
    (row) => showPlayer(toPlayer(row)),
    (last) => [last.way, last.key, last.player],
  )
}

/** Where a page ended: the place of its way in WAYS, what was found there, and the player. */
interface Place {
  readonly way: number
  readonly key: string
  readonly player: string
}

function toPlace(after: string | undefined): Place | undefined {
  const parts = decodeParts(after, 3)
  if (parts === undefined) return undefined
  const [name, key = '', player = ''] = parts
  const way = WAYS.findIndex((one) => one.name === name)
  if (way < 0) throw noCursor()
  return { way, key, player }
}

async function findBy(
  { db, clock, buckets }: OperatorDeps,
  way: Way,
  { q, status, brand }: Static<typeof PlayerQuerySchema>,
  after: Place | undefined,
  wanted: number,
): Promise<FoundRow[]> {
  const prefix = q === undefined ? undefined : way.keyOf(q)
  if (q !== undefined && prefix === undefined) return []
  const asked = {
    q: matches(way, prefix),
    once: notEarlier(way, q),
    after: after && ([`(${way.column}, player) > (?::text, ?::text)`, after.key, after.player] as const),
    [status ?? 'any']: status && barred(status, clock.now()),
    brand: brand === undefined ? undefined : (['brand = ?::text', brand] as const),
  }
  // Few are barred or of a brand: an index of theirs has them in order, whatever bucket they are in.
  const byBucket = way.column === 'player' && (q !== undefined || (status === undefined && brand === undefined))
  const { statement, values } = byBucket ? inBuckets(way, buckets, asked, wanted) : inAll(way, asked, wanted)
  const rows = await db.people.query<Omit<FoundRow, 'way'>>(statement, values)
  return rows.map((row) => ({ ...row, way: way.name }) as FoundRow)
}

type Asked = Readonly<Record<string, Condition | undefined>>

const listOf = ({ column }: Way, conditions: string) =>
  `select ${PLAYER_COLUMNS}, ${column} as key from purser.player where true${conditions} order by key, player limit $1::int`

function inAll(way: Way, asked: Asked, wanted: number): Composed {
  return compose(`find_players_${way.name}`, [wanted], asked, (conditions) => listOf(way, conditions))
}

/** The primary key begins with the bucket: the first ones of each bucket, of which the first ones are the page. */
function inBuckets(way: Way, buckets: number, asked: Asked, wanted: number): Composed {
  const all = Array.from({ length: buckets }, (_, bucket) => bucket)
  return compose(
    'find_players_in_buckets',
    [wanted, all],
    asked,
    (conditions) =>
      `select p.* from unnest($2::int[]) as k (bucket)
       cross join lateral (${listOf(way, ` and bucket = k.bucket${conditions}`)}) p order by key, player limit $1::int`,
    (conditions) => listOf(way, ` and bucket = any($2::int[])${conditions}`),
  )
}

/** Without those whom an earlier way has found. */
function notEarlier(way: Way, q: string | undefined): Condition | undefined {
  const others = WAYS.slice(0, WAYS.indexOf(way)).map((other) => matches(other, q && other.keyOf(q)))
  const earlier = others.filter((condition) => condition !== undefined)
  const text = earlier.map(([sql]) => `${sql} is not true`).join(' and ')
  return earlier.length === 0 ? undefined : [text, ...earlier.flatMap(([, ...values]) => values)]
}

function matches({ column, whole }: Way, prefix: string | undefined): Condition | undefined {
  if (prefix === undefined) return undefined
  return whole
    ? [`(${column} = ?::text)`, prefix]
    : [`(${column} >= ?::text and ${column} < ?::text)`, prefix, prefix + LAST]
}

/** As the index says it (migration 0047). */
const IS_BARRED = "(status = 'blocked' or self_excluded_until is not null)"

function barred(status: 'blocked' | 'self_excluded', now: Date): Condition {
  if (status === 'blocked') return [`${IS_BARRED} and status = 'blocked'`]
  return [`${IS_BARRED} and self_excluded_until > ?::timestamptz`, now]
}
