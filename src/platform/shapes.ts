/** What the routes of the platform API have in common: members of their bodies, and their names in the API reference. */
import { Type } from 'typebox'
import { describeRoute, type Shape } from '../http/route.ts'

export const optional = Type.Optional
export const strict = { additionalProperties: false } as const
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const decimal = Type.String({ pattern: '^\\d{1,15}(\\.\\d{1,12})?$' })
export const odds = Type.Union([decimal, Type.Number({ exclusiveMinimum: 0 })])

export function describe(operationId: string, tag: string, summary: string, shape: Shape) {
  return describeRoute({ operationId, tag: `Platform: ${tag}`, summary, key: 'platformKey' }, shape)
}
