/** Transfers of all players, newest first: what the numbers of a day are made of. A line is one of the player's statement. */
import { type Static, Type } from 'typebox'
import { statement } from '../db/db.ts'
import { LOOKS_AT, MAX_LOOKED_AT } from '../http/looked-at.ts'
import {
  decodeCursor,
  encodeCursor,
  limitOf,
  onlyKnown,
  pageOf,
  pageQuery,
  type TimeRange,
  timeRangeQuery,
  toTime,
  toTimeRange,
} from '../http/page.ts'
import { invalid } from '../http/problem.ts'
import { DAY_MS } from '../ledger/daily.ts'
import { KINDS_OF_PLAYERS } from '../ledger/day-of-players.ts'
import { readTransfersByTime, type TransferPlace } from '../ledger/transfers-by-time.ts'
import { CurrencySchema, UserIdSchema } from '../protocol/bet-request.ts'
import { type OperatorDeps, toCurrency } from './operator.ts'
import { BrandOrNoneSchema } from './players.ts'
import { betsQuery, LineSchema, lineShower, toVersion } from './statement.ts'

export const TransferQuerySchema = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum([...KINDS_OF_PLAYERS], { description: 'Only transfers of this kind: those that touch a balance.' }),
    ),
    day: Type.Optional(Type.String({ format: 'date', description: 'In UTC, in place of `from` and `to`.' })),
    currency: Type.Optional({ ...CurrencySchema, description: `Of one currency, or of a brand, ${LOOKS_AT}` }),
    brand: Type.Optional(BrandOrNoneSchema),
    bets: betsQuery,
    ...timeRangeQuery,
    ...pageQuery,
  },
  onlyKnown,
)
export const TransferListSchema = Type.Object({
  ...pageOf(Type.Object({ userId: UserIdSchema, ...LineSchema.properties })).properties,
  archivedBefore: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'On the last page: transfers from before this time can lie in files (O-13), and are not in this list.',
    }),
  ),
})

/** Clocks of processes differ by less: nothing is later than that. */
const AHEAD_MS = 3_600_000
const LAST_ARCHIVE = statement('last_archive', 'select max(before) as before from purser.archive')

export async function listTransfers(deps: OperatorDeps, query: Static<typeof TransferQuerySchema>) {
  const { kind, brand } = query
  const limit = limitOf(query)
  const range = toRange(query)
  const from = range.from ?? new Date(0)
  const latest = new Date(deps.clock.now().getTime() + AHEAD_MS)
  const { transfers, stoppedAt } = await readTransfersByTime(deps.db, {
    ...{ kind, brand, from, limit, most: MAX_LOOKED_AT },
    currency: query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency'),
    to: range.to !== undefined && range.to < latest ? range.to : latest,
    after: toPlace(query.after),
  })
  const shown = transfers.slice(0, limit)
  const end = transfers.length > limit ? shown.at(-1) : stoppedAt
  const showLine = await lineShower(deps, shown, query.bets === 'true')
  return {
    data: shown.map((transfer) => ({ userId: transfer.player, ...showLine(transfer) })),
    next: end === undefined ? null : encodeCursor(fromPlace(end)),
    ...(end === undefined && (await archivedBefore(deps, from))),
  }
}

function toRange({ day, ...range }: Pick<Static<typeof TransferQuerySchema>, 'day' | 'from' | 'to'>): TimeRange {
  if (day === undefined) return toTimeRange(range)
  if ((range.from ?? range.to) !== undefined) throw invalid('/query/day', 'is not asked for together with from or to')
  const from = toTime(`${day}T00:00:00Z`, '/query/day')
  return { from, to: new Date(from.getTime() + DAY_MS) }
}

function fromPlace({ at, player, currency, version }: TransferPlace): string[] {
  return [at.toISOString(), player, currency, String(version)]
}

function toPlace(after: string | undefined): TransferPlace | undefined {
  const cursor = decodeCursor(after, 4)
  if (cursor === undefined) return undefined
  const [player = '', currency = '', version] = cursor.ids
  return { at: cursor.at, player, currency, version: toVersion(version) }
}

async function archivedBefore({ db }: OperatorDeps, from: Date): Promise<{ archivedBefore?: string }> {
  const [last] = await db.people.query<{ before: Date | null }>(LAST_ARCHIVE, [])
  return last?.before && from < last.before ? { archivedBefore: last.before.toISOString() } : {}
}
