/**
 * Contains the hand-written part of packages/server/openapi/platform.json: introduction, security,
 * tags, and the named schemas.
 */

import { TokenSchema } from '@purser/protocol/bet-request'
import { CustomFieldsSchema, UserProfileSchema } from '@purser/protocol/user-profile'
import * as apiKeys from 'purser/core/auth/api-key-routes'
import * as actions from 'purser/core/auth/audit-log/audit-log-list'
import { ProblemSchema } from 'purser/core/http/api/route-description'
import { DeliveryPageSchema } from 'purser/platform/api/deliveries/delivery-list'
import * as partners from 'purser/platform/api/partner-list'
import * as lists from 'purser/platform/api/platform-bet-list'
import * as shapes from 'purser/platform/api/platform-schemas'
import * as views from 'purser/platform/api/platform-views'
import { LimitsSchema } from 'purser/platform/placement/bet-limits'

const INTRODUCTION = `The platform places bets with partners, and delivers their results, corrections and rollbacks.

Every call needs a bearer key. Each role of a key (read, support, cash, admin) includes the rights
of the roles before it. Amounts are decimal strings next to a \`currency\`, and times are in UTC.
Errors are problem details (RFC 9457) with a stable \`code\` and JSON pointers to the faults.
Lists are newest first. \`limit\` sets the size of a page, and \`after\` takes the \`next\` of the
previous page, which is null at the end. A method that a path does not support is answered 405,
and \`Allow\` lists the supported ones.

**A bet is placed once per idempotency key**, which is the member \`idempotencyKey\` or the header
\`Idempotency-Key\`, unique per partner. A repeat with the same content gets the stored answer.
Other content is answered 422, and a repeat is answered 409 while the first bet is still being
placed. Every other change can be sent again: a repeat changes nothing and sends nothing.

**202 means that the decision is stored.** A delivery notifies the partner. It is retried until it
ends, and it is never lost (C-4 to C-6). \`GET /bets/{betId}\` shows every attempt.

Ids such as C-1 refer to decisions, see docs/reference/decisions.md.`

export const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Purser platform', description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Partners', description: 'The operators whose players bet, and their frame sessions.' },
    { name: 'Bets', description: 'Bets are placed, settled, unsettled and cancelled.' },
    { name: 'Events', description: 'Events with their state, odds and limits, and the results that settle bets.' },
    { name: 'Deliveries', description: 'Calls to partners, and deliveries that need attention.' },
    { name: 'Changes', description: 'The change feed of bets and deliveries, in one order.' },
    { name: 'Actions', description: 'The audit log.' },
    { name: 'Keys', description: 'The API keys, with their roles and limits.' },
  ],
  components: {
    securitySchemes: {
      platformKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'The root key PLATFORM_API_KEY, or an API key created with it. Each operation names the lowest role that may call it.',
      },
    },
  },
}

export const NAMED_SCHEMAS = {
  NewPartner: shapes.NewPartnerSchema,
  TriedPartner: partners.TriedPartnerSchema,
  ChangedPartner: shapes.ChangedPartnerSchema,
  NewFrameSession: shapes.NewFrameSchema,
  FrameSession: shapes.FrameSchema,
  UserProfile: UserProfileSchema,
  CustomFields: CustomFieldsSchema,
  Token: TokenSchema,
  NewBet: shapes.NewBetSchema,
  PlacedBet: shapes.PlacedSchema,
  Settlement: shapes.SettleBetSchema,
  Cancellation: shapes.CancelSchema,
  Bet: views.BetViewSchema,
  BetPage: lists.BetPageSchema,
  BetDetail: views.BetDetailSchema,
  EventState: shapes.EventStateSchema,
  EventResults: shapes.ResultsSchema,
  ResultsApplied: shapes.ResultsAppliedSchema,
  Limits: LimitsSchema,
  Delivery: views.DeliverySchema,
  DeliveryPage: DeliveryPageSchema,
  Attempt: views.AttemptSchema,
  NewKey: apiKeys.NewKeySchema,
  KeyRotation: apiKeys.RotationSchema,
  MadeKey: apiKeys.CreatedKeySchema,
  Key: apiKeys.KeySchema,
  KeyPage: apiKeys.KeyPageSchema,
  Action: actions.AuditLogEntrySchema,
  ActionPage: actions.AuditLogPageSchema,
  Problem: ProblemSchema,
}
