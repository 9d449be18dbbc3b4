/**
 * Copies the rows of players. It compares the old and new rows of each player, bucket by bucket of
 * the old database, and copies the differences.
 */
import { type Row, statement } from '../../core/database/db.ts'
import { bucketOf } from '../store/bucket.ts'
import { type MovePortion, type MoveSides, type MoveTable, readSnapshot, syncRows } from './row-sync.ts'

/** Players per slice. */
const AT_ONCE = 500
/** Approximate number of rows whose keys are in memory. */
const ROWS = 50_000
const CONCURRENT_SLICES = 2

export interface PlayerCopyResult {
  /** Compared ids. */
  players: number
  /** Ids with at least one difference. */
  changed: number
  /** Differences after the copy; reliable only if no other process writes. */
  readonly different: string[]
  /** Rows of the old database per table. */
  readonly rows: Record<string, number>
}

export interface PlayerCopyOptions {
  readonly sides: MoveSides
  readonly tables: readonly MoveTable[]
  readonly signal: AbortSignal
  /** True: rows are compared again after the copy. */
  readonly isLast: boolean
  progress(players: number): void
}

/** Calls about unknown players create bets too; each of these bets has a row in bet_call. */
const NAMES_IN_SOURCE = statement(
  'move_names',
  `with known as materialized (select player from purser.player where bucket = $1::int and player > $2::text order by player limit ${AT_ONCE}),
     bound as materialized (select case when count(*) = ${AT_ONCE} then max(player) end as last from known)
   select player, (select last from bound) as last from (
     select player from known
     union select player from purser.bet_call where bucket = $1::int and player > $2::text
       and ((select last from bound) is null or player <= (select last from bound))
   ) n order by player`,
)
const NAMES_IN_TARGET = statement(
  'move_names_here',
  `select player from purser.player where bucket = any($1::int[]) and player > $2::text and ($3::text is null or player <= $3::text)
   union select player from purser.bet_call where bucket = any($1::int[]) and player > $2::text and ($3::text is null or player <= $3::text)`,
)

interface Sum extends Row {
  player: string
  rows: number
  hash: string
}

export async function copyPlayers(options: PlayerCopyOptions): Promise<PlayerCopyResult> {
  const { signal, progress } = options
  const walk: PlayerCopyResult = { players: 0, changed: 0, different: [], rows: {} }
  const slices = createSliceReader(options)
  const lane = async () => {
    for (let next = await slices(); next !== undefined && !signal.aborted; next = await slices()) {
      await copySlice(options, next, walk)
      progress(walk.players)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_SLICES }, lane))
  return walk
}

interface PlayerSlice {
  readonly bucket: number
  readonly names: readonly string[]
}

/** Reads slices one after another; undefined after the last one. */
function createSliceReader({
  sides: { from, to, oldBuckets, buckets },
}: PlayerCopyOptions): () => Promise<PlayerSlice | undefined> {
  const target = Array.from({ length: buckets }, (_, bucket) => bucket)
  let [bucket, after]: [number, string] = [0, '']
  const next = async (): Promise<PlayerSlice | undefined> => {
    if (bucket >= oldBuckets) return undefined
    const found = await readSnapshot<{ player: string; last: string | null }>(from, NAMES_IN_SOURCE, [bucket, after])
    const last = found[0]?.last ?? null
    const made = await readSnapshot<{ player: string }>(to, NAMES_IN_TARGET, [target, after, last])
    const now = bucket
    const names = new Set([...found, ...made].map(({ player }) => player))
    const own = new Set(found.map(({ player }) => player))
    const slice = [...names].filter((name) => own.has(name) || bucketOf(name, oldBuckets) === now)
    ;[bucket, after] = last === null ? [bucket + 1, ''] : [bucket, last]
    return { bucket: now, names: slice }
  }
  let pending: Promise<PlayerSlice | undefined> = Promise.resolve(undefined)
  return () => {
    pending = pending.then(next)
    return pending
  }
}

async function copySlice(
  { sides, tables, isLast }: PlayerCopyOptions,
  { bucket, names }: PlayerSlice,
  walk: PlayerCopyResult,
): Promise<void> {
  const changed = new Set<string>()
  for (const { shape, statements } of tables) {
    const portionOf = (some: readonly string[]): MovePortion => ({
      ...{ shape, statements, bucket, keys: statements.keysOfPlayers },
      fromValues: [[bucket], some],
      toValues: [[...new Set(some.map((name) => bucketOf(name, sides.buckets)))], some],
    })
    const sums = await comparePlayers(sides, portionOf(names))
    walk.rows[shape.table] = (walk.rows[shape.table] ?? 0) + sums.rows
    for (const some of toPortions(sums.different)) await syncRows(sides, portionOf(some))
    const left = sums.different.map(({ player }) => player)
    for (const name of left) changed.add(name)
    if (!isLast || left.length === 0) continue
    for (const { player } of (await comparePlayers(sides, portionOf(left))).different)
      walk.different.push(`${shape.table} of ${player}`)
  }
  walk.players += names.length
  walk.changed += changed.size
}

interface DifferingPlayer {
  readonly player: string
  readonly rows: number
}

async function comparePlayers(sides: MoveSides, { statements, fromValues, toValues }: MovePortion) {
  const [source, target] = await Promise.all([
    readSnapshot<Sum>(sides.from, statements.sumsOfPlayers, fromValues),
    readSnapshot<Sum>(sides.to, statements.sumsOfPlayers, toValues),
  ])
  const [old, made] = [source, target].map((sums) => new Map(sums.map((sum) => [sum.player, sum])))
  const names = new Set([...source, ...target].map(({ player }) => player))
  const different: DifferingPlayer[] = []
  for (const player of names) {
    const [a, b] = [old?.get(player), made?.get(player)]
    if (a?.rows !== b?.rows || a?.hash !== b?.hash) different.push({ player, rows: (a?.rows ?? 0) + (b?.rows ?? 0) })
  }
  return { different, rows: source.reduce((sum, { rows }) => sum + rows, 0) }
}

/** Groups players so that their keys fit into memory; a group has at least one player. */
function toPortions(players: readonly DifferingPlayer[]): string[][] {
  const all: string[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const one of players) {
    if (rows + one.rows > ROWS) {
      all.push([])
      rows = 0
    }
    all.at(-1)?.push(one.player)
    rows += one.rows
  }
  return all
}
