/** Views of bets, deliveries and attempts in the platform API. */

import { parseTiming } from '@purser/protocol/client/network/request-timing'
import { formatMoney, type Money, requireScale, type Scales } from '@purser/protocol/values/money'
import { type Static, Type } from 'typebox'
import { type Db, statement } from '../../core/database/db.ts'
import { notFound } from '../../core/http/api/problem-details.ts'
import { formatOdds } from '../store/odds.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../store/outbox.ts'
import type { PlatformBet } from '../store/platform-bet.ts'
import { type KnownSelection, readPlatformBets, readSelections } from '../store/platform-bet-store.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })
const DECIMAL = '^\\d+(\\.\\d+)?$'
const decimal = Type.String({ pattern: DECIMAL })
export const PlatformBetStatusSchema = Type.Enum(['placing', 'accepted', 'declined', 'cancelled', 'settled'])

export const BetViewSchema = Type.Object({
  betId: Type.String(),
  partnerId: Type.String(),
  userId: Type.String(),
  operatorUser: optional(Type.String()),
  status: PlatformBetStatusSchema,
  reason: optional(Type.String()),
  amount: Type.String({ pattern: DECIMAL, description: 'The stake.' }),
  currency: Type.String(),
  ticketType: Type.Enum(['single', 'express']),
  coefficient: decimal,
  payout: optional(decimal),
  resultType: optional(Type.String()),
  placedAt: time,
})
const phase = (description: string) => optional(Type.Integer({ minimum: 0, description }))
const PhasesSchema = Type.Object(
  {
    dnsMs: phase('The time for the DNS lookup.'),
    connectMs: phase('The time to open the connection.'),
    tlsMs: phase('The time for the TLS handshake.'),
    firstByteMs: phase('The time from the call to the first byte of the answer.'),
    bodyMs: phase('The time for the rest of the answer.'),
  },
  {
    description:
      'The parts of durationMs (C-18). The first three are present if the call opened a connection. The rest of durationMs was spent waiting for a connection.',
  },
)
export const AttemptSchema = Type.Object({
  number: Type.Integer(),
  startedAt: time,
  durationMs: Type.Integer(),
  phases: optional(PhasesSchema),
  httpStatus: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The HTTP status. It is null if no answer arrived in time.',
  }),
  outcome: Type.Enum(['accepted', 'refused', 'unknown']),
  code: optional(Type.Integer({ description: "The partner's reply code." })),
  error: optional(Type.String({ description: 'The reason why the outcome is unknown.' })),
  body: Type.String({ description: 'The answer as it was received, up to 2000 characters, without the token.' }),
})
export const DeliverySchema = Type.Object({
  deliveryId: Type.String(),
  betId: Type.String(),
  partnerId: Type.String(),
  number: Type.Integer({ description: "The position among the bet's deliveries." }),
  operation: Type.Enum(['place', 'settle', 'unsettle', 'rollback']),
  requestId: Type.String(),
  status: Type.Enum([...DELIVERY_STATUSES], {
    description:
      '`waiting`: an earlier delivery of the bet is still open (C-6). `pending`: due at dueAt, or being sent. `done`, `refused`: the partner answered so. ' +
      '`unknown`: a Place bet without a usable answer, which a rollback follows. `stuck`: the attempts are exhausted, and it needs attention.',
  }),
  amount: optional(Type.String({ pattern: DECIMAL, description: 'The amount in the call.' })),
  currency: optional(Type.String()),
  attempts: Type.Integer(),
  code: optional(Type.Integer()),
  error: optional(Type.String()),
  decidedAt: time,
  dueAt: optional(time),
  finishedAt: optional(time),
  needsAttentionSince: optional({
    ...time,
    description:
      'The time since which it needs attention (C-9): stuck, rejected, or retried after a 400 (C-5) or after six minutes without an answer (W-48). An acknowledgement ends it.',
  }),
  owedAmount: optional(
    Type.String({
      pattern: '^-?\\d+(\\.\\d+)?$',
      description:
        'The outstanding amount of a delivery that needs attention. A negative amount has to be taken back from the player: a payout of 222.40 that becomes 0.00 gives -222.40.',
    }),
  ),
})
export const BetDetailSchema = Type.Object({
  ...BetViewSchema.properties,
  selections: Type.Array(
    Type.Object(
      {
        eventId: Type.String(),
        outcomeId: Type.String(),
        coefficient: decimal,
        result: optional(Type.Enum(['won', 'lost', 'refund'])),
      },
      { additionalProperties: true, description: 'The selections as they were placed, with all members.' },
    ),
  ),
  deliveries: Type.Array(
    Type.Object({
      ...DeliverySchema.properties,
      request: Type.Object(
        {},
        { additionalProperties: true, description: 'The body of every attempt, without the token.' },
      ),
      attemptList: Type.Array(AttemptSchema),
    }),
  ),
})
export interface ViewDeps {
  readonly db: Pick<Db, 'userQueries'>
  readonly scales: Scales
}

export function toPlatformBetView({ scales }: ViewDeps, bet: PlatformBet): Static<typeof BetViewSchema> {
  const show = (amount: Money) => formatMoney(amount, requireScale(scales, bet.currency))
  const { betId, partnerId, userId, operatorUser, status, reason, currency, ticketType, result } = bet
  return {
    ...{ betId, partnerId, userId, status, currency, ticketType },
    ...(operatorUser !== null && { operatorUser }),
    ...(reason !== null && { reason }),
    amount: show(bet.stake),
    coefficient: formatOdds(bet.odds),
    ...(result !== null && { payout: show(result.payout), resultType: result.resultType }),
    placedAt: bet.placedAt.toISOString(),
  }
}

