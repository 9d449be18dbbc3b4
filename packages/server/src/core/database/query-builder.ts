/**
 * Builder for statements that contain only the requested conditions.
 *
 * A single statement with `$1 is null or …` would have one plan for all combinations. That plan
 * would read a list row by row from the newest, even if an index fits the condition.
 */
import { createHash } from 'node:crypto'
import { MAX_STATEMENT_NAME_BYTES, type Statement, statement } from './db.ts'

/** A condition in SQL, with a `?` for each of its values. */
export type QueryCondition = readonly [sql: string, ...values: readonly unknown[]]

export interface BuiltQuery {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/**
 * Calls `text` with the defined conditions, in the form " and a = $3 and b < $4". `values` are $1,
 * $2 …, and the values of the conditions follow. Each combination is a statement of its own.
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

/** Replaces each `?` by the number of its parameter, and appends its value to `all`. */
function numberParameters([sql, ...values]: QueryCondition, all: unknown[]): string {
  const rest = values.values()
  return sql.replaceAll('?', () => `$${all.push(rest.next().value)}`)
}

/** Shortens the name to the limit of Postgres; the hash keeps it unique. */
function shortenName(name: string): string {
  if (name.length <= MAX_STATEMENT_NAME_BYTES) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${name.slice(0, MAX_STATEMENT_NAME_BYTES - 17)}_${hash}`
}
