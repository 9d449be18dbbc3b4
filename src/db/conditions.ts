/**
 * Statements with only the conditions that are asked for. `$1 is null or …` would do with one text, but its one plan
 * must be right for every combination, so it reads a list from the newest row on, whatever is asked.
 */
import { createHash } from 'node:crypto'
import { MAX_NAME, type Statement, statement } from './db.ts'

/** A condition in SQL, each `?` of which stands for one of the values. */
export type Condition = readonly [sql: string, ...values: readonly unknown[]]

export interface Composed {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/**
 * Calls `text` with the conditions that are not undefined, as they stand behind others: " and a = $3 and b < $4".
 * `values` are $1, $2 …; theirs follow. `onCitus`: what it is sent in place of the text. Every combination is a statement with a name of its own.
 */
export function compose(
  name: string,
  values: readonly unknown[],
  asked: Readonly<Record<string, Condition | undefined>>,
  text: (conditions: string) => string,
  onCitus?: (conditions: string) => string,
): Composed {
  const all = [...values]
  const given = Object.entries(asked).flatMap(([key, condition]) =>
    condition === undefined ? [] : [{ key, condition }],
  )
  const conditions = given.map(({ condition }) => ` and ${numbered(condition, all)}`)
  const fullName = [name, ...given.map(({ key }) => key)].join('_')
  const texts = [text, onCitus].map((write) => write?.(conditions.join(''))) as [string, string?]
  return { statement: statement(shortened(fullName), ...texts), values: all }
}

/** Replaces each `?` by the number that its value gets in `all`. */
function numbered([sql, ...values]: Condition, all: unknown[]): string {
  const rest = values.values()
  return sql.replaceAll('?', () => `$${all.push(rest.next().value)}`)
}

/** A name of many conditions, as short as a statement's must be, and still of these alone. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${name.slice(0, MAX_NAME - 17)}_${hash}`
}
