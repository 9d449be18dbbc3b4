/**
 * Routes of the operator API with their schemas. The handlers are in the folders next to this file.
 */

import { UserIdSchema } from '@purser/protocol/bet-request'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { KeyChanges } from '../../core/auth/api-key-changes.ts'
import { addKeyRoutes } from '../../core/auth/api-key-routes.ts'
import type { AuditLog } from '../../core/auth/audit-log/audit-log.ts'
import { AuditLogPageSchema, defineAuditLogQuery } from '../../core/auth/audit-log/audit-log-list.ts'
import type { LastAudit } from '../../core/auth/audit-log/last-audit.ts'
import type { CallStats } from '../../core/call-journal/call-stats.ts'
import { defineCallQuery, JournalCallPageSchema, listCalls } from '../../core/call-journal/journal-call-list.ts'
import { LastHourSchema, readLastHour } from '../../core/call-journal/last-hour-stats.ts'
import type { Feed } from '../../core/change-feed/change-feed.ts'
import type { ChangeNotifier } from '../../core/change-feed/change-notifier.ts'
import { addChangeNotifierRoute } from '../../core/change-feed/change-notifier-routes.ts'
import { addFeedRoutes } from '../../core/change-feed/feed-routes.ts'
import { registerApi } from '../../core/http/api/api.ts'
import type { Authenticator } from '../../core/http/api/authentication.ts'
import { hasRole, principalOf } from '../../core/http/api/principal.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import type { ApiMetrics } from '../../core/observability/api-metrics.ts'
import { addWebhookRoutes, redactWebhookUrls, type WebhookDeps } from '../../core/webhooks/webhook-routes.ts'
import type { Rules } from '../rules/decision.ts'
import { AnomalyListSchema, AnomalyQuerySchema, listAnomalies } from './bets/anomaly-list.ts'
import { BetHistorySchema, getBet, setResultLock } from './bets/bet-detail.ts'
import { BetListSchema, BetQuerySchema, listBets } from './bets/bet-list.ts'
import { createBrandScopes } from './brand-scopes.ts'
import { addConformanceRoutes } from './conformance/conformance-routes.ts'
import type { ConformanceRuns } from './conformance/conformance-runs.ts'
import { addWalletLookupRoute } from './lookup/id-lookup.ts'
import { addAdjustmentRoutes } from './money/adjustment-routes.ts'
import type { AdjustmentDeps } from './money/adjustments.ts'
import { addMoneyRoutes } from './money/money-routes.ts'
import { findPlayer } from './operator-context.ts'
import {
  describeOperatorChange,
  describeOperatorRoute,
  OPERATOR_KEY,
  PlayerBetPath,
  PlayerPath,
} from './operator-schemas.ts'
import type { CoolingOff } from './players/cooling-off.ts'
import { listPlayers, PlayerListSchema, PlayerQuerySchema } from './players/player-list.ts'
import {
  createPlayer,
  getPlayer,
  NewPlayerSchema,
  openPersonalData,
  PersonalDataSchema,
  PlayerPatchSchema,
  PlayerSchema,
  patchPlayer,
} from './players/player-profile.ts'
import { addSessionRoutes } from './players/session-routes.ts'
import { addReportRoutes } from './reports/report-routes.ts'
import { createWalletFeedRoutes, WALLET_EVENTS } from './wallet-feed-events.ts'

interface OperatorRouteDeps extends AdjustmentDeps, Omit<WebhookDeps, 'db'> {
  readonly clawback: Rules['clawback']
  readonly coolingOff: CoolingOff
  readonly actions: AuditLog
  readonly lastAudit: Pick<LastAudit, 'audited'>
  readonly keys: KeyChanges
  readonly feed: Feed
  readonly live: ChangeNotifier
  readonly admission: Authenticator
  readonly minutes: CallStats
  readonly conformance: ConformanceRuns
}

