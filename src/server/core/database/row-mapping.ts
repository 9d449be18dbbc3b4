/** Rows that travel as arrays, and one that travels alone: one list of names gives the columns in SQL, the parameters of the statement, and the values to send. */
import { type Statement, statement } from './db.ts'

/** The type in SQL, and what is sent of an item; of `json` a text, or the statement fails. */
export type ColumnMapping<T> = readonly [type: string, of: (item: T) => unknown]

export type ColumnMappings<T> = Readonly<Record<string, ColumnMapping<T>>>

export interface BulkRowMapping<T> {
  /** Their names, in this order, as SQL. */
  readonly columns: string
  readonly names: readonly string[]
  /** The rows as SQL to select from: its columns, and `ord`, which counts from 1. */
  readonly from: string
  /** The parameters, from `$first` on. */
  values(items: readonly T[]): unknown[]
  /** One row, counted from 0, as SQL for each column. */
  row(at: number): string[]
  /** So many can be named. */
  readonly maxListed: number
  /** How many rows are among the values of a statement. Its first column is no JSON. */
  count(values: readonly unknown[]): number
}

/** More rows than these are selected on Citus, too: each number of rows is a statement of its own. */
const MAX_LISTED_ROWS = 16

/** Without the brackets around it: what picks one of several reads all that is in it, and fails at a NUL. */
const unwrapJsonArray = (list: string) => `substr(${list}, 2, length(${list}) - 2)::json`

/** An array of JSON would be escaped twice; JSON in JSON is read as it is. */
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
 * What is inserted, as SQL: the rows of a statement, each as `line` puts its columns, behind the bucket; `count`: so many as values. Citus takes
 * INSERT … SELECT through all shards of the table, which of 1,024 takes 140 ms, and a list of values to the one that they belong to.
 */
export function formatInsertSource(rows: BulkRowMapping<never>, count: number | undefined, line = inBucket): string {
  if (count === undefined) return `select ${line(rows.names)} from ${rows.from} r`
  return `values ${Array.from({ length: count }, (_, at) => `(${line(rows.row(at))})`).join(', ')}`
}

/** A statement that inserts rows. `formatText` is given how many they are, where they are few. */
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
  /** Each column with its parameter, for an update. */
  readonly assignments: string
  /** From `$first` on. */
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

/** The members of a part, of the whole. */
export function mapPartColumns<T, P>(
  members: ColumnMappings<P>,
  part: (item: T) => P,
): Record<string, ColumnMapping<T>> {
  const list = Object.entries(members)
  return Object.fromEntries(list.map(([name, [type, of]]) => [name, [type, (item: T) => of(part(item))] as const]))
}
