/** Routes of players' money: movements, balances, statements and audits. */

import type { AuditLog } from '../../../core/auth/audit-log/audit-log.ts'
import type { LastAudit } from '../../../core/auth/audit-log/last-audit.ts'
import { jsonOrFile, parseAcceptedFileType, type Routes } from '../../../core/http/api/route-description.ts'
import type { Rules } from '../../rules/decision.ts'
import { createAuditEndpoint } from '../audit/audit-endpoint.ts'
import { createLedgerStatus, LedgerSchema } from '../audit/ledger-status.ts'
import { AuditSchema } from '../audit/wallet-audit.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { describeOperatorChange, describeOperatorRoute, PlayerPath } from '../operator-schemas.ts'
import { MovementSchema } from './cash-movement.ts'
import {
  BalancesQuerySchema,
  BalancesSchema,
  DepositSchema,
  getBalances,
  moveCash,
  WithdrawalSchema,
} from './deposits-and-withdrawals.ts'
import { getStatement, StatementQuerySchema, StatementSchema } from './statement.ts'
import { streamStatement } from './statement-file.ts'
import { listTransfers, TransferListSchema, TransferQuerySchema } from './transfer-list.ts'

interface MoneyDeps extends OperatorDeps {
  readonly clawback: Rules['clawback']
  readonly actions: AuditLog
  readonly lastAudit: Pick<LastAudit, 'audited'>
}

const MOVEMENTS = [
  {
    path: 'deposits',
    kind: 'deposit',
    body: DepositSchema,
    conflicts: 'player_blocked, self_excluded, currency_not_available or balance_too_large',
  },
  { path: 'withdrawals', kind: 'withdrawal', body: WithdrawalSchema, conflicts: 'not_enough_money' },
] as const

export function addMoneyRoutes(api: Routes, deps: MoneyDeps): void {
  const tag = 'Money'
  for (const { path, kind, body, conflicts } of MOVEMENTS) {
    api.post(
      `/players/:userId/${path}`,
      describeOperatorChange(kind, tag, `Make a ${kind} once per reference`, {
        role: 'cash',
        params: PlayerPath,
        body,
        ok: { 201: MovementSchema },
        problems: { 409: conflicts, 422: 'reference_reused' },
      }),
      async (request, reply) =>
        reply
          .code(201)
          .send(await moveCash(deps, deps.actions.actorOf(request), request.params.userId, kind, request.body)),
    )
  }
  api.get(
    '/players/:userId/balances',
    describeOperatorRoute('readBalances', tag, 'Read the balances in all currencies, now or at an earlier time', {
      role: 'read',
      params: PlayerPath,
      querystring: BalancesQuerySchema,
      ok: { 200: BalancesSchema },
    }),
    (request) => getBalances(deps, request.params.userId, request.query),
  )
  api.get(
    '/players/:userId/statement',
    describeOperatorRoute('readStatement', tag, "List the player's transfers, newest first", {
      role: 'read',
      params: PlayerPath,
      querystring: StatementQuerySchema,
      ok: { 200: jsonOrFile(StatementSchema) },
    }),
    async ({ params, query, headers }, reply) => {
      const type = parseAcceptedFileType(headers.accept)
      if (type === undefined) return reply.send(await getStatement(deps, params.userId, query))
      return reply.type(`${type}; charset=utf-8`).send(await streamStatement(deps, params.userId, query, type))
    },
  )
  api.get(
    '/transfers',
    describeOperatorRoute('listTransfers', tag, 'List the transfers of every player by kind and day, newest first', {
      role: 'read',
      querystring: TransferQuerySchema,
      ok: { 200: TransferListSchema },
    }),
    ({ query }) => listTransfers(deps, query),
  )
  api.get(
    '/ledger',
    describeOperatorRoute('readLedger', tag, 'Check that the ledger sums to zero, and show the time of the check', {
      role: 'read',
      ok: { 200: LedgerSchema },
    }),
    createLedgerStatus(deps),
  )
  api.get(
    '/audit',
    describeOperatorRoute('audit', tag, 'Check every invariant of the ledger and of the bets', {
      role: 'read',
      ok: { 200: AuditSchema },
    }),
    createAuditEndpoint(deps),
  )
}