function addOperatorRoutes(api: Routes, deps: OperatorRouteDeps): void {
  addPlayerRoutes(api, deps)
  addPersonalDataRoute(api, deps)
  addSessionRoutes(api, deps)
  addMoneyRoutes(api, deps)
  addAdjustmentRoutes(api, deps)
  addBetRoutes(api, deps)
  addActionRoutes(api, deps)
  addCallRoutes(api, deps)
  addWalletLookupRoute(api, deps)
  addFeedRoutes(api, createWalletFeedRoutes(deps))
  addChangeNotifierRoute(api, { ...deps, key: OPERATOR_KEY, tag: 'Operator: changes' })
  addReportRoutes(api, deps)
  addConformanceRoutes(api, deps)
  addWebhookRoutes(api, deps, { key: OPERATOR_KEY, tag: 'Operator: webhooks', events: WALLET_EVENTS })
  addKeyRoutes(api, deps, { scheme: OPERATOR_KEY, tag: 'Operator: keys' })
}

function addPlayerRoutes(api: Routes, deps: OperatorRouteDeps): void {
  const tag = 'Players'
  api.post(
    '/players',
    describeOperatorChange('createPlayer', tag, 'Create a player; a repeat returns 200', {
      role: 'support',
      body: NewPlayerSchema,
      ok: { 200: PlayerSchema, 201: PlayerSchema },
      problems: { 409: 'player_differs, being_erased' },
    }),
    async (request, reply) => {
      const { status, body } = await createPlayer(deps, deps.actions.actorOf(request), request.body)
      return reply.code(status).send(body)
    },
  )
  api.get(
    '/players',
    describeOperatorRoute(
      'listPlayers',
      tag,
      'Find players by the beginning of an id or nickname, or by an e-mail address',
      {
        role: 'read',
        querystring: PlayerQuerySchema,
        ok: { 200: PlayerListSchema },
      },
    ),
    (request) => listPlayers(deps, request.query, hasRole(principalOf(request), 'support')),
  )
  api.get(
    '/players/:userId',
    describeOperatorRoute('readPlayer', tag, 'Read a player', {
      role: 'read',
      params: PlayerPath,
      ok: { 200: PlayerSchema },
    }),
    (request) => getPlayer(deps, request.params.userId),
  )
  api.patch(
    '/players/:userId',
    describeOperatorChange(
      'changePlayer',
      tag,
      'Block, exclude, verify or limit a player, or change the profile; 202 if a part has to wait (W-50)',
      {
        role: 'support',
        params: PlayerPath,
        body: PlayerPatchSchema,
        ok: { 200: PlayerSchema, 202: PlayerSchema },
      },
    ),
    async (request, reply) => {
      const { params, body } = request
      const patched = await patchPlayer(deps, deps.actions.actorOf(request), params.userId, body)
      return reply.code(patched.status).send(patched.body)
    },
  )
}

function addPersonalDataRoute(api: Routes, deps: OperatorRouteDeps): void {
  api.post(
    '/players/:userId/personal-data',
    describeOperatorChange(
      'openPersonalData',
      'Players',
      "Reveal a player's personal data; the access is logged (O-15)",
      {
        role: 'support',
        params: PlayerPath,
        ok: { 200: PersonalDataSchema },
      },
    ),
    (request) => openPersonalData(deps, deps.actions.actorOf(request), request.params.userId),
  )
}

const LOCKS = [
  { method: 'PUT', locked: true, operationId: 'lockBet', summary: "Lock a bet's result; changes get code 20" },
  { method: 'DELETE', locked: false, operationId: 'unlockBet', summary: 'Unlock a bet' },
] as const

