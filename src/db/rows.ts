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
  /** How many rows are among the values of a statement. Its first column is no JSON. */
  count(values: readonly unknown[]): number
}

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
        type === 'json' ? `($${first + i}::json)->${at}` : `($${first + i}::${type}[])[${at + 1}]`,
      ),
    count: (values) => (values[first - 1] as readonly unknown[]).length,
  }
}

/** More rows than these are selected on Citus, too: each number of rows is a statement of its own. */
const FEW = 16

const inBucket = (columns: readonly string[]) => ['$1::int', ...columns].join(', ')

/**
 * What is inserted, as SQL: the rows of a statement, each as `line` puts its columns, behind the bucket; `count`: so many as values. Citus takes
 * INSERT … SELECT through all shards of the table, which of 1,024 takes 140 ms, and a list of values to the one that they belong to.
 */
export function inserted(rows: Rows<never>, count: number | undefined, line = inBucket): string {
  if (count === undefined) return `select ${line(rows.names)} from ${rows.from} r`
  return `values ${Array.from({ length: count }, (_, at) => `(${line(rows.row(at))})`).join(', ')}`
}

/** A statement that inserts rows. `textOf` is given how many there are of each kind, where they are few. */
export function inserting(
  name: string,
  kinds: readonly Rows<never>[],
  textOf: (...counts: (number | undefined)[]) => string,
): Statement {
  const made = new Map<string, Statement>()
  return statement(name, textOf(), undefined, (values) => {
    const counts = kinds.map((rows) => rows.count(values))
    if (counts[0] === 0 || counts.some((count) => count > FEW)) return undefined
    const its = `${name}_${counts.join('_')}`
    const few = made.get(its) ?? statement(its, textOf(...counts))
    made.set(its, few)
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
