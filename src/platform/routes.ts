/** The routes of the platform API: what each takes, answers and refuses. */
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { conflict, invalid, notFound, Problem } from '../http/problem.ts'
import { SelectionSchema, TokenSchema } from '../protocol/bet-request.ts'
import { ROLLBACK_REASONS } from '../protocol/codes.ts'
import { scaleOf } from '../protocol/money.ts'
import { UserProfileSchema } from '../protocol/user-profile.ts'
import type { PlatformBet } from './bet.ts'
import { cancelBet, NotPossible, settleBet, unsettleBet } from './bet-flow.ts'
import { readBets } from './bet-store.ts'
import { addEventRoutes } from './event-routes.ts'
import { loadFrame, readFrameSession } from './frame-session.ts'
import { retryStuck } from './outbox.ts'
import { BadBet, KeyTaken, type PlaceDeps, parseAmount, placeBet, type Wanted } from './place.ts'
import { decimal, describe, odds, optional, strict, text } from './shapes.ts'
import {
  BetDetailSchema,
  BetListQuery,
  BetPageSchema,
  BetViewSchema,
  DeliveryListQuery,
  DeliveryPageSchema,
  getBetDetail,
  listBets,
  listDeliveries,
  showBet,
} from './views.ts'

const BonusId = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
const Uuid = Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })

const NewPartner = Type.Object(
  { partnerId: text(64), baseUrl: Type.String({ pattern: '^https?://', maxLength: 1_000 }), secret: text(1_000) },
  { ...strict, examples: [{ partnerId: 'acme', baseUrl: 'https://wallet.acme.example', secret: 'shared-secret' }] },
)
const PartnerView = Type.Object({ partnerId: Type.String(), baseUrl: Type.String() })
const NewFrame = Type.Object(
  { partnerId: text(64), token: TokenSchema },
  { ...strict, examples: [{ partnerId: 'acme', token: 'a-token-of-the-player' }] },
)
const Frame = Type.Object({ frameSessionId: Type.String(), profile: UserProfileSchema })
const { eventId: _eventId, outcomeId: _outcomeId, coefficient: _coefficient, ...described } = SelectionSchema.properties
const NewBet = Type.Object(
  {
    frameSessionId: Uuid,
    amount: decimal,
    selections: Type.Array(Type.Object({ ...described, eventId: text(64), outcomeId: text(64), coefficient: odds }), {
      minItems: 1,
      maxItems: 50,
    }),
    ticketType: optional(Type.Enum(['single', 'express'])),
    boosterCoefficient: optional(odds),
    bonusId: optional(Type.Union([BonusId, Type.Null()])),
    bonusTemplateId: optional(Type.Union([BonusId, Type.Null()])),
    bonusAmount: optional(Type.Union([decimal, Type.Null()])),
    subPartnerId: optional(Type.Union([text(64), Type.Null()])),
    ip: optional(Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })])),
    info: optional(Type.String({ maxLength: 1_000 })),
    idempotencyKey: optional(text(128)),
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
const Placed = Type.Object({
  betId: Type.String(),
  status: Type.Enum(['accepted', 'declined', 'cancelled', 'settled']),
  reason: optional(Type.String()),
})
const BetPath = Type.Object({ betId: Uuid })
const Settle = Type.Object(
  {
    resultType: Type.Enum(['won', 'lost', 'refund', 'cashout']),
    amount: decimal,
    frameSessionId: optional(
      Type.String({
        ...Uuid,
        description: 'Of a cashout: where the user asked for it; its token is sent. Absent: the one of the placement.',
      }),
    ),
  },
  { ...strict, examples: [{ resultType: 'won', amount: '21.00' }] },
)
const Cancel = Type.Object(
  { errorCode: Type.Enum(Object.keys(ROLLBACK_REASONS).map((code) => Number.parseInt(code, 10))) },
  { ...strict, examples: [{ errorCode: 8 }] },
)
const DeliveryPath = Type.Object({ deliveryId: Type.String({ pattern: '^\\d{1,18}$' }) })

