/**
 * Schemas of requests to the platform API and of the answers that platform-views.ts does not
 * render.
 */

import { TokenSchema } from '@purser/protocol/bet-request'
import { ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { STATED_SELECTION } from '@purser/protocol/stated-place-bet'
import { UserProfileSchema } from '@purser/protocol/user-profile'
import { type TSchema, Type } from 'typebox'
import { withAuditHeaders } from '../../core/auth/audit-log/audit-headers.ts'
import { describeRoute, type RouteShape } from '../../core/http/api/route-description.ts'
import { connectionMember } from '../../core/partners/connection-member.ts'
import { secretMembers } from '../../core/partners/secret-members.ts'

export const optional = Type.Optional
export const strict = { additionalProperties: false } as const
export const boundedText = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const decimal = Type.String({ pattern: '^\\d{1,15}(\\.\\d{1,12})?$' })
export const odds = Type.Union([decimal, Type.Number({ exclusiveMinimum: 0 })])
const withDescription = <S extends TSchema>(schema: S, description: string): S => ({ ...schema, description })
const nullable = <S extends TSchema>(schema: S) => optional(Type.Union([schema, Type.Null()]))

/** Name of the security scheme of this API. */
export const PLATFORM_KEY = 'platformKey'
export type PlatformTag = 'Partners' | 'Bets' | 'Events' | 'Deliveries' | 'Changes' | 'Actions'

export function describePlatformRoute<S extends RouteShape>(
  operationId: string,
  tag: PlatformTag,
  summary: string,
  shape: S,
) {
  return describeRoute({ operationId, tag, summary, key: PLATFORM_KEY }, shape)
}

export function describePlatformChange<S extends RouteShape>(
  operationId: string,
  tag: PlatformTag,
  summary: string,
  shape: S,
) {
  return describePlatformRoute(operationId, tag, summary, withAuditHeaders(shape))
}

const Uuid = Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })
export const PlatformBetPath = Type.Object({ betId: Uuid })
export const DeliveryPath = Type.Object({ deliveryId: Type.String({ pattern: '^\\d{1,18}$' }) })

export const NewPartnerSchema = Type.Object(
  {
    partnerId: boundedText(64),
    baseUrl: Type.String({
      maxLength: 1_000,
      description: 'A URL of http or https. The paths of the interface are appended, so leave `/payment/bet` out.',
    }),
    ...secretMembers,
    ...connectionMember,
  },
  { ...strict, examples: [{ partnerId: 'acme', baseUrl: 'https://wallet.acme.example', secret: 'shared-secret' }] },
)
export const PartnerPath = Type.Object({ partnerId: boundedText(64) })
export const ChangedPartnerSchema = Type.Object(
  { baseUrl: NewPartnerSchema.properties.baseUrl, ...secretMembers, ...connectionMember },
  {
    ...strict,
    examples: [{ baseUrl: 'https://wallet.acme.example', secrets: ['a-new-shared-secret', 'the-one-before'] }],
  },
)

export const NewFrameSchema = Type.Object(
  { partnerId: boundedText(64), token: TokenSchema },
  { ...strict, examples: [{ partnerId: 'acme', token: 'a-token-of-the-player' }] },
)
export const FrameSchema = Type.Object({ frameSessionId: Type.String(), profile: UserProfileSchema })

const IdempotencyKey = withDescription(
  boundedText(128),
  'Your key, unique per partner. A repeat of the same bet with this key gets the stored answer, and no partner is called.',
)
/** For clients that send `idempotencyKey` as a header. Only ASCII passes a header unchanged. */
export const IdempotencyHeader = Type.Object({
  'idempotency-key': optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      description: 'The same key as the member idempotencyKey of the body.',
    }),
  ),
})

const BonusId = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
const { eventId: _eventId, outcomeId: _outcomeId, coefficient: _coefficient, ...stated } = STATED_SELECTION
/** The partner gets a descriptive member unchanged, with any type (W-3). */
const passedThrough = optional(
  Type.Unknown({ description: 'This member only describes the bet. The partner gets it unchanged (W-3).' }),
)
const descriptiveMembers = Object.fromEntries(Object.keys(stated).map((name) => [name, passedThrough])) as Record<
  keyof typeof stated,
  typeof passedThrough
