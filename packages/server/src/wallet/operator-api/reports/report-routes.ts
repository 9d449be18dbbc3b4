/** Routes of reports. The `Accept` header of a request selects JSON or CSV. */
import { CSV, jsonOrCsv, type Routes } from '../../../core/http/api/route-description.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { describeOperatorRoute } from '../operator-schemas.ts'
import { createDailyReport, ReportQuerySchema, ReportSchema, toReportCsv } from './daily-report.ts'
import { listPlayerDays, PlayerDayListSchema, PlayerDayQuerySchema } from './player-day-report.ts'

export function addReportRoutes(api: Routes, deps: OperatorDeps): void {
  api.get(
    '/reports/daily',
    describeOperatorRoute(
      'reportDays',
      'Money',
      'Report stakes, payouts and balances by day, currency, brand, platform and site',
      {
        role: 'read',
        querystring: ReportQuerySchema,
        ok: { 200: jsonOrCsv(ReportSchema) },
      },
    ),
    async ({ query, headers }, reply) => {
      const rows = await createDailyReport(deps, query)
      if (!headers.accept?.includes(CSV)) return reply.send({ data: rows })
      return reply.type(`${CSV}; charset=utf-8`).send(toReportCsv(rows))
    },
  )
  api.get(
    '/reports/players',
    describeOperatorRoute(
      'reportPlayers',
      'Money',
      'Report the opening balance, movements and closing balance of each player on a day',
      {
        role: 'read',
        querystring: PlayerDayQuerySchema,
        ok: { 200: PlayerDayListSchema },
      },
    ),
    ({ query }) => listPlayerDays(deps, query),
  )
}
