/** The routes of the platform API: what each takes, answers and refuses. */

import { type Static, Type } from 'typebox'
import type { Feed } from '../../feed/feed.ts'
import { addFeedRoutes } from '../../feed/routes.ts'
import { busy, conflict, invalid, notFound, Problem } from '../../http/problem.ts'
import type { Routes } from '../../http/route.ts'
import { givenSecrets, requireSecrets } from '../../http/secrets.ts'
import { ActionPageSchema, actionQuery } from '../../people/action-list.ts'
import type { ActionLog, Author } from '../../people/actions.ts'
import { addKeyRoutes } from '../../people/key-routes.ts'
import type { KeyChanges } from '../../people/keys.ts'
import { scaleOf } from '../../protocol/money.ts'
import { Full } from '../../runtime/batches.ts'
import { findFault } from '../../wallet-client/base-url.ts'
import { trySecrets } from '../../wallet-client/try-secrets.ts'
import type { PlatformBet } from '../bets/bet.ts'
import { cancelBet, NotPossible, settleBet, unsettleBet } from '../bets/bet-flow.ts'
import { readBets } from '../bets/bet-store.ts'
import type { AskedIn, CashedOut, CashoutWish } from '../bets/cashout.ts'
import { loadFrame, readFrameSession } from '../bets/frame-session.ts'
import { BadBet, KeyTaken, type PlaceDeps, parseAmount, placeBet, type Wanted } from '../bets/place.ts'
import { feedRoutes } from './changes.ts'
import { addDeliveryRoutes } from './delivery-routes.ts'
import { addEventRoutes } from './event-routes.ts'
import { BetListQuery, BetPageSchema, listBets } from './lists.ts'
import { listPartners, PartnerListQuery, PartnerPageSchema, TriedPartnerSchema } from './partner-list.ts'
import {
  BetPath,
  CancelSchema,
  ChangedPartnerSchema,
  describe,
  describeChange,
  FrameSchema,
  IdempotencyHeader,
  KEY,
  NewBetSchema,
  NewFrameSchema,
  NewPartnerSchema,
  PartnerPath,
  PartnerSchema,
  PlacedSchema,
  SettleSchema,
} from './shapes.ts'
import { BetDetailSchema, BetViewSchema, getBetDetail, showBet } from './views.ts'

export interface RouteDeps extends PlaceDeps {
  readonly feed: Feed
  readonly actions: ActionLog
  readonly keys: KeyChanges
  cashOut(wish: CashoutWish): Promise<CashedOut>
  /** Whether partners may have addresses in our own network. */
  readonly allowsPrivateAddresses: boolean
}

export function addRoutes(api: Routes, deps: RouteDeps): void {
  addPartnerRoutes(api, deps)
  addFrameRoutes(api, deps)
  addBetRoutes(api, deps)
  addResultRoutes(api, deps)
  addEventRoutes(api, deps)
  addDeliveryRoutes(api, deps)
  addFeedRoutes(api, feedRoutes(deps))
  addActionRoutes(api, deps)
  addKeyRoutes(api, deps, { scheme: KEY, tag: 'Keys' })
}

function addPartnerRoutes(api: Routes, deps: RouteDeps): void {
  api.post(
    '/partners',
    describeChange('savePartner', 'Partners', 'Add a partner, or change its address or secret', {
      role: 'admin',
      body: NewPartnerSchema,
      ok: { 201: PartnerSchema },
    }),
    async (request, reply) => {
      const { partnerId, baseUrl, ...given } = request.body
      const secrets = requireSecrets(given)
      const fault = await findFault(baseUrl, deps.allowsPrivateAddresses)
      if (fault !== undefined) throw invalid('/baseUrl', fault)
      await deps.partners.save(deps.actions.by(request), { partnerId, baseUrl, secrets }, deps.clock.now())
      return reply.code(201).send({ partnerId, baseUrl })
    },
  )
  api.get(
    '/partners',
    describe('listPartners', 'Partners', 'Partners with their state and what waits for them', {
      role: 'read',
      querystring: PartnerListQuery,
      ok: { 200: PartnerPageSchema },
    }),
    ({ query }) => listPartners(deps, query),
  )
  api.put(
    '/partners/:partnerId',
    describeChange(
      'changePartner',
      'Partners',
      'Change a partner’s address or secrets, and try each with a harmless call',
      {
        role: 'admin',
        params: PartnerPath,
        body: ChangedPartnerSchema,
        ok: { 200: TriedPartnerSchema },
        problems: { 404: 'not_found' },
      },
    ),
    async (request) => {
      const { partnerId } = request.params
      const { baseUrl, ...given } = request.body
      const secrets = givenSecrets(given)
      const known = await deps.partners.read(partnerId)
      if (known === undefined) throw notFound('the partner')
      const fault = await findFault(baseUrl, deps.allowsPrivateAddresses)
      if (fault !== undefined) throw invalid('/baseUrl', fault)
      const partner = { partnerId, baseUrl, secrets: secrets ?? known.secrets }
      await deps.partners.save(deps.actions.by(request), partner, deps.clock.now())
      return { partnerId, baseUrl, ...(await trySecrets(baseUrl, partner.secrets)) }
    },
  )
}

