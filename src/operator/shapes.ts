/** What the routes of the operator API have in common: their paths, tags, and how they say what they are. */
import { Type } from 'typebox'
import { describeRoute, type Shape } from '../http/route.ts'
import { withPerson } from '../people/person.ts'
import { BetIdSchema, UserIdSchema } from '../protocol/bet-request.ts'

export const PlayerPath = Type.Object({ userId: UserIdSchema })
export const BetPath = Type.Object({ userId: UserIdSchema, transactionId: BetIdSchema })

/** The security scheme of this API. */
export const KEY = 'operatorKey'
export type Tag = 'Players' | 'Money' | 'Bets' | 'Calls' | 'Actions'

export function describe<S extends Shape>(operationId: string, tag: Tag, summary: string, shape: S) {
  return describeRoute({ operationId, tag: `Operator: ${tag.toLowerCase()}`, summary, key: KEY }, shape)
}

/** Of a route that changes something. */
export function describeChange<S extends Shape>(operationId: string, tag: Tag, summary: string, shape: S) {
  return describe(operationId, tag, summary, withPerson(shape))
}
