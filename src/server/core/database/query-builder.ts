/**
 * Statements with only the conditions that are asked for. `$1 is null or …` would do with one text, but its one plan
 * must be right for every combination, so it reads a list from the newest row on, whatever is asked.
 */
import { createHash } from 'node:crypto'
import { MAX_STATEMENT_NAME_BYTES, type Statement, statement } from './db.ts'

/** A condition in SQL, each `?` of which stands for one of the values. */
export type QueryCondition = readonly [sql: string, ...values: readonly unknown[]]

export interface BuiltQuery {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/**
 * Calls `text` with the conditions that are not undefined, as they stand behind others: " and a = $3 and b < $4".
 * `values` are $1, $2 …; theirs follow. `onCitus`: what it is sent in place of the text. Every combination is a statement with a name of its own.
 */
export function buildQuery(
  name: string,
  values: readonly unknown[],
  optionalConditions: Readonly<Record<string, QueryCondition | undefined>>,
  text: (conditions: string) => string,
  onCitus?: (conditions: string) => string,
): BuiltQuery {
  const all = [...values]
  const present = Object.entries(optionalConditions).flatMap(([key, condition]) =>
    condition === undefined ? [] : [{ key, condition }],
  )
  const conditions = present.map(({ condition }) => ` and ${numberParameters(condition, all)}`)
  const fullName = [name, ...present.map(({ key }) => key)].join('_')
  const texts = [text, onCitus].map((write) => write?.(conditions.join(''))) as [string, string?]
  return { statement: statement(shortenName(fullName), ...texts), values: all }
}

/** Replaces each `?` by the number that its value gets in `all`. */
function numberParameters([sql, ...values]: QueryCondition, all: unknown[]): string {
  const rest = values.values()
  return sql.replaceAll('?', () => `$${all.push(rest.next().value)}`)
}

/** A name of many conditions, as short as a statement's must be, and still of these alone. */
function shortenName(name: string): string {
  if (name.length <= MAX_STATEMENT_NAME_BYTES) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${name.slice(0, MAX_STATEMENT_NAME_BYTES - 17)}_${hash}`
}
