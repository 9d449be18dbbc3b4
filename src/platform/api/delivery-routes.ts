/** The routes of deliveries: what is told to partners, what needs a person, and sending it again. */

import type { Routes } from '../../http/route.ts'
import { acknowledgeByHand } from '../delivery/acknowledge.ts'
import { sendAgain } from '../delivery/retry.ts'
import { DeliveryListQuery, DeliveryPageSchema, listDeliveries } from './delivery-list.ts'
import { withLadders } from './ladder.ts'
import { orProblem } from './refused.ts'
import {
  getRetry,
  listRetries,
  RetriedSchema,
  RetryDetailSchema,
  RetryListQuery,
  RetryPageSchema,
  RetryPath,
  RetryQuery,
  RetrySchema,
  retryDeliveries,
} from './retries.ts'
import type { RouteDeps } from './routes.ts'
import { AcknowledgeSchema, DeliveryPath, describe, describeChange } from './shapes.ts'
import { DeliverySchema, getDelivery } from './views.ts'

export function addDeliveryRoutes(api: Routes, deps: RouteDeps): void {
  api.get(
    '/deliveries',
    describe('listDeliveries', 'Deliveries', 'Deliveries, the latest decided first, or what needs a person (C-9)', {
      role: 'read',
      querystring: DeliveryListQuery,
      ok: { 200: DeliveryPageSchema },
    }),
    async ({ query }) => {
      const page = await listDeliveries(deps, query)
      return query.ladder === 'true' ? withLadders(deps, page) : page
    },
  )
  api.post(
    '/deliveries/retry',
    describeChange(
      'retryDeliveries',
      'Deliveries',
      'Send all chosen stuck and refused deliveries again, or count them (W-16)',
      { role: 'support', body: RetrySchema, ok: { 200: RetriedSchema } },
    ),
    (request) => retryDeliveries(deps, deps.actions.by(request), request.body),
  )
  api.get(
    '/deliveries/retries',
    describe('listRetries', 'Deliveries', 'Retries of many deliveries, the latest first (C-16)', {
      role: 'read',
      querystring: RetryListQuery,
      ok: { 200: RetryPageSchema },
    }),
    ({ query }) => listRetries(deps, query),
  )
  api.get(
    '/deliveries/retries/:retryId',
    describe(
      'getRetry',
      'Deliveries',
      'How far a retry has come, and what has become of each of its deliveries (C-16)',
      {
        role: 'read',
        params: RetryPath,
        querystring: RetryQuery,
        ok: { 200: RetryDetailSchema },
        problems: { 404: 'not_found' },
      },
    ),
    ({ params, query }) => getRetry(deps, params.retryId, query),
  )
  addByHand(api, deps)
}

/** What a person does with one delivery. */
function addByHand(api: Routes, deps: RouteDeps): void {
  api.post(
    '/deliveries/:deliveryId/retry',
    describeChange(
      'retryDelivery',
      'Deliveries',
      'Send a stuck or refused delivery again: its schedule begins anew (C-4, W-16)',
      { role: 'support', params: DeliveryPath, ok: { 202: DeliverySchema }, problems: { 409: 'not_stuck' } },
    ),
    async (request, reply) => {
      const { params } = request
      const author = deps.actions.by(request)
      orProblem(await sendAgain(deps.db, author, BigInt(params.deliveryId), deps.clock.now()))
      deps.decided()
      return reply.code(202).send(await getDelivery(deps, params.deliveryId))
    },
  )
  api.post(
    '/deliveries/:deliveryId/acknowledge',
    describeChange(
      'acknowledgeDelivery',
      'Deliveries',
      'Say that the partner has done what a stuck or refused delivery asks for; nothing is sent (W-47)',
      {
        role: 'admin',
        params: DeliveryPath,
        body: AcknowledgeSchema,
        ok: { 200: DeliverySchema },
        problems: { 409: 'not_stuck' },
      },
    ),
    async (request) => {
      const { params, body } = request
      const author = deps.actions.by(request, body)
      orProblem(await acknowledgeByHand(deps, author, BigInt(params.deliveryId), body.reason))
      return getDelivery(deps, params.deliveryId)
    },
  )
}
