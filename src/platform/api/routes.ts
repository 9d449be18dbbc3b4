/** The routes of the platform API: what each takes, answers and refuses. */

import { Type } from 'typebox'
import type { Feed } from '../../feed/feed.ts'
import type { Live } from '../../feed/live.ts'
import { addLiveRoute } from '../../feed/live-routes.ts'
import type { Minutes } from '../../feed/minutes.ts'
import { NowSchema, readNow } from '../../feed/now.ts'
import { addFeedRoutes } from '../../feed/routes.ts'
import type { Admission } from '../../http/admission.ts'
import { changedConnection, type GivenConnection, showConnection } from '../../http/connection-member.ts'
import { invalid, notFound } from '../../http/problem.ts'
import type { Routes } from '../../http/route.ts'
import { givenSecrets, requireSecrets } from '../../http/secrets.ts'
import { requireCarried } from '../../http/storable.ts'
import { ActionPageSchema, actionQuery } from '../../people/action-list.ts'
import type { ActionLog, Author } from '../../people/actions.ts'
import { addKeyRoutes } from '../../people/key-routes.ts'
import type { KeyChanges } from '../../people/keys.ts'
import type { Reach } from '../../protocol/base-url.ts'
import { findFault } from '../../wallet-client/base-url.ts'
import { trySecrets, warningOf } from '../../wallet-client/try-secrets.ts'
import type { Changed } from '../bets/bet-flow.ts'
import type { CashoutWish } from '../bets/cashout.ts'
import { loadFrame } from '../bets/frame-session.ts'
import type { PlaceDeps } from '../bets/place.ts'
import type { Results } from '../bets/results.ts'
import { oldestWaiting } from '../metrics.ts'
import type { Partner } from '../partner.ts'
import { addBetRoutes, addResultRoutes } from './bet-routes.ts'
import { feedRoutes } from './changes.ts'
import { addDeliveryRoutes } from './delivery-routes.ts'
import { addEventRoutes } from './event-routes.ts'
import { listPartners, PartnerListQuery, PartnerPageSchema, TriedPartnerSchema } from './partner-list.ts'
import { orProblem } from './refused.ts'
import {
  ChangedPartnerSchema,
  describe,
  describeChange,
  FrameSchema,
  KEY,
  NewFrameSchema,
  NewPartnerSchema,
  PartnerPath,
} from './shapes.ts'
import { addShowRoute } from './show.ts'

export interface RouteDeps extends PlaceDeps {
  readonly feed: Feed
  readonly live: Live
  readonly admission: Admission
  readonly minutes: Minutes
  readonly actions: ActionLog
  readonly keys: KeyChanges
  readonly results: Results
  cashOut(wish: CashoutWish): Promise<Changed>
  readonly reach: Reach
}

export function addRoutes(api: Routes, deps: RouteDeps): void {
  addPartnerRoutes(api, deps)
  addFrameRoutes(api, deps)
  addBetRoutes(api, deps)
  addResultRoutes(api, deps)
  addEventRoutes(api, deps)
  addDeliveryRoutes(api, deps)
  addNowRoute(api, deps)
  addShowRoute(api, deps)
  addFeedRoutes(api, feedRoutes(deps))
  addLiveRoute(api, { ...deps, key: KEY, tag: 'Changes' })
  addActionRoutes(api, deps)
  addKeyRoutes(api, deps, { scheme: KEY, tag: 'Keys' })
}

function addPartnerRoutes(api: Routes, deps: RouteDeps): void {
  api.post(
    '/partners',
    describeChange(
      'savePartner',
      'Partners',
      'Add a partner, or change its address or secret, and try each with a harmless call',
      { role: 'admin', body: NewPartnerSchema, ok: { 201: TriedPartnerSchema } },
    ),
    async (request, reply) => {
      const { partnerId, baseUrl, connection, ...given } = request.body
      requireCarried(partnerId, '/partnerId')
      const secrets = requireSecrets(given)
      const known = await deps.partners.read(partnerId).catch(() => undefined) // what cannot be read is replaced all the same
      const change = { partnerId, baseUrl, secrets, connection }
      const saved = await saveAndTry(deps, deps.actions.by(request), change, known)
      return reply.code(201).send(saved)
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
      const { baseUrl, connection, ...given } = request.body
      const secrets = givenSecrets(given)
      const known = await deps.partners.read(partnerId)
      if (known === undefined) throw notFound('the partner')
      const change = { partnerId, baseUrl, secrets: secrets ?? known.secrets, connection }
      return saveAndTry(deps, deps.actions.by(request), change, known)
    },
  )
}

/** It is saved whatever the partner answers, or if it answers nothing. */
async function saveAndTry(
  { partners, clock, reach }: RouteDeps,
  author: Author,
  change: Omit<Partner, 'connection'> & { readonly connection: GivenConnection },
  known: Partner | undefined,
) {
  const { partnerId, baseUrl, secrets } = change
  const fault = await findFault(baseUrl, reach)
  if (fault !== undefined) throw invalid('/baseUrl', fault)
  const to = { url: baseUrl, urlPointer: '/baseUrl' }
  const connection = changedConnection(change.connection, known?.connection ?? {}, to)
  const partner = { partnerId, baseUrl, secrets, connection }
  await partners.save(author, partner, clock.now())
  const tried = await trySecrets(partner, reach, 'platform')
  return { partnerId, baseUrl, ...showConnection(connection), ...tried, ...warningOf(known?.secrets, secrets) }
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
      const { frameSessionId, profile } = orProblem(
        await loadFrame(deps, deps.actions.byUser(request), partnerId, token),
      )
      return reply.code(201).send({ frameSessionId, profile })
    },
  )
}

function addNowRoute(api: Routes, { db, clock, minutes }: RouteDeps): void {
  api.get(
    '/now',
    describe(
      'readNow',
      'Deliveries',
      'The calls of the last hour by minute and partner, and the oldest delivery that is not over',
      {
        role: 'read',
        ok: { 200: PlatformNowSchema },
      },
    ),
    async () => {
      const [now, oldest] = await Promise.all([readNow(minutes, clock.now()), oldestWaiting(db)])
      return { ...now, ...(oldest && { oldestWaiting: oldest.toISOString() }) }
    },
  )
}

const PlatformNowSchema = Type.Object({
  ...NowSchema.properties,
  oldestWaiting: Type.Optional({
    ...Type.String({ format: 'date-time' }),
    description: 'When the oldest delivery that is not over was decided. Absent: none waits.',
  }),
})

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