export interface DeliveryRow extends Record<string, unknown> {
  delivery_id: bigint
  bet_id: string
  partner_id: string
  number: number
  operation: Static<typeof DeliverySchema>['operation']
  request_id: string
  body: string
  status: DeliveryStatus
  attempts: number
  code: number | null
  error: string | null
  decided_at: Date
  due_at: Date | null
  finished_at: Date | null
  amount: string | null
  currency: string | null
  owed_since: Date | null
  owed_amount: string | null
}

export const DELIVERY_COLUMNS = `delivery_id, bet_id, partner_id, number, operation, request_id, body, status, attempts, code, error, decided_at,
  case when not is_claimed then nullif(due_at, 'infinity') end as due_at, finished_at, body::json ->> 'amount' as amount,
  body::json ->> 'currency' as currency, owed_since, owed_amount::text as owed_amount`
/** The tables of `DELIVERY_COLUMNS`. */
export const DELIVERIES = 'platform.delivery left join platform.message using (delivery_id)'
const DELIVERIES_OF_BET = statement(
  'platform_deliveries_of_bet',
  `select ${DELIVERY_COLUMNS} from ${DELIVERIES} where bet_id = $1::uuid order by number`,
)
const READ_DELIVERY = statement(
  'platform_read_delivery',
  `select ${DELIVERY_COLUMNS} from ${DELIVERIES} where delivery_id = $1::bigint`,
)
const ATTEMPTS_OF_BET = statement(
  'platform_attempts_of_bet',
  `select a.delivery_id, a.number, a.started_at, a.duration_ms, a.http_status, a.outcome, a.code, a.error, a.body, a.phases
   from platform.attempt a join platform.delivery d using (delivery_id) where d.bet_id = $1::uuid order by a.delivery_id, a.number limit 5000`,
)

interface AttemptRow extends Record<string, unknown> {
  delivery_id: bigint
  number: number
  started_at: Date
  duration_ms: number
  http_status: number | null
  outcome: 'accepted' | 'refused' | 'unknown'
  code: number | null
  error: string | null
  body: string
  phases: string | null
}

/** Undefined if the bet does not exist. */
export async function getBetDetail(deps: ViewDeps, betId: string) {
  const [bet] = await readPlatformBets(deps.db.userQueries, [betId])
  if (bet === undefined) return undefined
  const [selections, deliveries, attempts] = await Promise.all([
    readSelections(deps.db.userQueries, [betId]),
    deps.db.userQueries.query<DeliveryRow>(DELIVERIES_OF_BET, [betId]),
    deps.db.userQueries.query<AttemptRow>(ATTEMPTS_OF_BET, [betId]),
  ])
  const attemptsOf = (id: bigint) => attempts.filter((attempt) => attempt.delivery_id === id).map(toAttemptView)
  return {
    ...toPlatformBetView(deps, bet),
    selections: selections.map(toSelectionView),
    deliveries: deliveries.map((row) => ({
      ...toDeliveryView(row),
      request: parseWithoutToken(row.body),
      attemptList: attemptsOf(row.delivery_id),
    })),
  }
}

function toSelectionView({ eventId, outcomeId, odds, details, result }: KnownSelection) {
  return { ...details, eventId, outcomeId, coefficient: formatOdds(odds), ...(result !== null && { result }) }
}

/** The token belongs to the player, and the support staff must not see it. */
function parseWithoutToken(body: string): object {
  const { token: _, ...request } = JSON.parse(body) as Record<string, unknown>
  return request
}

export function toDeliveryView(row: DeliveryRow): Static<typeof DeliverySchema> {
  const { number, operation, status, amount, currency, attempts, code, error } = row
  return {
    deliveryId: String(row.delivery_id),
    betId: row.bet_id,
    partnerId: row.partner_id,
    ...{ number, operation, requestId: row.request_id, status },
    ...(amount !== null && { amount }),
    ...(currency !== null && { currency }),
    attempts,
    ...(code !== null && { code }),
    ...(error !== null && { error }),
    decidedAt: row.decided_at.toISOString(),
    ...(status === 'pending' && row.due_at !== null && { dueAt: row.due_at.toISOString() }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at.toISOString() }),
    ...(row.owed_since !== null && { needsAttentionSince: row.owed_since.toISOString() }),
    ...(row.owed_amount !== null && { owedAmount: row.owed_amount }),
  }
}

function toAttemptView({
  number,
  started_at,
  duration_ms,
  http_status,
  outcome,
  code,
  error,
  body,
  ...row
}: AttemptRow) {
  const phases = parseTiming(row.phases)
  return {
    number,
    startedAt: started_at.toISOString(),
    durationMs: duration_ms,
    ...(phases && { phases }),
    httpStatus: http_status,
    outcome,
    ...(code !== null && { code }),
    ...(error !== null && { error }),
    body,
  }
}

export async function readDeliveryPartner(
  { db }: Pick<ViewDeps, 'db'>,
  deliveryId: string,
): Promise<string | undefined> {
  const [row] = await db.userQueries.query<DeliveryRow>(READ_DELIVERY, [deliveryId])
  return row?.partner_id
}

export async function getDelivery({ db }: ViewDeps, deliveryId: string) {
  const [row] = await db.userQueries.query<DeliveryRow>(READ_DELIVERY, [deliveryId])
  if (row === undefined) throw notFound('the delivery')
  return toDeliveryView(row)
}
