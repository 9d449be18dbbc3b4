/**
 * Members of a query string, where everything is text.
 *
 * Each carries what the API reference says of it: an integer or a boolean, as generated clients
 * need it. Its pattern is what a request is held against.
 */
import { type TSchemaOptions, Type } from 'typebox'

/** The member of a schema that the API reference shows in the schema's place. */
const DOCUMENTED_AS = 'x-shown-as'

interface IntegerParameter {
  readonly pattern: string
  readonly minimum: number
  readonly maximum: number
  readonly description: string
}

/** Throws when the pattern takes other integers than those from `minimum` to `maximum`. */
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
