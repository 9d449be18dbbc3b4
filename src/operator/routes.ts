/** The routes of the operator API: what each takes, answers and refuses. Handlers live beside their stores. */

import { Type } from 'typebox'
import { CallPageSchema, callQuery, listCalls } from '../feed/call-list.ts'
import type { Feed } from '../feed/feed.ts'
import type { Live } from '../feed/live.ts'
import { addLiveRoute } from '../feed/live-routes.ts'
import type { Minutes } from '../feed/minutes.ts'
import { NowSchema, readNow } from '../feed/now.ts'
import { addFeedRoutes } from '../feed/routes.ts'
import { forCaller } from '../feed/webhooks/logged.ts'
import { addWebhookRoutes, type WebhookDeps } from '../feed/webhooks/routes.ts'
import type { Admission } from '../http/admission.ts'
import { callerOf, mayDo } from '../http/caller.ts'
import type { Routes } from '../http/route.ts'
import { ActionPageSchema, actionQuery } from '../people/action-list.ts'
import type { ActionLog } from '../people/actions.ts'
import { addKeyRoutes } from '../people/key-routes.ts'
import type { KeyChanges } from '../people/keys.ts'
import type { LastAudit } from '../people/last-audit.ts'
import { UserIdSchema } from '../protocol/bet-request.ts'
import { REPLY_CODES } from '../protocol/codes.ts'
import type { Rules } from '../wallet/decide/decision.ts'
import { addAdjustmentRoutes } from './adjustment-routes.ts'
import type { AdjustDeps } from './adjustments.ts'
import { AnomalyListSchema, AnomalyQuerySchema, listAnomalies } from './anomaly-list.ts'
import { BetListSchema, BetQuerySchema, listBets } from './bet-list.ts'
import { BetHistorySchema, getBet, setLock } from './bets.ts'
import { EVENTS, feedRoutes } from './changes.ts'
import { addConformanceRoutes } from './conformance-routes.ts'
import type { ConformanceRuns } from './conformance-runs.ts'
import type { CoolingOff } from './cooling-off.ts'
import { addMoneyRoutes } from './money-routes.ts'
import { findPlayer } from './operator.ts'
import { openPersonalData, PersonalDataSchema } from './personal-data.ts'
import { listPlayers, PlayerListSchema, PlayerQuerySchema } from './player-list.ts'
import { createPlayer, getPlayer, NewPlayerSchema, PlayerPatchSchema, PlayerSchema, patchPlayer } from './players.ts'
import { addReportRoutes } from './report-routes.ts'
import { addSessionRoutes } from './session-routes.ts'
import { BetPath, describe, describeChange, KEY, PlayerPath } from './shapes.ts'
import { addShowRoute } from './show-id.ts'

export interface RouteDeps extends AdjustDeps, Omit<WebhookDeps, 'db'> {
  readonly clawback: Rules['clawback']
  readonly coolingOff: CoolingOff
  readonly actions: ActionLog
  readonly lastAudit: Pick<LastAudit, 'audited'>
  readonly keys: KeyChanges
  readonly feed: Feed
  readonly live: Live
  readonly admission: Admission
  readonly minutes: Minutes
  readonly conformance: ConformanceRuns
}

export function addRoutes(api: Routes, deps: RouteDeps): void {
  addPlayerRoutes(api, deps)
  addSessionRoutes(api, deps)
  addMoneyRoutes(api, deps)
  addAdjustmentRoutes(api, deps)
  addBetRoutes(api, deps)
  addActionRoutes(api, deps)
  addCallRoutes(api, deps)
  addShowRoute(api, deps)
  addFeedRoutes(api, feedRoutes(deps))
  addLiveRoute(api, { ...deps, key: KEY, tag: 'Operator: changes' })
  addReportRoutes(api, deps)
  addConformanceRoutes(api, deps)
  addWebhookRoutes(api, deps, { key: KEY, tag: 'Operator: webhooks', events: EVENTS })
  addKeyRoutes(api, deps, { scheme: KEY, tag: 'Operator: keys' })
}

