/**
 * Schema of a Place bet whose describing members have the types, lengths and enums of the
 * interface.
 *
 * The conformance kit checks a platform's calls with this schema. A wallet accepts every value of a
 * describing member (W-3).
 */
import { Type } from 'typebox'
import type { DescribingMember } from './bet-description.ts'
import { IpSchema, PlaceBetSchema } from './bet-request.ts'

const optional = Type.Optional
const textOrNull = optional(Type.Union([Type.String(), Type.Null()]))
const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const integerOrNull = optional(Type.Union([integer, Type.Null()]))
const odds = optional(Type.Number({ exclusiveMinimum: 0 }))
/** The interface does not state the type of ids. */
const id = optional(Type.Union([Type.String(), Type.Integer(), Type.Null()]))

export const STATED_SELECTION = {
  disciplineId: id,
  discipline: textOrNull,
  tournamentId: id,
  tournament: textOrNull,
  tournamentRegionCode: textOrNull,
  eventId: id,
  event: textOrNull,
  eventDate: optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' })),
  marketId: id,
  market: textOrNull,
  outcomeId: id,
  outcome: textOrNull,
  coefficient: odds,
  stage: optional(integer),
}

const STATED = {
  coefficient: odds,
  gameType: optional(Type.Enum(['sportsbook', 'turbogames'])),
  ticketType: optional(Type.Enum(['single', 'express'])),
  boosterCoefficient: odds,
  bonusTemplateId: integerOrNull,
  bonusAmount: optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
  ip: optional(IpSchema),
  info: optional(Type.String()),
  subPartnerId: textOrNull,
  metadata: optional(Type.Array(Type.Object(STATED_SELECTION))),
} satisfies Record<DescribingMember, unknown>

export const StatedPlaceBetSchema = Type.Object({ ...PlaceBetSchema.properties, ...STATED })
