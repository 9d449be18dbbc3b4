/** Routes of bets: placement, lists, and decisions that a user makes by hand. */

import { requireScale } from '@purser/protocol/values/money'
import type { Static } from 'typebox'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { invalid, notFound } from '../../core/http/api/problem-details.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import { type BetChangeOutcome, cancelBet, settleBet, unsettleBet } from '../bets/bet-flow.ts'
import type { CashoutSession } from '../bets/cashout.ts'
import { readFrameSession } from '../bets/frame-session.ts'
import { type BetPlacementRequest, type PlaceDeps, parseAmount, placeBet } from '../placement/bet-placement.ts'
import type { PlatformBet } from '../store/platform-bet.ts'
import { readPlatformBets } from '../store/platform-bet-store.ts'
import { requireCarriedIfNew } from './event-routes.ts'
import { BetListQuery, BetPageSchema, listPlatformBets } from './platform-bet-list.ts'
import type { PlatformRouteDeps } from './platform-routes.ts'
import {
  CancelSchema,
  describePlatformChange,
  describePlatformRoute,
  IdempotencyHeader,
  NewBetSchema,
  PlacedSchema,
  PlatformBetPath,
  SettleBetSchema,
} from './platform-schemas.ts'
import { BetDetailSchema, BetViewSchema, getBetDetail, toPlatformBetView } from './platform-views.ts'
import { orThrowProblem } from './refusal-status.ts'

export function addBetRoutes(api: Routes, deps: PlatformRouteDeps): void {
  api.post(
    '/bets',
    describePlatformChange('placeBet', 'Bets', 'Place a bet; calls the partner and runs the control stage', {
      role: 'support',
      headers: IdempotencyHeader,
      body: NewBetSchema,
      ok: { 201: PlacedSchema },
      problems: { 404: 'not_found', 409: 'still_running', 422: 'idempotency_key_reused' },
    }),
    async (request, reply) => {
      const betRequest = withIdempotencyKey(request.body, request.headers['idempotency-key'])
      for (const [i, { eventId }] of betRequest.selections.entries())
        await requireCarriedIfNew(deps, eventId, `/selections/${i}/eventId`)
      const { span } = request
      const how = span === undefined ? deps : { ...deps, span }
      const { betId, status, reason } = orThrowProblem(
        await placeBet(how, deps.actions.userActorOf(request), betRequest),
      )
      return reply.code(201).send({ betId, status, ...(reason !== null && { reason }) })
    },
  )
  api.get(
    '/bets',
    describePlatformRoute('listBets', 'Bets', 'List bets, newest first', {
      role: 'read',
      querystring: BetListQuery,
      ok: { 200: BetPageSchema },
    }),
    ({ query }) => listPlatformBets(deps, query),
  )
  api.get(
    '/bets/:betId',
    describePlatformRoute('getBet', 'Bets', 'Read a bet with its deliveries and all attempts', {
      role: 'read',
      params: PlatformBetPath,
      ok: { 200: BetDetailSchema },
    }),
    async ({ params }) => {
      const bet = await getBetDetail(deps, params.betId)
      if (bet === undefined) throw notFound('the bet')
      return bet
    },
  )
}

/** The header and the member have the same meaning. */
function withIdempotencyKey(betRequest: BetPlacementRequest, idempotencyKey: string | undefined): BetPlacementRequest {
  if (idempotencyKey === undefined) return betRequest
  if (betRequest.idempotencyKey !== undefined && betRequest.idempotencyKey !== idempotencyKey)
    throw invalid('/idempotencyKey', 'differs from the header Idempotency-Key: send only one of both')
  return { ...betRequest, idempotencyKey }
}

export function addResultRoutes(api: Routes, deps: PlatformRouteDeps): void {
  const answer = {
    role: 'cash',
    params: PlatformBetPath,
    ok: { 202: BetViewSchema },
    problems: { 409: 'not_possible' },
  } as const
  const changeOf = async (change: Promise<BetChangeOutcome>) => {
    const bet = orThrowProblem(await change)
    deps.decided()
    return toPlatformBetView(deps, bet)
  }
  api.post(
    '/bets/:betId/settle',
    describePlatformChange('settleBet', 'Bets', 'Settle or resettle a bet', { ...answer, body: SettleBetSchema }),
    async (request, reply) =>
      reply.code(202).send(await changeOf(settle(deps, deps.actions.actorOf(request), request))),
  )
  api.post(
    '/bets/:betId/unsettle',
    describePlatformChange('unsettleBet', 'Bets', "Withdraw a bet's result", answer),
    async (request, reply) =>
      reply.code(202).send(await changeOf(unsettleBet(deps, deps.actions.actorOf(request), request.params.betId))),
  )
  api.post(
    '/bets/:betId/cancel',
    describePlatformChange('cancelBet', 'Bets', 'Cancel a bet; a rollback refunds its stake', {
      ...answer,
      body: CancelSchema,
    }),
    async (request, reply) => {
      const { params, body } = request
      return reply
        .code(202)
        .send(await changeOf(cancelBet(deps, deps.actions.actorOf(request), params.betId, body.errorCode)))
    },
  )
}

async function settle(
  deps: PlatformRouteDeps,
  author: Actor,
  { params: { betId }, body }: { params: Static<typeof PlatformBetPath>; body: Static<typeof SettleBetSchema> },
): Promise<BetChangeOutcome> {
  const { resultType, amount, frameSessionId } = body
  const [bet] = await readPlatformBets(deps.db, [betId])
  if (bet === undefined) throw notFound('the bet')
  const payout = parseAmount(amount, requireScale(deps.scales, bet.currency))
  if (payout === undefined) throw invalid('/amount', `is too large or has more decimals than ${bet.currency}`)
  if (resultType === 'cashout')
    return deps.cashOut({
      author,
      betId: bet.betId,
      payout,
      session: await readPlayerSession(deps, bet, frameSessionId),
    })
  if (frameSessionId !== undefined)
    throw invalid('/frameSessionId', 'is only for a cashout, because no other result needs a token: remove it')
  return settleBet(deps, author, betId, { resultType, payout })
}

/** Any session of the bet's player proves the player's request, even in another currency (W-14). */
async function readPlayerSession(
  deps: PlaceDeps,
  bet: PlatformBet,
  frameSessionId?: string,
): Promise<CashoutSession | undefined> {
  if (frameSessionId === undefined) return undefined
  const session = await readFrameSession(deps, frameSessionId)
  const isOfPlayer =
    session?.partnerId === bet.partnerId && session.userId === bet.userId && session.operatorUser === bet.operatorUser
  if (!isOfPlayer) throw invalid('/frameSessionId', "is not a frame session of the bet's player")
  return session
}
