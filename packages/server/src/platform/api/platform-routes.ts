/** Routes of the platform API. */

import { findAddressFault } from '@purser/protocol/client/network/ssrf-guard'
import { probeSecrets, toRotationWarning } from '@purser/protocol/client/secret-probe'
import type { Reach } from '@purser/protocol/values/base-url'
import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { KeyChanges } from '../../core/auth/api-key-changes.ts'
import { addKeyRoutes } from '../../core/auth/api-key-routes.ts'
import type { Actor, AuditLog } from '../../core/auth/audit-log/audit-log.ts'
import { AuditLogPageSchema, defineAuditLogQuery } from '../../core/auth/audit-log/audit-log-list.ts'
import type { CallStats } from '../../core/call-journal/call-stats.ts'
import { LastHourSchema, readLastHour } from '../../core/call-journal/last-hour-stats.ts'
import type { Feed } from '../../core/change-feed/change-feed.ts'
import type { ChangeNotifier } from '../../core/change-feed/change-notifier.ts'
import { addChangeNotifierRoute } from '../../core/change-feed/change-notifier-routes.ts'
import { addFeedRoutes } from '../../core/change-feed/feed-routes.ts'
import { registerApi } from '../../core/http/api/api.ts'
import type { Authenticator } from '../../core/http/api/authentication.ts'
import { invalid, notFound } from '../../core/http/api/problem-details.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import { requirePathSafe } from '../../core/http/api/storable-text.ts'
import type { ApiMetrics } from '../../core/observability/api-metrics.ts'
import { changedConnection, type GivenConnection, showConnection } from '../../core/partners/connection-member.ts'
import { readSecrets, requireSecrets } from '../../core/partners/secret-members.ts'
import type { BetChangeOutcome } from '../bets/bet-flow.ts'
import type { CashoutRequest } from '../bets/cashout.ts'
import type { EventResults } from '../bets/event-results.ts'
import { openFrameSession } from '../bets/frame-session.ts'
import type { Partner } from '../partner-clients.ts'
import type { PlaceDeps } from '../placement/bet-placement.ts'
import { readOldestWaiting } from '../platform-metrics.ts'
import { addBetRoutes, addResultRoutes } from './bet-routes.ts'
import { addDeliveryRoutes } from './deliveries/delivery-routes.ts'
import { addEventRoutes } from './event-routes.ts'
import { partnerScopes } from './partner-key-scopes.ts'
import { listPartners, PartnerListQuery, PartnerPageSchema, TriedPartnerSchema } from './partner-list.ts'
import { platformFeedRoutes } from './platform-change-views.ts'
import { addPlatformLookupRoute } from './platform-lookup.ts'
import {
  ChangedPartnerSchema,
  describePlatformChange,
  describePlatformRoute,
  FrameSchema,
  NewFrameSchema,
  NewPartnerSchema,
  PartnerPath,
  PLATFORM_KEY,
} from './platform-schemas.ts'
import { orThrowProblem } from './refusal-status.ts'

export interface PlatformRouteDeps extends PlaceDeps {
  readonly feed: Feed
  readonly live: ChangeNotifier
  readonly admission: Authenticator
  readonly minutes: CallStats
  readonly actions: AuditLog
  readonly keys: KeyChanges
  readonly results: EventResults
  cashOut(request: CashoutRequest): Promise<BetChangeOutcome>
  readonly reach: Reach
}

function addPlatformRoutes(api: Routes, deps: PlatformRouteDeps): void {
  addPartnerRoutes(api, deps)
  addFrameRoutes(api, deps)
  addBetRoutes(api, deps)
  addResultRoutes(api, deps)
  addEventRoutes(api, deps)
  addDeliveryRoutes(api, deps)
  addNowRoute(api, deps)
  addPlatformLookupRoute(api, deps)
  addFeedRoutes(api, platformFeedRoutes(deps))
  addChangeNotifierRoute(api, { ...deps, key: PLATFORM_KEY, tag: 'Changes' })
  addActionRoutes(api, deps)
  addKeyRoutes(api, deps, { scheme: PLATFORM_KEY, tag: 'Keys' })
}

