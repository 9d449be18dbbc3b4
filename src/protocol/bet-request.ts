/**
 * The requests of the four bet operations (interface.md, Resources). The schemas are the source of types, validation
 * and OpenAPI. Required is what moves money and names the bet. A member that only describes the bet may be absent; Place bet
 * keeps it, so when present it has the type, length and enum of the interface. The other three do not use it, so they
 * take it whatever it is: no payout and no refund may fail for it (W-21). Unknown members are accepted and ignored.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { LIMITS, OPERATOR_USER_PATTERN } from './limits.ts'

const optional = Type.Optional
const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

export const TokenSchema = Type.String({ ...LIMITS.token, description: 'Session token of the player.' })
export const UserIdSchema = Type.String({ ...LIMITS.userId, description: "The player's id on the partner's platform." })
export const RequestIdSchema = Type.String({ ...LIMITS.requestId, description: 'Identifies this one request.' })
export const BetIdSchema = Type.String({ ...LIMITS.transactionId, description: 'Identifies the bet, opaque (I-7).' })
export const CurrencySchema = Type.String({ ...LIMITS.currency, description: 'ISO 4217 or a configured code (M-2).' })
export const OperatorUserSchema = Type.String({
  pattern: OPERATOR_USER_PATTERN,
  description: "The operator's own player id, sent by an aggregator (P-5).",
})
export const IpSchema = Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })])
const AmountSchema = (description: string) => Type.Number({ minimum: 0, description })

/** An integer that is stored or decides something: beyond this a double stands for several. */
const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

const text = Type.String()
const idOrText = Type.Union([Type.String(), Type.Integer(), Type.Null()])

/** One selection of the bet. Members whose type the interface does not state take text, integer or null. */
export const SelectionSchema = Type.Object(
  {
    disciplineId: optional(idOrText),
    discipline: optional(Type.Union([text, Type.Null()])),
    tournamentId: optional(idOrText),
    tournament: optional(Type.Union([text, Type.Null()])),
    tournamentRegionCode: optional(Type.Union([text, Type.Null()])),
    eventId: optional(idOrText),
    event: optional(Type.Union([text, Type.Null()])),
    eventDate: optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' })),
    marketId: optional(idOrText),
    market: optional(Type.Union([text, Type.Null()])),
    outcomeId: optional(idOrText),
    outcome: optional(Type.Union([text, Type.Null()])),
    coefficient: optional(Type.Number({ exclusiveMinimum: 0 })),
    stage: optional(integer),
  },
  { description: 'One selection of the bet; may be extended.' },
)

const identity = {
  requestId: RequestIdSchema,
  transactionId: BetIdSchema,
  userId: UserIdSchema,
  operatorUser: optional(OperatorUserSchema),
}

const description = {
  coefficient: optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Odds of the whole bet; an express: the product.' }),
  ),
  gameType: optional(Type.Enum(['sportsbook', 'turbogames'])),
  ticketType: optional(Type.Enum(['single', 'express'])),
  boosterCoefficient: optional(Type.Number({ exclusiveMinimum: 0, description: 'Express odds multiplier.' })),
  bonusId: nullable(integer),
  bonusTemplateId: nullable(integer),
  bonusAmount: nullable(Type.Number({ minimum: 0, description: 'Freebet bonus amount.' })),
}

/** A member of the interface that decides nothing here and is not kept: whatever it is, it refuses nothing (W-21). */
const unused = (meaning: string) => optional(Type.Unknown({ description: `Not used: ${meaning}` }))

const unusedDescription = {
  coefficient: unused('as placed.'),
  gameType: unused('as placed.'),
  ticketType: unused('as placed.'),
  boosterCoefficient: unused('as placed.'),
  bonusId: unused('as placed.'),
  bonusTemplateId: unused('as placed.'),
  bonusAmount: unused('as placed.'),
}

/** POST, type 1. `amount` is the stake. */
export const PlaceBetSchema = Type.Object({
  ...identity,
  type: Type.Literal(1),
  token: TokenSchema,
  amount: AmountSchema('The stake.'),
  currency: CurrencySchema,
  ...description,
  ip: optional(IpSchema),
  info: optional(text),
  subPartnerId: nullable(Type.String({ description: 'The site where it was placed; reports sum by it.' })),
  metadata: optional(Type.Array(SelectionSchema)),
})

/** PUT, type 2. `amount` is the payout. */
export const SettleSchema = Type.Object(
  {
    ...identity,
    type: Type.Literal(2),
    token: optional(Type.Unknown({ description: 'Session token of the player, of a cashout; else not used.' })),
    amount: AmountSchema('The payout, not the stake.'),
    currency: CurrencySchema,
    resultType: Type.Enum(['won', 'lost', 'refund', 'cashout']),
    ...unusedDescription,
  },
  {
    description: "`token` is required when `resultType` is 'cashout' (L-4); no other result looks at it.",
    if: { properties: { resultType: { const: 'cashout' } }, required: ['resultType'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['token'], properties: { token: TokenSchema } },
  },
)

/** PUT, type 1. What is taken back is the payout that was applied, whatever `amount` says (I-4). */
export const UnsettleSchema = Type.Object({
  ...identity,
  type: Type.Literal(1),
  token: unused('nothing is asked of the player.'),
  amount: unused('the applied payout is taken back.'),
  currency: optional(CurrencySchema),
  ...unusedDescription,
})

/** PUT, type 3. What is refunded is the stored stake, whatever `amount` says (I-4). */
export const RollbackSchema = Type.Object({
  ...identity,
  type: Type.Literal(3),
  token: unused('nothing is asked of the player.'),
  amount: unused('the stored stake is refunded.'),
  currency: optional(CurrencySchema),
  errorCode: Type.Integer({
    minimum: -(2 ** 31),
    maximum: 2 ** 31 - 1,
    description: 'Why the bet is rolled back (W-8).',
  }),
  ...unusedDescription,
})

/** How a bet ended, on the wire and inside. */
export type ResultType = Static<typeof SettleSchema>['resultType']

export type PlaceBetRequest = Static<typeof PlaceBetSchema>
export type SettleRequest = Static<typeof SettleSchema>
export type UnsettleRequest = Static<typeof UnsettleSchema>
export type RollbackRequest = Static<typeof RollbackSchema>

/** Asks for the last applied operation of a bet (P-4). */
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
