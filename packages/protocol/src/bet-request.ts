/**
 * Request schemas of the four bet operations and of Check (interface.md, Resources). Types,
 * validation and OpenAPI are derived from them.
 *
 * - A member is checked if it moves money, or identifies the operation, the bet, the player or the
 *   request.
 * - A member that describes the bet is stored unchanged by Place bet, with any JSON type (W-3).
 * - A member that a call does not use is accepted with any JSON type (W-21).
 * - Unknown members are ignored.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { DescribingMember } from './bet-description.ts'
import { LIMITS, OPERATOR_USER_PATTERN } from './wire-limits.ts'

const optional = Type.Optional
const optionalOrNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

export const TokenSchema = Type.String({ ...LIMITS.token, description: "The player's session token." })
export const UserIdSchema = Type.String({ ...LIMITS.userId, description: "The player's id on the partner's platform." })
export const RequestIdSchema = Type.String({ ...LIMITS.requestId, description: 'The id of this request.' })
export const BetIdSchema = Type.String({ ...LIMITS.transactionId, description: 'The opaque id of the bet (I-7).' })
export const CurrencySchema = Type.String({
  ...LIMITS.currency,
  description: 'A code of ISO 4217 or a configured code (M-2).',
})
export const OperatorUserSchema = Type.String({
  pattern: OPERATOR_USER_PATTERN,
  description: "The operator's own player id, which an aggregator sends (P-5).",
})
export const IpSchema = Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })])
const AmountSchema = (description: string) => Type.Number({ minimum: 0, description })

/** Beyond this range a double stands for several integers. */
const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

const identity = {
  requestId: RequestIdSchema,
  transactionId: BetIdSchema,
  userId: UserIdSchema,
  operatorUser: optional(OperatorUserSchema),
}

/** Every JSON value is accepted and stored unchanged (W-3). */
const describingMember = (meaning: string) =>
  optional(Type.Unknown({ description: `${meaning} The wallet stores it as it was sent (W-3).` }))

const description = {
  coefficient: describingMember(
    'The odds of the whole bet, as a number. For an express it is the product of the odds.',
  ),
  gameType: describingMember('`sportsbook` or `turbogames`.'),
  ticketType: describingMember('`single` or `express`.'),
  boosterCoefficient: describingMember('The number by which the odds of an express are multiplied.'),
  bonusTemplateId: describingMember("The id of the freebet's template, an integer or null."),
  bonusAmount: describingMember('The amount of the freebet, a number or null.'),
  ip: describingMember('The IP address of the player when the bet was placed.'),
  info: describingMember('Free text about the bet.'),
  subPartnerId: describingMember('The site where the bet was placed, a string or null. Reports group by this string.'),
  metadata: describingMember(
    'A list of selections. Each has disciplineId, discipline, tournamentId, tournament, tournamentRegionCode, eventId, ' +
      'event, eventDate, marketId, market, outcomeId, outcome, coefficient and stage. More members may be added.',
  ),
} satisfies Record<DescribingMember, TSchema>

/** Every JSON value is accepted and not stored (W-21). */
const unusedMember = (meaning: string) => optional(Type.Unknown({ description: `Not used: ${meaning}` }))

const unusedDescription = {
  coefficient: unusedMember('the value of the Place bet stays.'),
  gameType: unusedMember('the value of the Place bet stays.'),
  ticketType: unusedMember('the value of the Place bet stays.'),
  boosterCoefficient: unusedMember('the value of the Place bet stays.'),
  bonusId: unusedMember('the value of the Place bet stays.'),
  bonusTemplateId: unusedMember('the value of the Place bet stays.'),
  bonusAmount: unusedMember('the value of the Place bet stays.'),
}

/** POST, type 1. `amount` is the stake. */
export const PlaceBetSchema = Type.Object({
  ...identity,
  type: Type.Literal(1),
  token: TokenSchema,
  amount: AmountSchema('The stake.'),
  currency: CurrencySchema,
  bonusId: optionalOrNull({
    ...integer,
    description: 'The id of the freebet. A value of 0 or less means that the bet is no freebet (D-1).',
  }),
  ...description,
})

/** PUT, type 2. `amount` is the payout. */
export const SettleSchema = Type.Object(
  {
    ...identity,
    type: Type.Literal(2),
    token: optional(Type.Unknown({ description: "The player's session token. Only a cashout needs it." })),
    amount: AmountSchema('The amount of the payout, not of the stake.'),
    currency: CurrencySchema,
    resultType: Type.Enum(['won', 'lost', 'refund', 'cashout']),
    ...unusedDescription,
  },
  {
    description: "`token` is required when `resultType` is 'cashout' (L-4). Other results ignore it.",
    if: { properties: { resultType: { const: 'cashout' } }, required: ['resultType'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['token'], properties: { token: TokenSchema } },
  },
)

/** PUT, type 1. The applied payout is taken back, not `amount` (I-4). */
export const UnsettleSchema = Type.Object({
  ...identity,
  type: Type.Literal(1),
  token: unusedMember('the player is not checked.'),
  amount: unusedMember('the applied payout is taken back.'),
  currency: optional(CurrencySchema),
  ...unusedDescription,
})

/** PUT, type 3. The stored stake is refunded, not `amount` (I-4). */
export const RollbackSchema = Type.Object({
  ...identity,
  type: Type.Literal(3),
  token: unusedMember('the player is not checked.'),
  amount: unusedMember('the stored stake is refunded.'),
  currency: optional(CurrencySchema),
  errorCode: Type.Integer({
    minimum: -(2 ** 31),
    maximum: 2 ** 31 - 1,
    description: 'The reason for the rollback (W-8).',
  }),
  ...unusedDescription,
})

export type ResultType = Static<typeof SettleSchema>['resultType']

export type PlaceBetRequest = Static<typeof PlaceBetSchema>
export type SettleRequest = Static<typeof SettleSchema>
export type UnsettleRequest = Static<typeof UnsettleSchema>
export type RollbackRequest = Static<typeof RollbackSchema>

/** The reply has the last applied operation of the bet (P-4). */
export const CheckSchema = Type.Object({
  transactionId: BetIdSchema,
  userId: UserIdSchema,
  operatorUser: optional(OperatorUserSchema),
})
export type CheckRequest = Static<typeof CheckSchema>

export const BET_SCHEMAS = {
  place: PlaceBetSchema,
  settle: SettleSchema,
  unsettle: UnsettleSchema,
  rollback: RollbackSchema,
} as const satisfies Record<string, TObject>
