/** Routes of adjustments, including approval and refusal by a second person (O-2, W-27). */

import type { AuditLog } from '../../../core/auth/audit-log/audit-log.ts'
import type { Routes } from '../../../core/http/api/route-description.ts'
import { describeOperatorChange, describeOperatorRoute, PlayerPath } from '../operator-schemas.ts'
import {
  approveAdjustment,
  DecisionSchema,
  listProposals,
  ProposalPageSchema,
  ProposalQuerySchema,
  ProposalSchema,
  refuseAdjustment,
} from './adjustment-proposals.ts'
import { type AdjustmentDeps, AdjustmentSchema, adjustBalance } from './adjustments.ts'
import { MovementSchema } from './cash-movement.ts'

const tag = 'Money'
const NO_ROOM = 'not_enough_money, currency_not_available, balance_too_large'

export function addAdjustmentRoutes(api: Routes, deps: AdjustmentDeps & { readonly actions: AuditLog }): void {
  const { actions } = deps
  api.post(
    '/players/:userId/adjustments',
    describeOperatorChange(
      'adjustment',
      tag,
      'Adjust a balance by hand, once per reference; 202 while it needs approval (O-2)',
      {
        role: 'cash',
        params: PlayerPath,
        body: AdjustmentSchema,
        ok: { 201: MovementSchema, 202: ProposalSchema },
        problems: { 409: `${NO_ROOM}, adjustment_decided or adjustment_expired`, 422: 'reference_reused' },
      },
    ),
    async (request, reply) => {
      const { params, body } = request
      const { person, reason } = body
      const result = await adjustBalance(deps, actions.actorOf(request, { person, reason }), params.userId, body)
      return result.kind === 'made' ? reply.code(201).send(result.receipt) : reply.code(202).send(result.proposal)
    },
  )
  api.get(
    '/adjustments',
    describeOperatorRoute('listAdjustments', tag, 'List adjustments that needed approval, newest first (W-27)', {
      role: 'read',
      querystring: ProposalQuerySchema,
      ok: { 200: ProposalPageSchema },
    }),
    ({ query }) => listProposals(deps, query),
  )
  const decision = { role: 'cash', params: PlayerPath, body: DecisionSchema } as const
  api.post(
    '/players/:userId/adjustments/approve',
    describeOperatorChange(
      'approveAdjustment',
      tag,
      'Approve an adjustment that another person requested; it is posted at once',
      {
        ...decision,
        ok: { 201: MovementSchema },
        problems: { 403: 'forbidden or same_person', 409: `${NO_ROOM}, adjustment_decided or adjustment_expired` },
      },
    ),
    async (request, reply) => {
      const { params, body } = request
      return reply
        .code(201)
        .send(await approveAdjustment(deps, actions.actorOf(request), params.userId, body.reference))
    },
  )
  api.post(
    '/players/:userId/adjustments/refuse',
    describeOperatorChange('refuseAdjustment', tag, 'Reject an adjustment, or withdraw your own', {
      ...decision,
      ok: { 200: ProposalSchema },
      problems: { 409: 'adjustment_decided or adjustment_expired' },
    }),
    (request) => refuseAdjustment(deps, actions.actorOf(request), request.params.userId, request.body.reference),
  )
}
