/** Rows that travel as arrays, and one that travels alone: one list of names gives the columns in SQL, the parameters of the statement, and the values to send. */
import { type Statement, statement } from './db.ts'

/** The type in SQL, and what is sent of an item; of `json` a text, or the statement fails. */
export type Member<T> = readonly [type: string, of: (item: T) => unknown]

export type Members<T> = Readonly<Record<string, Member<T>>>

export interface Rows<T> {
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
  readonly few: number
  /** How many rows are among the values of a statement. Its first column is no JSON. */
  count(values: readonly unknown[]): number
}

/** More rows than these are selected on Citus, too: each number of rows is a statement of its own. */
const FEW = 16

/** Without the brackets around it: what picks one of several reads all that is in it, and fails at a NUL. */
const theOnlyOne = (list: string) => `substr(${list}, 2, length(${list}) - 2)::json`

/** An array of JSON would be escaped twice; JSON in JSON is read as it is. */
export function rowsOf<T>(first: number, members: Members<T>): Rows<T> {
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
        type === 'json' ? theOnlyOne(`$${first + i}::text`) : `($${first + i}::${type}[])[${at + 1}]`,
      ),
    few: list.some(([, [type]]) => type === 'json') ? 1 : FEW,
    count: (values) => (values[first - 1] as readonly unknown[]).length,
  }
}

const inBucket = (columns: readonly string[]) => ['$1::int', ...columns].join(', ')

/**
 * What is inserted, as SQL: the rows of a statement, each as `line` puts its columns, behind the bucket; `count`: so many as values. Citus takes
 * INSERT … SELECT through all shards of the table, which of 1,024 takes 140 ms, and a list of values to the one that they belong to.
 */
export function inserted(rows: Rows<never>, count: number | undefined, line = inBucket): string {
  if (count === undefined) return `select ${line(rows.names)} from ${rows.from} r`
  return `values ${Array.from({ length: count }, (_, at) => `(${line(rows.row(at))})`).join(', ')}`
}

/** A statement that inserts rows. `textOf` is given how many they are, where they are few. */
export function inserting(name: string, rows: Rows<never>, textOf: (count?: number) => string): Statement {
  const made = new Map<number, Statement>()
  return statement(name, textOf(), undefined, (values) => {
    const count = rows.count(values)
    if (count === 0 || count > rows.few) return undefined
    const few = made.get(count) ?? statement(`${name}_${count}`, textOf(count))
    made.set(count, few)
    return few
  })
}

export interface OneRow<T> {
  readonly columns: string
  /** In the order of the columns. */
  readonly parameters: string
  /** Each column with its parameter, for an update. */
  readonly assignments: string
  /** From `$first` on. */
  values(item: T): unknown[]
}

export function rowOf<T>(first: number, members: Members<T>): OneRow<T> {
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
export function membersOf<T, P>(members: Members<P>, part: (item: T) => P): Record<string, Member<T>> {
  const list = Object.entries(members)
  return Object.fromEntries(list.map(([name, [type, of]]) => [name, [type, (item: T) => of(part(item))] as const]))
}
