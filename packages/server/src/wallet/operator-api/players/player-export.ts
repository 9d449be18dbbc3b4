/**
 * Export of a player's data as lines of JSON: `{"kind": …}` and the object as in the operator
 * API (O-9).
 */

import { createAuditLog } from '../../../core/auth/audit-log/audit-log.ts'
import { listCalls } from '../../../core/call-journal/journal-call-list.ts'
import { statement } from '../../../core/database/db.ts'
import { MAX_LIMIT } from '../../../core/http/api/pagination.ts'
import { getBet } from '../bets/bet-detail.ts'
import { listBets } from '../bets/bet-list.ts'
import { getBalances } from '../money/deposits-and-withdrawals.ts'
import { getStatement } from '../money/statement.ts'
import { findPlayer, type OperatorDeps } from '../operator-context.ts'
import { renderPlayer } from './player-profile.ts'

export interface ExportLine {
  readonly kind: 'player' | 'balances' | 'session' | 'transfer' | 'archived' | 'bet' | 'action' | 'call'
  readonly [member: string]: unknown
}

const READ_SESSIONS = statement(
  'export_sessions',
  `select token_hash as "sessionId", currency, ip, country, created_at as "createdAt", expires_at as "expiresAt", ended_at as "endedAt",
     created_at::text as place
   from purser.session where player = $2::text and bucket = $1::int and (created_at, token_hash) > ($3::timestamptz, $4::text)
   order by created_at, token_hash limit ${MAX_LIMIT}`,
)

/**
 * 404 if the player does not exist. Data is read page by page, so memory does not grow with the
 * history.
 */
export async function* exportPlayer(deps: OperatorDeps, userId: string): AsyncGenerator<ExportLine> {
  const { player, bucket } = await findPlayer(deps, userId)
  yield { kind: 'player', player: renderPlayer(player) }
  yield { kind: 'balances', ...(await getBalances(deps, userId)) }
  for await (const session of readAllSessions(deps, bucket, userId)) yield { kind: 'session', session }
  for await (const { data, archived = [] } of readPages((page) => getStatement(deps, userId, page))) {
    for (const transfer of data) yield { kind: 'transfer', transfer }
    for (const one of archived) yield { kind: 'archived', archived: one }
  }
  for await (const { transactionId } of readItems((page) => listBets(deps, { userId, ...page })))
    yield { kind: 'bet', bet: await getBet(deps, userId, transactionId) }
  const actions = createAuditLog('purser')
  for await (const action of readItems((page) => actions.list(deps.db.userQueries, page, userId, 'player')))
    yield { kind: 'action', action }
  for await (const call of readItems((page) => listCalls(deps.db.userQueries, 'purser', { player: userId, ...page })))
    yield { kind: 'call', call }
}

async function* readAllSessions({ db }: OperatorDeps, bucket: number, userId: string) {
  for (let after = ['-infinity', '']; ; ) {
    const rows = await db.userQueries.query<{ sessionId: string; place: string }>(READ_SESSIONS, [
      bucket,
      userId,
      ...after,
    ])
    for (const { place: _place, ...session } of rows) yield session
    const last = rows.at(-1)
    if (last === undefined || rows.length < MAX_LIMIT) return
    after = [last.place, last.sessionId]
  }
}

type Page = { limit: string; after?: string }

async function* readItems<T>(
  read: (page: Page) => Promise<{ data: readonly T[]; next: string | null }>,
): AsyncGenerator<T> {
  for await (const { data } of readPages(read)) yield* data
}

async function* readPages<P extends { next: string | null }>(read: (page: Page) => Promise<P>): AsyncGenerator<P> {
  for (let page: Page = { limit: String(MAX_LIMIT) }; ; ) {
    const found = await read(page)
    yield found
    if (found.next === null) return
    page = { ...page, after: found.next }
  }
}
