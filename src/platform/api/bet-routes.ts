/** Bets: placing them, and what is decided about them by hand. */
import type { Static } from 'typebox'
import { invalid, notFound } from '../../http/problem.ts'
import type { Routes } from '../../http/route.ts'
import type { Author } from '../../people/actions.ts'
import { scaleOf } from '../../protocol/money.ts'
import type { PlatformBet } from '../bets/bet.ts'
import { type Changed, cancelBet, settleBet, unsettleBet } from '../bets/bet-flow.ts'
import { readBets } from '../bets/bet-store.ts'
import type { AskedIn } from '../bets/cashout.ts'
import { readFrameSession } from '../bets/frame-session.ts'
import { type PlaceDeps, parseAmount, placeBet, type Wanted } from '../bets/place.ts'
import { BetListQuery, BetPageSchema, listBets } from './lists.ts'
import { requireCarriedIfNew } from './new-event.ts'
import { orProblem } from './refused.ts'
import type { RouteDeps } from './routes.ts'
import {
  BetPath,
  CancelSchema,
  describe,
  describeChange,
  IdempotencyHeader,
  NewBetSchema,
  PlacedSchema,
  SettleSchema,
} from './shapes.ts'
import { BetDetailSchema, BetViewSchema, getBetDetail, showBet } from './views.ts'

export function addBetRoutes(api: Routes, deps: RouteDeps): void {
  api.post(
    '/bets',
    describeChange('placeBet', 'Bets', 'Place a bet: calls the partner and takes the last look', {
      role: 'support',
      headers: IdempotencyHeader,
      body: NewBetSchema,
      ok: { 201: PlacedSchema },
      problems: { 404: 'not_found', 409: 'still_running', 422: 'idempotency_key_reused' },
    }),
    async (request, reply) => {
      const wanted = withKey(request.body, request.headers['idempotency-key'])
      for (const [i, { eventId }] of wanted.selections.entries())
        await requireCarriedIfNew(deps, eventId, `/selections/${i}/eventId`)
      const { span } = request
      const how = span === undefined ? deps : { ...deps, span }
      const { betId, status, reason } = orProblem(await placeBet(how, deps.actions.byUser(request), wanted))
      return reply.code(201).send({ betId, status, ...(reason !== null && { reason }) })
    },
  )
  api.get(
    '/bets',
    describe('listBets', 'Bets', 'Bets, newest first', {
      role: 'read',
      querystring: BetListQuery,
      ok: { 200: BetPageSchema },
    }),
    ({ query }) => listBets(deps, query),
  )
  api.get(
    '/bets/:betId',
    describe('getBet', 'Bets', 'A bet with its deliveries and every attempt', {
      role: 'read',
      params: BetPath,
      ok: { 200: BetDetailSchema },
    }),
    async ({ params }) => {
      const bet = await getBetDetail(deps, params.betId)
      if (bet === undefined) throw notFound('the bet')
      return bet
    },
  )
}

/** The header and the member are two ways to say one thing. */
function withKey(wanted: Wanted, idempotencyKey: string | undefined): Wanted {
  if (idempotencyKey === undefined) return wanted
  if (wanted.idempotencyKey !== undefined && wanted.idempotencyKey !== idempotencyKey)
    throw invalid('/idempotencyKey', 'is another one than that of the header Idempotency-Key')
  return { ...wanted, idempotencyKey }
}

export function addResultRoutes(api: Routes, deps: RouteDeps): void {
  const answer = {
    role: 'cash',
    params: BetPath,
    ok: { 202: BetViewSchema },
    problems: { 409: 'not_possible' },
  } as const
  const changeOf = async (wish: Promise<Changed>) => {
    const bet = orProblem(await wish)
    deps.decided()
    return showBet(deps, bet)
  }
  api.post(
    '/bets/:betId/settle',
    describeChange('settleBet', 'Bets', 'Settle or resettle a bet', { ...answer, body: SettleSchema }),
    async (request, reply) => reply.code(202).send(await changeOf(settle(deps, deps.actions.by(request), request))),
  )
  api.post(
    '/bets/:betId/unsettle',
    describeChange('unsettleBet', 'Bets', "Take a bet's result back", answer),
    async (request, reply) =>
      reply.code(202).send(await changeOf(unsettleBet(deps, deps.actions.by(request), request.params.betId))),
  )
  api.post(
    '/bets/:betId/cancel',
    describeChange('cancelBet', 'Bets', 'Cancel a bet: its stake goes back by a rollback', {
      ...answer,
      body: CancelSchema,
    }),
    async (request, reply) => {
      const { params, body } = request
      return reply
        .code(202)
        .send(await changeOf(cancelBet(deps, deps.actions.by(request), params.betId, body.errorCode)))
    },
  )
}

async function settle(
  deps: RouteDeps,
  author: Author,
  { params: { betId }, body }: { params: Static<typeof BetPath>; body: Static<typeof SettleSchema> },
): Promise<Changed> {
  const { resultType, amount, frameSessionId } = body
  const [bet] = await readBets(deps.db, [betId])
  if (bet === undefined) throw notFound('the bet')
  const payout = parseAmount(amount, scaleOf(deps.scales, bet.currency))
  if (payout === undefined) throw invalid('/amount', `is too large or has more decimals than ${bet.currency}`)
  if (resultType === 'cashout')
    return deps.cashOut({ author, betId: bet.betId, payout, askedIn: await askedIn(deps, bet, frameSessionId) })
  if (frameSessionId !== undefined)
    throw invalid('/frameSessionId', 'belongs to a cashout: no other result needs a token')
  return settleBet(deps, author, betId, { resultType, payout })
}

/** W-14: any session of the bet's player is proof of the player's will, also one in another currency. */
async function askedIn(deps: PlaceDeps, bet: PlatformBet, frameSessionId?: string): Promise<AskedIn | undefined> {
  if (frameSessionId === undefined) return undefined
  const session = await readFrameSession(deps, frameSessionId)
  const isOfPlayer =
    session?.partnerId === bet.partnerId && session.userId === bet.userId && session.operatorUser === bet.operatorUser
  if (!isOfPlayer) throw invalid('/frameSessionId', "is no frame session of the bet's player")
  return session
}
