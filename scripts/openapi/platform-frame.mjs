/** The hand-written part of openapi/platform.json: introduction, security, tags, and the schemas that get a name. */

import { ProblemSchema } from '../../dist/http/problem-schema.js'
import * as apiKeys from '../../dist/people/api-key-routes.js'
import * as actions from '../../dist/people/audit-log-list.js'
import { DeliveryPageSchema } from '../../dist/platform/api/delivery-list.js'
import * as partners from '../../dist/platform/api/partner-list.js'
import * as lists from '../../dist/platform/api/platform-bet-list.js'
import * as shapes from '../../dist/platform/api/platform-schemas.js'
import * as views from '../../dist/platform/api/platform-views.js'
import { LimitsSchema } from '../../dist/platform/placement/bet-limits.js'
import { TokenSchema } from '../../dist/protocol/bet-request.js'
import { CustomFieldsSchema, UserProfileSchema } from '../../dist/protocol/user-profile.js'

const INTRODUCTION = `Places bets with partners, and delivers what becomes of them: results, corrections, rollbacks.

A bearer key on every call, whose role (read, support, cash, admin) may do what those before it may; money as decimal strings beside \`currency\`; times in UTC; errors as problem details (RFC 9457) with a
stable \`code\` and JSON pointers to what is wrong. Lists are newest first: \`?limit&after\` with the \`next\` of the page before,
null at the end. A method that a path does not take is answered 405, and \`Allow\` names those that it takes.

**A bet is placed once per idempotency key** (member \`idempotencyKey\` or header \`Idempotency-Key\`, unique per partner): the same
content again is answered as before, other content is 422, and 409 while the first is still being placed. Every other change
can simply be sent again: what is so already changes nothing and sends nothing.

**202 means: decided and written down.** The partner is told by a delivery, which is tried until it is over and never lost (C-4 to
C-6); \`GET /bets/{betId}\` shows every attempt.

Ids such as C-1 name decisions, see docs/reference/decisions.md.`

export const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Purser platform', description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Partners', description: 'Whose players bet, and the frames in which they do.' },
    { name: 'Bets', description: 'Placed, settled, taken back, cancelled.' },
    { name: 'Events', description: 'What the control stage looks at, and the results that settle bets.' },
    { name: 'Deliveries', description: 'Calls to partners, and those that need a person.' },
    { name: 'Changes', description: 'The feed: what bets and deliveries have become, in one order.' },
    { name: 'Actions', description: 'Who changed what.' },
    { name: 'Keys', description: 'Who may use this API, and for what.' },
  ],
  components: {
    securitySchemes: {
      platformKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'PLATFORM_API_KEY, or a key made with it. The role is the least that will do.',
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