function addPlayerRoutes(api: Routes, deps: RouteDeps): void {
  const tag = 'Players'
  api.post(
    '/players',
    describeChange('createPlayer', tag, 'Create a player; the same again answers 200', {
      role: 'support',
      body: NewPlayerSchema,
      ok: { 200: PlayerSchema, 201: PlayerSchema },
      problems: { 409: 'player_differs, being_erased' },
    }),
    async (request, reply) => {
      const { status, body } = await createPlayer(deps, deps.actions.by(request), request.body)
      return reply.code(status).send(body)
    },
  )
  api.get(
    '/players',
    describe('listPlayers', tag, 'Find players by the beginning of an id or nickname, or by an e-mail address', {
      role: 'read',
      querystring: PlayerQuerySchema,
      ok: { 200: PlayerListSchema },
    }),
    (request) => listPlayers(deps, request.query, mayDo(callerOf(request), 'support')),
  )
  api.get(
    '/players/:userId',
    describe('readPlayer', tag, 'Read a player', { role: 'read', params: PlayerPath, ok: { 200: PlayerSchema } }),
    (request) => getPlayer(deps, request.params.userId),
  )
  api.patch(
    '/players/:userId',
    describeChange(
      'changePlayer',
      tag,
      'Block, exclude, verify, limit a player, or change the profile; 202 when a part of it has to wait (W-50)',
      {
        role: 'support',
        params: PlayerPath,
        body: PlayerPatchSchema,
        ok: { 200: PlayerSchema, 202: PlayerSchema },
      },
    ),
    async (request, reply) => {
      const { params, body } = request
      const patched = await patchPlayer(deps, deps.actions.by(request), params.userId, body)
      return reply.code(patched.status).send(patched.body)
    },
  )
  api.post(
    '/players/:userId/personal-data',
    describeChange('openPersonalData', tag, 'Open who a player is: it is kept who did, and what was shown (O-15)', {
      role: 'support',
      params: PlayerPath,
      ok: { 200: PersonalDataSchema },
    }),
    (request) => openPersonalData(deps, deps.actions.by(request), request.params.userId),
  )
}

const LOCKS = [
  { method: 'PUT', locked: true, operationId: 'lockBet', summary: "Lock a bet's result: changes answer code 20" },
  { method: 'DELETE', locked: false, operationId: 'unlockBet', summary: 'Unlock a bet' },
] as const

function addBetRoutes(api: Routes, deps: RouteDeps): void {
  const tag = 'Bets'
  api.get(
    '/bets',
    describe('listBets', tag, 'Bets, newest first', {
      role: 'read',
      querystring: BetQuerySchema,
      ok: { 200: BetListSchema },
    }),
    (request) => listBets(deps, request.query),
  )
  api.get(
    '/players/:userId/bets/:transactionId',
    describe('readBet', tag, 'A bet and its whole history', {
      role: 'read',
      params: BetPath,
      ok: { 200: BetHistorySchema },
    }),
    (request) => getBet(deps, request.params.userId, request.params.transactionId),
  )
  for (const { method, locked, operationId, summary } of LOCKS) {
    api.route({
      method,
      url: '/players/:userId/bets/:transactionId/lock',
      ...describeChange(operationId, tag, summary, { role: 'support', params: BetPath, ok: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await setLock(deps, deps.actions.by(request), request.params, locked)
        return reply.code(204).send()
      },
    })
  }
  api.get(
    '/anomalies',
    describe('listAnomalies', tag, 'Calls that contradict a bet, newest first', {
      role: 'read',
      querystring: AnomalyQuerySchema,
      ok: { 200: AnomalyListSchema },
    }),
    (request) => listAnomalies(deps, request.query),
  )
}

const ActionQuerySchema = actionQuery({
  player: Type.Optional({ ...UserIdSchema, description: 'Only what was done to this player.' }),
})

function addActionRoutes(api: Routes, deps: RouteDeps): void {
  const { actions, db } = deps
  api.get(
    '/players/:userId/history',
    describe(
      'readHistory',
      'Players',
      'Who blocked, limited, excluded or changed the player or locked bets, newest first',
      {
        role: 'read',
        params: PlayerPath,
        querystring: actionQuery({}),
        ok: { 200: ActionPageSchema },
      },
    ),
    async ({ params, query }) => {
      const { player } = await findPlayer(deps, params.userId)
      return actions.list(db.people, query, player.id, 'history')
    },
  )
  api.get(
    '/players/:userId/personal-data',
    describe('listOpenings', 'Players', 'Who opened the personal data of the player, newest first (O-15)', {
      role: 'read',
      params: PlayerPath,
      querystring: actionQuery({}),
      ok: { 200: ActionPageSchema },
    }),
    async ({ params, query }) => {
      const { player } = await findPlayer(deps, params.userId)
      return actions.list(db.people, query, player.id, 'openings')
    },
  )
  api.get(
    '/actions',
    describe('listActions', 'Actions', 'Who changed what through this API, newest first (O-4)', {
      role: 'read',
      querystring: ActionQuerySchema,
      ok: { 200: ActionPageSchema },
    }),
    async (request) => {
      const { player } = request.query
      const only = player === undefined ? undefined : 'player'
      return forCaller(callerOf(request), await actions.list(db.people, request.query, player, only))
    },
  )
}

function addCallRoutes(api: Routes, { db, clock, minutes }: RouteDeps): void {
  api.get(
    '/now',
    describe(
      'readNow',
      'Calls',
      'The calls of the last hour by minute: how many, how they came out, how long they took',
      {
        role: 'read',
        ok: { 200: NowSchema },
      },
    ),
    () => readNow(minutes, clock.now()),
  )
  api.get(
    '/calls',
    describe('listCalls', 'Calls', 'Calls of the wire as they came and were answered, newest first (W-30)', {
      role: 'support',
      querystring: callQuery(
        ['accepted', ...Object.keys(REPLY_CODES)],
        Object.values(REPLY_CODES).map(({ code }) => code),
      ),
      ok: { 200: CallPageSchema },
    }),
    ({ query }) => listCalls(db.people, 'purser', query),
  )
}