function addPartnerRoutes(api: Routes, deps: PlatformRouteDeps): void {
  api.post(
    '/partners',
    describePlatformChange(
      'savePartner',
      'Partners',
      'Add a partner, or change its address or secret; a harmless call tries each secret',
      { role: 'admin', body: NewPartnerSchema, ok: { 201: TriedPartnerSchema } },
    ),
    async (request, reply) => {
      const { partnerId, baseUrl, connection, ...given } = request.body
      requirePathSafe(partnerId, '/partnerId')
      const secrets = requireSecrets(given)
      const known = await deps.partners.read(partnerId).catch(() => undefined) // unreadable secrets are replaced too
      const change = { partnerId, baseUrl, secrets, connection }
      const saved = await saveAndTry(deps, deps.actions.actorOf(request), change, known)
      return reply.code(201).send(saved)
    },
  )
  api.get(
    '/partners',
    describePlatformRoute('listPartners', 'Partners', 'List partners with their state and outstanding money', {
      role: 'read',
      querystring: PartnerListQuery,
      ok: { 200: PartnerPageSchema },
    }),
    ({ query }) => listPartners(deps, query),
  )
  api.put(
    '/partners/:partnerId',
    describePlatformChange(
      'changePartner',
      'Partners',
      'Change a partner’s address or secrets; a harmless call tries each secret',
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
      const { baseUrl, connection, ...given } = request.body
      const secrets = readSecrets(given)
      const known = await deps.partners.read(partnerId)
      if (known === undefined) throw notFound('the partner')
      const change = { partnerId, baseUrl, secrets: secrets ?? known.secrets, connection }
      return saveAndTry(deps, deps.actions.actorOf(request), change, known)
    },
  )
}

/**
 * Saves the partner, then tries its secrets. The answer of the partner does not matter for the
 * saving.
 */
async function saveAndTry(
  { partners, clock, reach }: PlatformRouteDeps,
  author: Actor,
  change: Omit<Partner, 'connection'> & { readonly connection: GivenConnection },
  known: Partner | undefined,
) {
  const { partnerId, baseUrl, secrets } = change
  const fault = await findAddressFault(baseUrl, reach)
  if (fault !== undefined) throw invalid('/baseUrl', fault)
  const to = { url: baseUrl, urlPointer: '/baseUrl' }
  const connection = changedConnection(change.connection, known?.connection ?? {}, to)
  const partner = { partnerId, baseUrl, secrets, connection }
  await partners.save(author, partner, clock.now())
  const tried = await probeSecrets(partner, reach, 'platform')
  return { partnerId, baseUrl, ...showConnection(connection), ...tried, ...toRotationWarning(known?.secrets, secrets) }
}

function addFrameRoutes(api: Routes, deps: PlatformRouteDeps): void {
  api.post(
    '/frame-sessions',
    describePlatformChange(
      'loadFrame',
      'Partners',
      "Create a frame session; the partner is asked for the user's profile",
      {
        role: 'support',
        body: NewFrameSchema,
        ok: { 201: FrameSchema },
        problems: { 404: 'not_found', 422: 'partner_refused', 502: 'partner_failed' },
      },
    ),
    async (request, reply) => {
      const { partnerId, token } = request.body
      const { frameSessionId, profile } = orThrowProblem(
        await openFrameSession(deps, deps.actions.userActorOf(request), partnerId, token),
      )
      return reply.code(201).send({ frameSessionId, profile })
    },
  )
}

function addNowRoute(api: Routes, { db, clock, minutes }: PlatformRouteDeps): void {
  api.get(
    '/now',
    describePlatformRoute(
      'readNow',
      'Deliveries',
      'Count the calls of the last hour by minute and partner, and show the oldest open delivery',
      {
        role: 'read',
        ok: { 200: PlatformNowSchema },
      },
    ),
    async () => {
      const [now, oldest] = await Promise.all([readLastHour(minutes, clock.now()), readOldestWaiting(db)])
      return { ...now, ...(oldest && { oldestWaiting: oldest.toISOString() }) }
    },
  )
}

const PlatformNowSchema = Type.Object({
  ...LastHourSchema.properties,
  oldestWaiting: Type.Optional({
    ...Type.String({ format: 'date-time' }),
    description: 'The time at which the oldest open delivery was decided. It is absent if no delivery is open.',
  }),
})

const ActionQuerySchema = defineAuditLogQuery({
  on: Type.Optional({
    ...Type.String({ minLength: 1, maxLength: 64 }),
    description: 'Only entries about this partner, bet, event, delivery or frame session.',
  }),
})

function addActionRoutes(api: Routes, { actions, db }: PlatformRouteDeps): void {
  api.get(
    '/actions',
    describePlatformRoute('listActions', 'Actions', 'List the audit log of this API, newest first (O-4)', {
      role: 'read',
      querystring: ActionQuerySchema,
      ok: { 200: AuditLogPageSchema },
    }),
    ({ query }) => actions.list(db.userQueries, query, query.on),
  )
}

/** Enough for an event with all its outcomes. */
const BODY_BYTES = 256 * 1024

interface PlatformServerDeps extends PlatformRouteDeps {
  readonly apiCalls: ApiMetrics
  readonly log: Logger
}

export async function registerPlatform(app: FastifyInstance, deps: PlatformServerDeps): Promise<void> {
  const { admission, apiCalls: calls, log } = deps
  const own = { prefix: '', admission, bodyBytes: BODY_BYTES, log, calls, scopes: partnerScopes(deps) }
  await registerApi(app, own, (api) => addPlatformRoutes(api, deps))
}
