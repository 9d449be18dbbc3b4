/** Schemas and descriptions that the routes of the operator API share. */

import { UserIdSchema } from '@purser/protocol/bet-request'
import { MAX_PLATFORM_NAME, MAX_SITE, PLATFORM_NAME } from '@purser/protocol/wire-ids'
import { LIMITS } from '@purser/protocol/wire-limits'
import { Type } from 'typebox'
import { withAuditHeaders } from '../../core/auth/audit-log/audit-headers.ts'
import { describeRoute, type RouteShape } from '../../core/http/api/route-description.ts'

/** Characters of a platform's name and the @ before it. */
const MAX_SUFFIX = MAX_PLATFORM_NAME + 1
export const StoredBetIdSchema = Type.String({
  minLength: LIMITS.transactionId.minLength,
  maxLength: LIMITS.transactionId.maxLength + MAX_SUFFIX,
  description:
    'The opaque id of the bet (I-7). If another platform used this id first, @ and the name of the platform follow (W-43).',
})
export const PlatformSchema = Type.String({
  pattern: `^${PLATFORM_NAME}$`,
  description: 'The name of a platform in PARTNER_SECRETS (W-43).',
})
export const SiteSchema = Type.String({
  minLength: 1,
  maxLength: MAX_SITE,
  description: 'The site: the beginning of the `subPartnerId` of the Place bet (O-7).',
})
export const WalletBetStatusSchema = Type.Enum(['unknown', 'open', 'settled', 'cancelled', 'refused'])
export const PlayerPath = Type.Object({ userId: UserIdSchema })
export const PlayerBetPath = Type.Object({ userId: UserIdSchema, transactionId: StoredBetIdSchema })

export const OPERATOR_KEY = 'operatorKey'
export type OperatorTag = 'Players' | 'Money' | 'Bets' | 'Calls' | 'Actions' | 'Conformance'

export function describeOperatorRoute<S extends RouteShape>(
  operationId: string,
  tag: OperatorTag,
  summary: string,
  shape: S,
) {
  return describeRoute({ operationId, tag: `Operator: ${tag.toLowerCase()}`, summary, key: OPERATOR_KEY }, shape)
}

/** Describes a route that changes data, with the headers for the audit log. */
export function describeOperatorChange<S extends RouteShape>(
  operationId: string,
  tag: OperatorTag,
  summary: string,
  shape: S,
) {
  return describeOperatorRoute(operationId, tag, summary, withAuditHeaders(shape))
}
