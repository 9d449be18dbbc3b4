/** The routes of conformance runs: this wallet judged by the kit, where a setting allows it. */
import { Type } from 'typebox'
import { onlyKnown, pageQuery } from '../http/page.ts'
import type { Routes } from '../http/route.ts'
import type { ActionLog } from '../people/actions.ts'
import { type ConformanceRuns, RunDetailSchema, RunPageSchema, RunSchema } from './conformance-runs.ts'
import { describe, describeChange } from './shapes.ts'

const RunPath = Type.Object({ runId: Type.String({ format: 'uuid' }) })
const RunQuery = Type.Object(pageQuery, onlyKnown)

export function addConformanceRoutes(
  api: Routes,
  { conformance, actions }: { readonly conformance: ConformanceRuns; readonly actions: ActionLog },
): void {
  api.post(
    '/conformance',
    describeChange(
      'startConformance',
      'Conformance',
      'Judge this wallet with the conformance kit: it makes players of its own',
      {
        role: 'admin',
        ok: { 202: RunSchema },
        problems: { 409: 'conformance_off or already_running' },
      },
    ),
    async (request, reply) => reply.code(202).send(await conformance.start(actions.by(request))),
  )
  api.get(
    '/conformance',
    describe('listConformance', 'Conformance', 'Runs of the conformance kit, newest first', {
      role: 'support',
      querystring: RunQuery,
      ok: { 200: RunPageSchema },
    }),
    ({ query }) => conformance.list(query),
  )
  api.get(
    '/conformance/:runId',
    describe('readConformance', 'Conformance', 'A run with what each case has come to so far', {
      role: 'support',
      params: RunPath,
      ok: { 200: RunDetailSchema },
    }),
    ({ params }) => conformance.get(params.runId),
  )
}
