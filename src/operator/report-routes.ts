/** The routes of reports: JSON, or a table for spreadsheets as `Accept` asks. */
import { CSV, orCsv, type Routes } from '../http/route.ts'
import type { OperatorDeps } from './operator.ts'
import { ReportQuerySchema, ReportSchema, report, toCsv } from './report.ts'
import { listPlayersOfDay, PlayersOfDayQuerySchema, PlayersOfDaySchema } from './report-players.ts'
import { describe } from './shapes.ts'

export function addReportRoutes(api: Routes, deps: OperatorDeps): void {
  api.get(
    '/reports/daily',
    describe('reportDays', 'Money', 'What came in, went out and is left, by day, currency, brand, platform and site', {
      role: 'read',
      querystring: ReportQuerySchema,
      ok: { 200: orCsv(ReportSchema) },
    }),
    async ({ query, headers }, reply) => {
      const rows = await report(deps, query)
      if (!headers.accept?.includes(CSV)) return reply.send({ data: rows })
      return reply.type(`${CSV}; charset=utf-8`).send(toCsv(rows))
    },
  )
  api.get(
    '/reports/players',
    describe('reportPlayers', 'Money', 'The players of a day: what each had at midnight, what moved, what was left', {
      role: 'read',
      querystring: PlayersOfDayQuerySchema,
      ok: { 200: PlayersOfDaySchema },
    }),
    ({ query }) => listPlayersOfDay(deps, query),
  )
}