>
export const NewBetSchema = Type.Object(
  {
    frameSessionId: Uuid,
    amount: withDescription(decimal, 'The stake, in the currency of the frame session (C-7).'),
    selections: Type.Array(
      Type.Object({ ...descriptiveMembers, eventId: boundedText(64), outcomeId: boundedText(64), coefficient: odds }),
      {
        minItems: 1,
        maxItems: 50,
      },
    ),
    ticketType: optional(
      Type.Enum(['single', 'express'], { description: 'The default follows from the number of selections.' }),
    ),
    boosterCoefficient: optional(
      withDescription(
        odds,
        'The multiplier of the odds of an express. It does not apply if void selections leave only one selection (D-6).',
      ),
    ),
    bonusId: nullable(
      withDescription(BonusId, 'The id of the freebet. A value of 0 or less means that the bet is no freebet (D-1).'),
    ),
    bonusTemplateId: nullable(BonusId),
    bonusAmount: nullable(decimal),
    subPartnerId: nullable(boundedText(64)),
    ip: optional(
      Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })], {
        description: 'An IPv4 or IPv6 address.',
      }),
    ),
    info: optional(Type.String({ maxLength: 1_000 })),
    idempotencyKey: optional(IdempotencyKey),
  },
  {
    ...strict,
    examples: [
      {
        frameSessionId: '6b0f3f0e-6c0f-4f0e-9d5a-0c5f7b1a2c3d',
        amount: '10.00',
        selections: [{ eventId: 'e1', outcomeId: 'home', coefficient: 2.1 }],
      },
    ],
  },
)
export const PlacedSchema = Type.Object({
  betId: Type.String({ description: 'The transactionId of every call to the partner.' }),
  status: Type.Enum(['accepted', 'declined', 'cancelled'], {
    description:
      '`declined`: the partner declined the bet, or was not called because an event has ended (C-11) or the partner is down (C-10). `cancelled`: the answer is unknown or the control stage objected, and the bet is rolled back.',
  }),
  reason: optional(
    Type.String({
      description:
        'The reason. A declined bet has `partner code N`, `event ended` or `partner unavailable`. A cancelled bet has `rollback N` (C-2, C-3).',
    }),
  ),
})

export const AcknowledgeSchema = Type.Object(
  {
    reason: withDescription(
      Type.String({ maxLength: 500, pattern: '\\S' }),
      'The evidence. The delivery shows it, and the audit log stores it (O-4).',
    ),
  },
  { ...strict, examples: [{ reason: 'paid by hand at the partner, ticket 4711' }] },
)

export const SettleBetSchema = Type.Object(
  {
    resultType: Type.Enum(['won', 'lost', 'refund', 'cashout']),
    amount: withDescription(decimal, "The payout, in the bet's currency."),
    frameSessionId: optional(
      withDescription(
        Uuid,
        'The frame session in which the user requested a cashout. Its token is sent. The default is the session of the placement (W-14).',
      ),
    ),
  },
  { ...strict, examples: [{ resultType: 'won', amount: '21.00' }] },
)
export const CancelSchema = Type.Object(
  {
    errorCode: Type.Enum(
      Object.keys(ROLLBACK_REASONS).map((code) => Number.parseInt(code, 10)),
      { description: 'The reason code that is sent to the partner, see docs/reference/codes.md.' },
    ),
  },
  { ...strict, examples: [{ errorCode: 8 }] },
)

/** For one event; the largest markets have some thousand. */
const MAX_OUTCOMES = 5_000

export const EventPath = Type.Object({ eventId: boundedText(64) })
export const EventStateSchema = Type.Object(
  {
    status: Type.Enum(['open', 'suspended', 'withdrawn', 'ended']),
    outcomes: optional(
      Type.Array(Type.Object({ outcomeId: boundedText(64), coefficient: odds }, strict), {
        maxItems: MAX_OUTCOMES,
        description: 'The current odds. Outcomes that are not listed keep their odds.',
      }),
    ),
  },
  { ...strict, examples: [{ status: 'open', outcomes: [{ outcomeId: 'home', coefficient: '2.10' }] }] },
)
const wonExample = { outcomeId: 'home', result: 'won' }
export const ResultsSchema = Type.Object(
  {
    outcomes: Type.Array(
      Type.Object({ outcomeId: boundedText(64), result: Type.Enum(['won', 'lost', 'refund']) }, strict),
      {
        maxItems: MAX_OUTCOMES,
        description: 'All results of the event. An empty list withdraws them.',
      },
    ),
  },
  { ...strict, examples: [{ outcomes: [wonExample, { outcomeId: 'away', result: 'lost' }] }] },
)
export const ResultsAppliedSchema = Type.Object({
  bets: Type.Integer({ description: 'The number of bets whose result has changed so far. Each has a new delivery.' }),
  applied: Type.Boolean({
    description:
      'True if every bet on the event has the result. It is false if some bets are left after 5 s, or if the platform is stopping. The rest follow automatically.',
  }),
})
