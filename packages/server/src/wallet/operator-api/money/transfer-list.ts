/**
 * Transfers of any player, newest first, which explain the figures of the daily report. An item is
 * like a line of a player's statement.
 */

import { CurrencySchema, UserIdSchema } from '@purser/protocol/bet-request'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import {
  decodeCursor,
  encodeCursor,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  type TimeRange,
  timeRangeQuery,
  toPageSchema,
  toTime,
  toTimeRange,
} from '../../../core/http/api/pagination.ts'
import { invalid } from '../../../core/http/api/problem-details.ts'
import { MAX_SCANNED_ROWS, SCAN_LIMIT_NOTE } from '../../../core/http/api/scan-limit.ts'
import { DAY_MS } from '../../ledger/daily-sums.ts'
import { PLAYER_TRANSFER_KINDS } from '../../ledger/player-day-sums.ts'
import { readTransfersByTime, type TransferPosition } from '../../ledger/transfers-by-time.ts'
import { type OperatorDeps, toCurrency } from '../operator-context.ts'
import { BrandOrNoneSchema } from '../players/player-profile.ts'
import { betsQuery, createLineRenderer, parseVersion, StatementLineSchema } from './statement.ts'

export const TransferQuerySchema = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum([...PLAYER_TRANSFER_KINDS], {
        description: 'Only transfers of this kind. Each kind changes a balance.',
      }),
    ),
    day: Type.Optional(Type.String({ format: 'date', description: 'A day in UTC. It replaces `from` and `to`.' })),
    currency: Type.Optional({ ...CurrencySchema, description: `With a currency or a brand, ${SCAN_LIMIT_NOTE}` }),
    brand: Type.Optional(BrandOrNoneSchema),
    bets: betsQuery,
    ...timeRangeQuery,
    ...pageQuery,
  },
  noUnknownMembers,
)
export const TransferListSchema = Type.Object({
  ...toPageSchema(Type.Object({ userId: UserIdSchema, ...StatementLineSchema.properties })).properties,
  archivedBefore: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Present on the last page. Earlier transfers can be archived in files (O-13), and are not in this list.',
    }),
  ),
})

/** The clocks of processes differ by less, so no transfer is later. */
const CLOCK_SKEW_MS = 3_600_000
const LAST_ARCHIVE = statement('last_archive', 'select max(before) as before from purser.archive')

export async function listTransfers(deps: OperatorDeps, query: Static<typeof TransferQuerySchema>) {
  const { kind, brand } = query
  const limit = parseLimit(query)
  const range = toRange(query)
  const from = range.from ?? new Date(0)
  const latest = new Date(deps.clock.now().getTime() + CLOCK_SKEW_MS)
  const { transfers, stoppedAt } = await readTransfersByTime(deps.db, {
    ...{ kind, brand, from, limit, maxScanned: MAX_SCANNED_ROWS },
    currency: query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency'),
    to: range.to !== undefined && range.to < latest ? range.to : latest,
    after: parseTransferPosition(query.after),
  })
  const shown = transfers.slice(0, limit)
  const end = transfers.length > limit ? shown.at(-1) : stoppedAt
  const renderLine = await createLineRenderer(deps, shown, query.bets === 'true')
  return {
    data: shown.map((transfer) => ({ userId: transfer.player, ...renderLine(transfer) })),
    next: end === undefined ? null : encodeCursor(formatTransferPosition(end)),
    ...(end === undefined && (await readArchivedBefore(deps, from))),
  }
}

function toRange({ day, ...range }: Pick<Static<typeof TransferQuerySchema>, 'day' | 'from' | 'to'>): TimeRange {
  if (day === undefined) return toTimeRange(range)
  if ((range.from ?? range.to) !== undefined)
    throw invalid('/query/day', 'cannot be combined with from or to: remove one of both')
  const from = toTime(`${day}T00:00:00Z`, '/query/day')
  return { from, to: new Date(from.getTime() + DAY_MS) }
}

function formatTransferPosition({ at, player, currency, version }: TransferPosition): string[] {
  return [at.toISOString(), player, currency, String(version)]
}

function parseTransferPosition(after: string | undefined): TransferPosition | undefined {
  const cursor = decodeCursor(after, 4)
  if (cursor === undefined) return undefined
  const [player = '', currency = '', version] = cursor.ids
  return { at: cursor.at, player, currency, version: parseVersion(version) }
}

async function readArchivedBefore({ db }: OperatorDeps, from: Date): Promise<{ archivedBefore?: string }> {
  const [last] = await db.userQueries.query<{ before: Date | null }>(LAST_ARCHIVE, [])
  return last?.before && from < last.before ? { archivedBefore: last.before.toISOString() } : {}
}
