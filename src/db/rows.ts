/** Rows that travel as arrays, and one that travels alone: one list of names gives the columns in SQL, the parameters of the statement, and the values to send. */

/** The type in SQL, and what is sent of an item; of `json` a text, or the statement fails. */
export type Member<T> = readonly [type: string, of: (item: T) => unknown]

export type Members<T> = Readonly<Record<string, Member<T>>>

export interface Rows<T> {
  /** Their names, in this order, as SQL. */
  readonly columns: string
  /** The rows as SQL to select from: its columns, and `ord`, which counts from 1. */
  readonly from: string
  /** The parameters, from `$first` on. */
  values(items: readonly T[]): unknown[]
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
    from: `(select * from rows from (${parameters.join(', ')}) with ordinality as r (${columns}, ord))`,
    values: (items) =>
      list.map(([, [type, of]]) => (type === 'json' ? `[${items.map(of).join(',')}]` : items.map((item) => of(item)))),
  }
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
