/**
 * Parameters of a query string, where each value is text.
 *
 * The API reference shows numbers and booleans as such, because generated clients need these types.
 * Requests are validated by a pattern for the text.
 */
import { type TSchemaOptions, Type } from 'typebox'

/** The API reference shows the value of this member in place of the schema. */
const DOCUMENTED_AS = 'x-shown-as'

interface IntegerParameter {
  readonly pattern: string
  readonly minimum: number
  readonly maximum: number
  readonly description: string
}

/** Throws if the pattern does not match exactly the integers from `minimum` to `maximum`. */
export function integerParameter({ pattern, minimum, maximum, description }: IntegerParameter) {
  const takes = (number: number) => new RegExp(pattern).test(`${number}`)
  if (!takes(minimum) || !takes(maximum) || takes(minimum - 1) || takes(maximum + 1))
    throw new Error(`the pattern ${pattern} does not say ${minimum} to ${maximum}`)
  return Type.Optional(Type.String(documentAs({ type: 'integer', minimum, maximum }, { pattern, description })))
}

export function integerEnumParameter(numbers: readonly number[], description: string) {
  const options = documentAs({ type: 'integer', enum: numbers }, { description })
  return Type.Optional(Type.String({ ...options, enum: numbers.map(String) }))
}

export function booleanParameter(description: string) {
  return Type.Optional(Type.Enum(['true', 'false'], documentAs({ type: 'boolean' }, { description })))
}

function documentAs(documented: object, options: TSchemaOptions): TSchemaOptions {
  return { ...options, [DOCUMENTED_AS]: documented }
}