type InBet = { Params: Static<typeof BetPath> }

export function addRoutes(api: FastifyInstance, deps: PlaceDeps): void {
  addPartnerRoutes(api, deps)
  addBetRoutes(api, deps)
  addResultRoutes(api, deps)
  addEventRoutes(api, deps)
  addDeliveryRoutes(api, deps)
}

function addPartnerRoutes(api: FastifyInstance, deps: PlaceDeps): void {
  api.post<{ Body: Static<typeof NewPartner> }>(
    '/partners',
    describe('savePartner', 'partners', 'Add a partner, or change its address or secret', {
      body: NewPartner,
      ok: { 201: PartnerView },
    }),
    async ({ body }, reply) => {
      if (!URL.canParse(body.baseUrl)) throw invalid('/baseUrl', 'is not a URL')
      await deps.partners.save(body, deps.clock.now())
      return reply.code(201).send({ partnerId: body.partnerId, baseUrl: body.baseUrl })
    },
  )
  api.post<{ Body: Static<typeof NewFrame> }>(
    '/frame-sessions',
    describe('loadFrame', 'partners', 'A user loads the frame: asks the partner for the profile', {
      body: NewFrame,
      ok: { 201: Frame },
      problems: { 404: 'not_found', 422: 'partner_refused', 502: 'partner_failed' },
    }),
    async ({ body }, reply) => {
      const loaded = await loadFrame(deps, body.partnerId, body.token)
      if (loaded.kind === 'unknown_partner') throw notFound('the partner')
      if (loaded.kind === 'loaded')
        return reply.code(201).send({ frameSessionId: loaded.session.frameSessionId, profile: loaded.session.profile })
      const { outcome } = loaded
      if (outcome.kind === 'refused')
        throw new Problem(422, 'partner_refused', `the partner answered code ${outcome.code}: ${outcome.message}`)
      throw new Problem(502, 'partner_failed', `the partner gave no usable answer: ${outcome.detail}`)
    },
  )
}

function addBetRoutes(api: FastifyInstance, deps: PlaceDeps): void {
  api.post<{ Body: Static<typeof NewBet> }>(
    '/bets',
    describe('placeBet', 'bets', 'Place a bet: calls the partner and takes the last look', {
      body: NewBet,
      ok: { 201: Placed },
      problems: { 404: 'not_found', 409: 'still_running', 422: 'idempotency_key_reused' },
    }),
    async ({ body }, reply) => {
      const placed = await placeBet(deps, body as Wanted).catch((error: unknown) => {
        throw toPlaceProblem(error)
      })
      if (placed === undefined) throw notFound('the frame session')
      const { betId, status, reason } = placed
      return reply.code(201).send({ betId, status, ...(reason !== null && { reason }) })
    },
  )
  api.get<{ Querystring: Static<typeof BetListQuery> }>(
    '/bets',
    describe('listBets', 'bets', 'Bets, newest first', { querystring: BetListQuery, ok: { 200: BetPageSchema } }),
    ({ query }) => listBets(deps, query),
  )
  api.get<InBet>(
    '/bets/:betId',
    describe('getBet', 'bets', 'A bet with its deliveries and every attempt', {
      params: BetPath,
      ok: { 200: BetDetailSchema },
    }),
    async ({ params }) => (await getBetDetail(deps, params.betId)) ?? fail(notFound('the bet')),
  )
}

function fail(problem: Problem): never {
  throw problem
}

function toPlaceProblem(error: unknown): unknown {
  if (error instanceof BadBet) return invalid(error.pointer, error.message)
  if (!(error instanceof KeyTaken)) return error
  return error.kind === 'running'
    ? conflict('still_running', error.message)
    : new Problem(422, 'idempotency_key_reused', error.message)
}

