/**
 * Maps rows to parameters. One list of names defines the columns in SQL, the parameters and the
 * values, for many rows (as arrays) or for one.
 */
import { type Statement, statement } from './db.ts'

/** The SQL type, and the value of an item. A value of type `json` must be text. */
export type ColumnMapping<T> = readonly [type: string, of: (item: T) => unknown]

export type ColumnMappings<T> = Readonly<Record<string, ColumnMapping<T>>>

export interface BulkRowMapping<T> {
  /** As SQL, in the order of `names`. */
  readonly columns: string
  readonly names: readonly string[]
  /** SQL to select the rows from. Its columns are `columns` and `ord`, which counts from 1. */
  readonly from: string
  /** For the parameters from `$first` on. */
  values(items: readonly T[]): unknown[]
  /** A row, counted from 0, as one SQL expression per column. */
  row(at: number): string[]
  /** `row` can address at most this number of rows. */
  readonly maxListed: number
  /** Number of rows in the values of a statement. The first column must not be JSON. */
  count(values: readonly unknown[]): number
}

/** Larger batches are selected on Citus too: each number of rows is a statement of its own. */
const MAX_LISTED_ROWS = 16

/**
 * Removes the brackets around the only element. A JSON operator would parse the whole array, and
 * fail at a NUL.
 */
const unwrapJsonArray = (list: string) => `substr(${list}, 2, length(${list}) - 2)::json`

/** JSON is sent as one JSON text, because an array of JSON texts would be escaped twice. */
export function mapRows<T>(first: number, members: ColumnMappings<T>): BulkRowMapping<T> {
  const list = Object.entries(members)
  const columns = list.map(([name]) => name).join(', ')
  const parameters = list.map(([, [type]], i) =>
    type === 'json' ? `json_array_elements($${first + i}::json)` : `unnest($${first + i}::${type}[])`,
  )
  return {
    columns,
    names: list.map(([name]) => name),
    from: `(select * from rows from (${parameters.join(', ')}) with ordinality as r (${columns}, ord))`,
    values: (items) =>
      list.map(([, [type, of]]) => (type === 'json' ? `[${items.map(of).join(',')}]` : items.map((item) => of(item)))),
    row: (at) =>
      list.map(([, [type]], i) =>
        type === 'json' ? unwrapJsonArray(`$${first + i}::text`) : `($${first + i}::${type}[])[${at + 1}]`,
      ),
    maxListed: list.some(([, [type]]) => type === 'json') ? 1 : MAX_LISTED_ROWS,
    count: (values) => (values[first - 1] as readonly unknown[]).length,
  }
}

const inBucket = (columns: readonly string[]) => ['$1::int', ...columns].join(', ')

/**
 * The rows of an INSERT, each with the columns from `line`. With `count` they are a list of values,
 * which Citus sends only to their shard. It sends INSERT … SELECT to all shards, which takes 140 ms
 * for 1,024.
 */
export function formatInsertSource(rows: BulkRowMapping<never>, count: number | undefined, line = inBucket): string {
  if (count === undefined) return `select ${line(rows.names)} from ${rows.from} r`
  return `values ${Array.from({ length: count }, (_, at) => `(${line(rows.row(at))})`).join(', ')}`
}

/** `formatText` receives the number of rows if they are few. */
export function createInsertStatement(
  name: string,
  rows: BulkRowMapping<never>,
  formatText: (count?: number) => string,
): Statement {
  const statementsByCount = new Map<number, Statement>()
  return statement(name, formatText(), undefined, (values) => {
    const count = rows.count(values)
    if (count === 0 || count > rows.maxListed) return undefined
    const smallBatchStatement = statementsByCount.get(count) ?? statement(`${name}_${count}`, formatText(count))
    statementsByCount.set(count, smallBatchStatement)
    return smallBatchStatement
  })
}

export interface SingleRowMapping<T> {
  readonly columns: string
  /** In the order of the columns. */
  readonly parameters: string
  /** `column = parameter` pairs, for an update. */
  readonly assignments: string
  /** For the parameters from `$first` on. */
  values(item: T): unknown[]
}

export function mapSingleRow<T>(first: number, members: ColumnMappings<T>): SingleRowMapping<T> {
  const list = Object.entries(members)
  const parameters = list.map(([, [type]], i) => `$${first + i}::${type}`)
  return {
    columns: list.map(([name]) => name).join(', '),
    parameters: parameters.join(', '),
    assignments: list.map(([name], i) => `${name} = ${parameters[i]}`).join(', '),
    values: (item) => list.map(([, [, of]]) => of(item)),
  }
}

/** Mapping of a whole item from the mapping of its part. */
export function mapPartColumns<T, P>(
  members: ColumnMappings<P>,
  part: (item: T) => P,
): Record<string, ColumnMapping<T>> {
  const list = Object.entries(members)
  return Object.fromEntries(list.map(([name, [type, of]]) => [name, [type, (item: T) => of(part(item))] as const]))
}
