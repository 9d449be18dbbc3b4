/** What the routes of the operator API have in common: their paths, tags, and how they say what they are. */
import { Type } from 'typebox'
import { describeRoute, type Shape } from '../http/route.ts'
import { withPerson } from '../people/person.ts'
import { UserIdSchema } from '../protocol/bet-request.ts'
import { MAX_PLATFORM_NAME, MAX_SITE, PLATFORM_NAME } from '../protocol/ids.ts'
import { LIMITS } from '../protocol/limits.ts'

/** Characters of a platform's name, with the @ in front of it. */
const MAX_SUFFIX = MAX_PLATFORM_NAME + 1
export const BetIdSchema = Type.String({
  minLength: LIMITS.transactionId.minLength,
  maxLength: LIMITS.transactionId.maxLength + MAX_SUFFIX,
  description:
    'Identifies the bet, opaque (I-7). Followed by @ and the name of its platform where another platform has named a bet of this id before (W-43).',
})
export const PlatformSchema = Type.String({
  pattern: `^${PLATFORM_NAME}$`,
  description: 'The name of a platform in PARTNER_SECRETS (W-43).',
})
export const SiteSchema = Type.String({
  minLength: 1,
  maxLength: MAX_SITE,
  description: 'The site that a Place bet names as its `subPartnerId`, of which this is the beginning (O-7).',
})
export const BetStatusSchema = Type.Enum(['unknown', 'open', 'settled', 'cancelled', 'refused'])
export const PlayerPath = Type.Object({ userId: UserIdSchema })
export const BetPath = Type.Object({ userId: UserIdSchema, transactionId: BetIdSchema })

/** The security scheme of this API. */
export const KEY = 'operatorKey'
export type Tag = 'Players' | 'Money' | 'Bets' | 'Calls' | 'Actions' | 'Conformance'

export function describe<S extends Shape>(operationId: string, tag: Tag, summary: string, shape: S) {
  return describeRoute({ operationId, tag: `Operator: ${tag.toLowerCase()}`, summary, key: KEY }, shape)
}

/** Of a route that changes something. */
export function describeChange<S extends Shape>(operationId: string, tag: Tag, summary: string, shape: S) {
  return describe(operationId, tag, summary, withPerson(shape))
}
