/** Routes of deliveries: lists, retries and acknowledgements. */

import type { Routes } from '../../../core/http/api/route-description.ts'
import { acknowledgeManually } from '../../delivery/manual-acknowledgement.ts'
import { retryDelivery } from '../../delivery/manual-retry.ts'
import type { PlatformRouteDeps } from '../platform-routes.ts'
import { AcknowledgeSchema, DeliveryPath, describePlatformChange, describePlatformRoute } from '../platform-schemas.ts'
import { DeliverySchema, getDelivery } from '../platform-views.ts'
import { orThrowProblem } from '../refusal-status.ts'
import { withAttemptSchedules } from './attempt-schedule.ts'
import {
  getRetry,
  listRetries,
  RetryDetailSchema,
  RetryListQuery,
  RetryPageSchema,
  RetryPath,
  RetryQuery,
  RetryResultSchema,
  RetrySchema,
  retryDeliveries,
} from './bulk-retries.ts'
import { DeliveryListQuery, DeliveryPageSchema, listDeliveries } from './delivery-list.ts'

export function addDeliveryRoutes(api: Routes, deps: PlatformRouteDeps): void {
  api.get(
    '/deliveries',
    describePlatformRoute(
      'listDeliveries',
      'Deliveries',
      'List deliveries, newest first, or only deliveries that need attention (C-9)',
      {
        role: 'read',
        querystring: DeliveryListQuery,
        ok: { 200: DeliveryPageSchema },
      },
    ),
    async ({ query }) => {
      const page = await listDeliveries(deps, query)
      return query.schedule === 'true' ? withAttemptSchedules(deps, page) : page
    },
  )
  api.post(
    '/deliveries/retry',
    describePlatformChange(
      'retryDeliveries',
      'Deliveries',
      'Retry all selected stuck and rejected deliveries, or count them (W-16)',
      { role: 'support', body: RetrySchema, ok: { 200: RetryResultSchema } },
    ),
    (request) => retryDeliveries(deps, deps.actions.actorOf(request), request.body),
  )
  api.get(
    '/deliveries/retries',
    describePlatformRoute('listRetries', 'Deliveries', 'List bulk retries, newest first (C-16)', {
      role: 'read',
      querystring: RetryListQuery,
      ok: { 200: RetryPageSchema },
    }),
    ({ query }) => listRetries(deps, query),
  )
  api.get(
    '/deliveries/retries/:retryId',
    describePlatformRoute(
      'getRetry',
      'Deliveries',
      'Read the progress of a bulk retry and the state of its deliveries (C-16)',
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
  addManualRoutes(api, deps)
}

function addManualRoutes(api: Routes, deps: PlatformRouteDeps): void {
  api.post(
    '/deliveries/:deliveryId/retry',
    describePlatformChange(
      'retryDelivery',
      'Deliveries',
      'Retry a stuck or rejected delivery with a new schedule (C-4, W-16)',
      { role: 'support', params: DeliveryPath, ok: { 202: DeliverySchema }, problems: { 409: 'not_stuck' } },
    ),
    async (request, reply) => {
      const { params } = request
      const author = deps.actions.actorOf(request)
      orThrowProblem(await retryDelivery(deps.db, author, BigInt(params.deliveryId), deps.clock.now()))
      deps.decided()
      return reply.code(202).send(await getDelivery(deps, params.deliveryId))
    },
  )
  api.post(
    '/deliveries/:deliveryId/acknowledge',
    describePlatformChange(
      'acknowledgeDelivery',
      'Deliveries',
      'Mark a stuck or rejected delivery as acknowledged; nothing is sent (W-47)',
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
      const author = deps.actions.actorOf(request, body)
      orThrowProblem(await acknowledgeManually(deps, author, BigInt(params.deliveryId), body.reason))
      return getDelivery(deps, params.deliveryId)
    },
  )
}
