/**
 * Routes that start and read conformance runs against this wallet. A run starts only with
 * PURSER_CONFORMANCE=on.
 */
import { Type } from 'typebox'
import type { AuditLog } from '../../../core/auth/audit-log/audit-log.ts'
import { noUnknownMembers, pageQuery } from '../../../core/http/api/pagination.ts'
import type { Routes } from '../../../core/http/api/route-description.ts'
import { describeOperatorChange, describeOperatorRoute } from '../operator-schemas.ts'
import { type ConformanceRuns, RunDetailSchema, RunPageSchema, RunSchema } from './conformance-runs.ts'

const RunPath = Type.Object({ runId: Type.String({ format: 'uuid' }) })
const RunQuery = Type.Object(pageQuery, noUnknownMembers)

export function addConformanceRoutes(
  api: Routes,
  { conformance, actions }: { readonly conformance: ConformanceRuns; readonly actions: AuditLog },
): void {
  api.post(
    '/conformance',
    describeOperatorChange(
      'startConformance',
      'Conformance',
      'Run the conformance tests on this wallet, with players of their own',
      {
        role: 'admin',
        ok: { 202: RunSchema },
        problems: { 409: 'conformance_off or already_running' },
      },
    ),
    async (request, reply) => reply.code(202).send(await conformance.start(actions.actorOf(request))),
  )
  api.get(
    '/conformance',
    describeOperatorRoute('listConformance', 'Conformance', 'List runs of the conformance tests, newest first', {
      role: 'support',
      querystring: RunQuery,
      ok: { 200: RunPageSchema },
    }),
    ({ query }) => conformance.list(query),
  )
  api.get(
    '/conformance/:runId',
    describeOperatorRoute('readConformance', 'Conformance', 'Read a run with the results of its cases so far', {
      role: 'support',
      params: RunPath,
      ok: { 200: RunDetailSchema },
    }),
    ({ params }) => conformance.get(params.runId),
  )
}
