/**
 * Makes rows of the new database equal to the old ones: different rows are copied, extra rows
 * deleted. It keeps no state. Each portion is a transaction of its own, so a new run finds the rows
 * of an interrupted run already copied.
 */
import { type Db, RELOCATION_CHUNK_SETTINGS, type Row, type Statement } from '../../core/database/db.ts'
import { bucketOf } from '../store/bucket.ts'
import { buildStatements, type ShapeStatements, type TableShape } from './table-shape.ts'

type Cell = string | null

export interface MoveSides {
  readonly from: Db
  readonly to: Db
  /** Number of buckets in the old database; `buckets` is the number in the new one. */
  readonly oldBuckets: number
  readonly buckets: number
}

/** A table and a selection of its rows on both sides. */
export interface MovePortion {
  readonly shape: TableShape
  readonly statements: ShapeStatements
  /** Statement for keys and hashes of the rows. */
  readonly keys: Statement
  readonly fromValues: readonly unknown[]
  readonly toValues: readonly unknown[]
  /** Bucket of the rows in the old database. */
  readonly bucket: number
}

/**
 * Rows per transaction. Details of bets have some kilobytes each, chunks of the journal some
 * hundred.
 */
const AT_ONCE = 1_000
const LARGE_AT_ONCE = 20

interface KeyedRow extends Row {
  bucket: number
  key: string[]
  hash: string
}

/** Each read has a snapshot of its own. */
export function readSnapshot<R extends Row>(db: Pick<Db, 'snapshot'>, query: Statement, values: readonly unknown[]) {
  return db.snapshot(async (tx) => {
    await tx.query(RELOCATION_CHUNK_SETTINGS)
    return tx.query<R>(query, values)
  })
}

/** Resolves to the number of rows that were written or deleted. */
export async function syncRows(sides: MoveSides, portion: MovePortion): Promise<number> {
  const { keys, fromValues, toValues } = portion
  const [source, target] = await Promise.all([
    readSnapshot<KeyedRow>(sides.from, keys, fromValues),
    readSnapshot<KeyedRow>(sides.to, keys, toValues),
  ])
  const [old, made] = [toHashByKey(source), toHashByKey(target)]
  const outdated = source.filter((row) => made.get(formatKey(row)) !== row.hash)
  const extra = target.filter((row) => !old.has(formatKey(row)))
  for (const some of toChunks(extra, AT_ONCE)) await deleteRows(sides, portion, some)
  const size = portion.shape.columns.some(({ type }) => type === 'bytea') ? LARGE_AT_ONCE : AT_ONCE
  for (const some of toChunks(outdated, size)) await copyRows(sides, portion, some)
  return outdated.length + extra.length
}

const formatKey = ({ key }: KeyedRow) => JSON.stringify(key)

function toHashByKey(rows: readonly KeyedRow[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [formatKey(row), row.hash]))
}

async function copyRows(sides: MoveSides, portion: MovePortion, some: readonly KeyedRow[]): Promise<void> {
  const { shape, statements, bucket } = portion
  const keys = toColumns(some.map(({ key }) => key))
  const rows = await readSnapshot<{ row: Cell[] }>(sides.from, statements.read, [bucket, ...keys])
  const place = shape.hasBucket ? shape.columns.findIndex(({ name }) => name === 'player') : -1
  // For a table without players the first parameter is the number of buckets.
  const groups = groupByBucket(rows, ({ row }) =>
    place === -1 ? sides.buckets : bucketOf(row[place] ?? '', sides.buckets),
  )
  await sides.to.longTransaction(async (tx) => {
    for (const [first, group] of groups)
      await tx.execute(statements.put, [first, ...toColumns(group.map(({ row }) => row))])
  })
}

async function deleteRows(sides: MoveSides, { statements }: MovePortion, some: readonly KeyedRow[]): Promise<void> {
  const groups = groupByBucket(some, ({ bucket }) => bucket)
  await sides.to.longTransaction(async (tx) => {
    for (const [bucket, group] of groups)
      await tx.execute(statements.remove, [bucket, ...toColumns(group.map(({ key }) => key))])
  })
}

function groupByBucket<T>(items: readonly T[], bucketIn: (item: T) => number): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const group = groups.get(bucketIn(item))
    if (group === undefined) groups.set(bucketIn(item), [item])
    else group.push(item)
  }
  return groups
}

function toColumns(rows: readonly (readonly Cell[])[]): Cell[][] {
  return (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? null))
}

function toChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

export interface MoveTable {
  readonly shape: TableShape
  readonly statements: ShapeStatements
}

export function toMoveTables(shapes: ReadonlyMap<string, TableShape>, names: readonly string[]): MoveTable[] {
  return names.map((name) => {
    const shape = shapes.get(name)
    if (shape === undefined || shape.key.length === 0) throw new Error(`purser.${name} has no key`)
    return { shape, statements: buildStatements(shape) }
  })
}