function addFrameRoutes(api: Routes, deps: RouteDeps): void {
  api.post(
    '/frame-sessions',
    describeChange('loadFrame', 'Partners', 'A user loads the frame: asks the partner for the profile', {
      role: 'support',
      body: NewFrameSchema,
      ok: { 201: FrameSchema },
      problems: { 404: 'not_found', 422: 'partner_refused', 502: 'partner_failed' },
    }),
    async (request, reply) => {
      const { partnerId, token } = request.body
      const loaded = await loadFrame(deps, deps.actions.byUser(request), partnerId, token)
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

function addBetRoutes(api: Routes, deps: RouteDeps): void {
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
      const wanted = withKey(request.body as Wanted, request.headers['idempotency-key'])
      const placed = await placeBet(deps, deps.actions.byUser(request), wanted).catch((error: unknown) => {
        throw toPlaceProblem(error)
      })
      if (placed === undefined) throw notFound('the frame session')
      const { betId, status, reason } = placed
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
    async ({ params }) => (await getBetDetail(deps, params.betId)) ?? fail(notFound('the bet')),
  )
}

/** The header and the member are two ways to say one thing. */
function withKey(wanted: Wanted, idempotencyKey: string | undefined): Wanted {
  if (idempotencyKey === undefined) return wanted
  if (wanted.idempotencyKey !== undefined && wanted.idempotencyKey !== idempotencyKey)
    throw invalid('/idempotencyKey', 'is another one than that of the header Idempotency-Key')
  return { ...wanted, idempotencyKey }
}

function fail(problem: Problem): never {
  throw problem
}

function toPlaceProblem(error: unknown): unknown {
  if (error instanceof Full) return busy
  if (error instanceof BadBet) return invalid(error.pointer, error.message)
  if (!(error instanceof KeyTaken)) return error
  return error.kind === 'running'
    ? conflict('still_running', error.message)
    : new Problem(422, 'idempotency_key_reused', error.message)
}

function addResultRoutes(api: Routes, deps: RouteDeps): void {
  const answer = {
    role: 'cash',
    params: BetPath,
    ok: { 202: BetViewSchema },
    problems: { 409: 'not_possible' },
  } as const
  const changeOf = async (change: Promise<PlatformBet | undefined>) => {
    const bet = await change.catch((error: unknown) => {
      if (error instanceof Full) throw busy
      throw error instanceof NotPossible ? conflict('not_possible', error.message) : error
    })
    if (bet === undefined) throw notFound('the bet')
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
): Promise<PlatformBet | undefined> {
  const { resultType, amount, frameSessionId } = body
  const [bet] = await readBets(deps.db, [betId])
  if (bet === undefined) return undefined
  const payout = parseAmount(amount, scaleOf(deps.scales, bet.currency))
  if (payout === undefined) throw invalid('/amount', `is too large or has more decimals than ${bet.currency}`)
  if (resultType === 'cashout')
    return betOf(
      await deps.cashOut({ author, betId: bet.betId, payout, askedIn: await askedIn(deps, bet, frameSessionId) }),
    )
  if (frameSessionId !== undefined)
    throw invalid('/frameSessionId', 'belongs to a cashout: no other result needs a token')
  return settleBet(deps, author, betId, { resultType, payout })
}

function betOf(cashedOut: CashedOut): PlatformBet | undefined {
  if (cashedOut.kind === 'not_possible') throw new NotPossible(cashedOut.detail)
  return cashedOut.kind === 'taken' ? cashedOut.bet : undefined
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

const ActionQuerySchema = actionQuery({
  on: Type.Optional({
    ...Type.String({ minLength: 1, maxLength: 64 }),
    description: 'Only what was done to this partner, bet, event, delivery or frame session.',
  }),
})

function addActionRoutes(api: Routes, { actions, db }: RouteDeps): void {
  api.get(
    '/actions',
    describe('listActions', 'Actions', 'Who changed what through this API, newest first (O-4)', {
      role: 'read',
      querystring: ActionQuerySchema,
      ok: { 200: ActionPageSchema },
    }),
    ({ query }) => actions.list(db.people, query, query.on),
  )
}