function addResultRoutes(api: FastifyInstance, deps: PlaceDeps): void {
  const answer = { params: BetPath, ok: { 202: BetViewSchema }, problems: { 409: 'not_possible' } }
  const changeOf = async (change: Promise<PlatformBet | undefined>) => {
    const bet = await change.catch((error: unknown) => {
      throw error instanceof NotPossible ? conflict('not_possible', error.message) : error
    })
    if (bet === undefined) throw notFound('the bet')
    deps.decided()
    return showBet(deps, bet)
  }
  api.post<InBet & { Body: Static<typeof Settle> }>(
    '/bets/:betId/settle',
    describe('settleBet', 'bets', 'Settle or resettle a bet', { ...answer, body: Settle }),
    async ({ params, body }, reply) => reply.code(202).send(await changeOf(settle(deps, params.betId, body))),
  )
  api.post<InBet>(
    '/bets/:betId/unsettle',
    describe('unsettleBet', 'bets', "Take a bet's result back", answer),
    async ({ params }, reply) => reply.code(202).send(await changeOf(unsettleBet(deps, params.betId))),
  )
  api.post<InBet & { Body: Static<typeof Cancel> }>(
    '/bets/:betId/cancel',
    describe('cancelBet', 'bets', 'Cancel a bet: its stake goes back by a rollback', { ...answer, body: Cancel }),
    async ({ params, body }, reply) =>
      reply.code(202).send(await changeOf(cancelBet(deps, params.betId, body.errorCode))),
  )
}

async function settle(
  deps: PlaceDeps,
  betId: string,
  { resultType, amount, frameSessionId }: Static<typeof Settle>,
): Promise<PlatformBet | undefined> {
  const [bet] = await readBets(deps.db, [betId])
  if (bet === undefined) return undefined
  const payout = parseAmount(amount, scaleOf(deps.scales, bet.currency))
  if (payout === undefined) throw invalid('/amount', `is too large or has more decimals than ${bet.currency}`)
  if (frameSessionId === undefined) return settleBet(deps, betId, { resultType, payout })
  if (resultType !== 'cashout') throw invalid('/frameSessionId', 'belongs to a cashout: no other result needs a token')
  return settleBet(deps, betId, { resultType, payout }, await cashoutToken(deps, bet, frameSessionId))
}

/** W-14: any session of the bet's player is proof of the player's will, also one in another currency. */
async function cashoutToken(deps: PlaceDeps, bet: PlatformBet, frameSessionId: string): Promise<string> {
  const session = await readFrameSession(deps, frameSessionId)
  const isOfPlayer =
    session?.partnerId === bet.partnerId && session.userId === bet.userId && session.operatorUser === bet.operatorUser
  if (!isOfPlayer) throw invalid('/frameSessionId', "is no frame session of the bet's player")
  return session.token
}

function addDeliveryRoutes(api: FastifyInstance, deps: PlaceDeps): void {
  api.get<{ Querystring: Static<typeof DeliveryListQuery> }>(
    '/deliveries',
    describe('listDeliveries', 'deliveries', 'Deliveries, the latest decided first', {
      querystring: DeliveryListQuery,
      ok: { 200: DeliveryPageSchema },
    }),
    ({ query }) => listDeliveries(deps, query),
  )
  api.post<{ Params: Static<typeof DeliveryPath> }>(
    '/deliveries/:deliveryId/retry',
    describe('retryDelivery', 'deliveries', 'Send a stuck delivery again', {
      params: DeliveryPath,
      ok: { 202: Type.Null() },
      problems: { 409: 'not_stuck' },
    }),
    async ({ params }, reply) => {
      if (!(await retryStuck(deps.db, BigInt(params.deliveryId), deps.clock.now())))
        throw conflict('not_stuck', 'there is no stuck delivery with this id')
      deps.decided()
      return reply.code(202).send()
    },
  )
}
