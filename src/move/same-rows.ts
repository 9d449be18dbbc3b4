/**
 * Makes the rows of the new database those of the old one: what differs is read there and written here, what is too much here goes. Nothing is
 * remembered. Each portion is a transaction of its own, so whoever is ended anywhere begins again, and finds what is done already.
 */
import { type Db, type Row, SLICE_OF_MOVE, type Statement } from '../db/db.ts'
import { bucketOf } from '../wallet/store/bucket.ts'
import { type Shape, type ShapeStatements, statementsFor } from './shape.ts'

type Cell = string | null

export interface Sides {
  readonly from: Db
  readonly to: Db
  /** Of the old database, and of the new one. */
  readonly oldBuckets: number
  readonly buckets: number
}

/** A table, of which some rows are looked at on both sides. */
export interface Portion {
  readonly shape: Shape
  readonly statements: ShapeStatements
  /** Keys and hashes of these rows. */
  readonly keys: Statement
  readonly fromValues: readonly unknown[]
  readonly toValues: readonly unknown[]
  /** In which they lie in the old database. */
  readonly bucket: number
}

/** Rows that are written in one transaction; what describes bets has some kilobytes each, and a chunk of the journal some hundred. */
const AT_ONCE = 1_000
const LARGE_AT_ONCE = 20

interface Keyed extends Row {
  bucket: number
  key: string[]
  hash: string
}

/** In a snapshot of its own. */
export function read<R extends Row>(db: Pick<Db, 'snapshot'>, query: Statement, values: readonly unknown[]) {
  return db.snapshot(async (tx) => {
    await tx.query(SLICE_OF_MOVE)
    return tx.query<R>(query, values)
  })
}

/** Resolves to the rows that were written or taken away. */
export async function makeSame(sides: Sides, portion: Portion): Promise<number> {
  const { keys, fromValues, toValues } = portion
  const [there, here] = await Promise.all([
    read<Keyed>(sides.from, keys, fromValues),
    read<Keyed>(sides.to, keys, toValues),
  ])
  const [old, made] = [byKey(there), byKey(here)]
  const wanted = there.filter((row) => made.get(nameOf(row)) !== row.hash)
  const extra = here.filter((row) => !old.has(nameOf(row)))
  for (const some of slicesOf(extra, AT_ONCE)) await takeAway(sides, portion, some)
  const size = portion.shape.columns.some(({ type }) => type === 'bytea') ? LARGE_AT_ONCE : AT_ONCE
  for (const some of slicesOf(wanted, size)) await copy(sides, portion, some)
  return wanted.length + extra.length
}

const nameOf = ({ key }: Keyed) => JSON.stringify(key)

function byKey(rows: readonly Keyed[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [nameOf(row), row.hash]))
}

async function copy(sides: Sides, portion: Portion, some: readonly Keyed[]): Promise<void> {
  const { shape, statements, bucket } = portion
  const keys = columnsOf(some.map(({ key }) => key))
  const rows = await read<{ row: Cell[] }>(sides.from, statements.read, [bucket, ...keys])
  const place = shape.hasBucket ? shape.columns.findIndex(({ name }) => name === 'player') : -1
  // Of a table without a player, the number of buckets says all that there is to say.
  const groups = groupsOf(rows, ({ row }) => (place === -1 ? sides.buckets : bucketOf(row[place] ?? '', sides.buckets)))
  await sides.to.unhurried(async (tx) => {
    for (const [first, group] of groups)
      await tx.execute(statements.put, [first, ...columnsOf(group.map(({ row }) => row))])
  })
}

async function takeAway(sides: Sides, { statements }: Portion, some: readonly Keyed[]): Promise<void> {
  const groups = groupsOf(some, ({ bucket }) => bucket)
  await sides.to.unhurried(async (tx) => {
    for (const [bucket, group] of groups)
      await tx.execute(statements.remove, [bucket, ...columnsOf(group.map(({ key }) => key))])
  })
}

function groupsOf<T>(items: readonly T[], bucketIn: (item: T) => number): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const group = groups.get(bucketIn(item))
    if (group === undefined) groups.set(bucketIn(item), [item])
    else group.push(item)
  }
  return groups
}

function columnsOf(rows: readonly (readonly Cell[])[]): Cell[][] {
  return (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? null))
}

function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

export interface Table {
  readonly shape: Shape
  readonly statements: ShapeStatements
}

export function tablesOf(shapes: ReadonlyMap<string, Shape>, names: readonly string[]): Table[] {
  return names.map((name) => {
    const shape = shapes.get(name)
    if (shape === undefined || shape.key.length === 0) throw new Error(`purser.${name} has no key`)
    return { shape, statements: statementsFor(shape) }
  })
}