function addBetRoutes(api: Routes, deps: OperatorRouteDeps): void {
  const tag = 'Bets'
  api.get(
    '/bets',
    describeOperatorRoute('listBets', tag, 'List bets, newest first', {
      role: 'read',
      querystring: BetQuerySchema,
      ok: { 200: BetListSchema },
    }),
    (request) => listBets(deps, request.query),
  )
  api.get(
    '/players/:userId/bets/:transactionId',
    describeOperatorRoute('readBet', tag, 'Read a bet and its whole history', {
      role: 'read',
      params: PlayerBetPath,
      ok: { 200: BetHistorySchema },
    }),
    (request) => getBet(deps, request.params.userId, request.params.transactionId),
  )
  for (const { method, locked, operationId, summary } of LOCKS) {
    api.route({
      method,
      url: '/players/:userId/bets/:transactionId/lock',
      ...describeOperatorChange(operationId, tag, summary, {
        role: 'support',
        params: PlayerBetPath,
        ok: { 204: Type.Null() },
      }),
      handler: async (request, reply) => {
        await setResultLock(deps, deps.actions.actorOf(request), request.params, locked)
        return reply.code(204).send()
      },
    })
  }
  api.get(
    '/anomalies',
    describeOperatorRoute('listAnomalies', tag, 'List anomalies: calls that contradict their bet, newest first', {
      role: 'read',
      querystring: AnomalyQuerySchema,
      ok: { 200: AnomalyListSchema },
    }),
    (request) => listAnomalies(deps, request.query),
  )
}

const ActionQuerySchema = defineAuditLogQuery({
  player: Type.Optional({ ...UserIdSchema, description: 'Only entries about this player.' }),
})

function addActionRoutes(api: Routes, deps: OperatorRouteDeps): void {
  const { actions, db } = deps
  api.get(
    '/players/:userId/history',
    describeOperatorRoute(
      'readHistory',
      'Players',
      'List changes to the player and locks of bets with their actors, newest first',
      {
        role: 'read',
        params: PlayerPath,
        querystring: defineAuditLogQuery({}),
        ok: { 200: AuditLogPageSchema },
      },
    ),
    async ({ params, query }) => {
      const { player } = await findPlayer(deps, params.userId)
      return actions.list(db.userQueries, query, player.id, 'history')
    },
  )
  api.get(
    '/players/:userId/personal-data',
    describeOperatorRoute('listOpenings', 'Players', "Accesses to the player's personal data, newest first (O-15)", {
      role: 'read',
      params: PlayerPath,
      querystring: defineAuditLogQuery({}),
      ok: { 200: AuditLogPageSchema },
    }),
    async ({ params, query }) => {
      const { player } = await findPlayer(deps, params.userId)
      return actions.list(db.userQueries, query, player.id, 'openings')
    },
  )
  api.get(
    '/actions',
    describeOperatorRoute('listActions', 'Actions', 'List the audit log of this API, newest first (O-4)', {
      role: 'read',
      querystring: ActionQuerySchema,
      ok: { 200: AuditLogPageSchema },
    }),
    async (request) => {
      const { player } = request.query
      const only = player === undefined ? undefined : 'player'
      return redactWebhookUrls(principalOf(request), await actions.list(db.userQueries, request.query, player, only))
    },
  )
}

function addCallRoutes(api: Routes, { db, clock, minutes }: OperatorRouteDeps): void {
  api.get(
    '/now',
    describeOperatorRoute(
      'readNow',
      'Calls',
      'Count the calls of the last hour by minute, with outcomes and durations',
      {
        role: 'read',
        ok: { 200: LastHourSchema },
      },
    ),
    () => readLastHour(minutes, clock.now()),
  )
  api.get(
    '/calls',
    describeOperatorRoute(
      'listCalls',
      'Calls',
      'List calls of the partner wire with request and response, newest first (W-30)',
      {
        role: 'support',
        querystring: defineCallQuery(
          ['accepted', ...Object.keys(REPLY_CODES)],
          Object.values(REPLY_CODES).map(({ code }) => code),
        ),
        ok: { 200: JournalCallPageSchema },
      },
    ),
    ({ query }) => listCalls(db.userQueries, 'purser', query),
  )
}

/** Body limit; a player with all members uses a quarter. */
const BODY_BYTES = 64 * 1024

interface OperatorServerDeps extends OperatorRouteDeps {
  readonly apiCalls: ApiMetrics
  readonly log: Logger
}

export async function registerOperator(app: FastifyInstance, deps: OperatorServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  const own = { prefix: '/operator', admission, bodyBytes: BODY_BYTES, log, calls, scopes: createBrandScopes(deps) }
  await registerApi(app, own, (api) => addOperatorRoutes(api, deps))
}
