/**
 * List of bets in the platform API, the latest first. The SQL has only the conditions that the
 * request contains.
 */

import { UUID } from '@purser/protocol/wire-ids'
import { groupBy } from '@purser/runtime/group'
import { type Static, Type } from 'typebox'
import { statement } from '../../core/database/db.ts'
import { type BuiltQuery, buildQuery, type QueryCondition } from '../../core/database/query-builder.ts'
import {
  continueFromScan,
  decodeCursor,
  invalidCursorProblem,
  pageQuery,
  parseLimit,
  timeRangeQuery,
  toPage,
  toPageSchema,
  toTimeRange,
} from '../../core/http/api/pagination.ts'
import { MAX_SCANNED_ROWS, SCAN_LIMIT_NOTE } from '../../core/http/api/scan-limit.ts'
import {
  MAX_RENDERED_SELECTIONS,
  renderSelections,
  selectionMembers,
  selectionsQuery,
} from '../../core/http/bet-selections.ts'
import { readPlatformBets } from '../store/platform-bet-store.ts'
import { BetViewSchema, PlatformBetStatusSchema, toPlatformBetView, type ViewDeps } from './platform-views.ts'

const optional = Type.Optional

export const BetPageSchema = toPageSchema(
  Type.Object({
    ...BetViewSchema.properties,
    ...selectionMembers("Present with `selections=true`: the bet's selections."),
  }),
)
const some = `With this filter, ${SCAN_LIMIT_NOTE}`
export const BetListQuery = Type.Object(
  {
    partnerId: optional(Type.String({ description: some })),
    status: optional({ ...PlatformBetStatusSchema, description: some }),
    selections: selectionsQuery('each bet contains its selections.'),
    ...timeRangeQuery,
    ...pageQuery,
  },
  { additionalProperties: false },
)

export async function listPlatformBets(deps: ViewDeps, query: Static<typeof BetListQuery>) {
  const limit = parseLimit(query)
  const { from, to } = toTimeRange(query)
  const cursor = decodeCursor(query.after, 2)
  if (cursor !== undefined && !UUID.test(cursor.ids[0] ?? '')) throw invalidCursorProblem()
  const scan: ScanConditions = {
    from: from && ['placed_at >= ?::timestamptz', from],
    to: to && ['placed_at < ?::timestamptz', to],
    after: cursor && ['(placed_at, bet_id) < (?::timestamptz, ?::uuid)', cursor.at, cursor.ids[0]],
  }
  const { partnerId, status } = query
  const rows = await readBetKeys(deps, composeBetList(scan, limit, [partnerId ?? null, status ?? null]))
  const found = await readPlatformBets(
    deps.db.userQueries,
    rows.map((row) => row.bet_id),
  )
  const bets = new Map(found.map((bet) => [bet.betId, bet]))
  const ordered = rows.flatMap((row) => bets.get(row.bet_id) ?? [])
  const toSelectionMembers = await loadSelectionMembers(
    deps,
    query.selections === 'true' ? ordered.slice(0, limit) : [],
  )
  const page = toPage(
    ordered,
    limit,
    (bet) => ({ ...toPlatformBetView(deps, bet), ...toSelectionMembers(bet) }),
    (bet) => [bet.placedAt.toISOString(), bet.betId],
  )
  if (partnerId === undefined && status === undefined) return page
  return continueFromScan(page, async () => {
    const [last] = await readBetKeys(deps, composeLastScanned(scan))
    return last && [last.placed_at.toISOString(), last.bet_id]
  })
}

/** The first selections of each bet, and the number of the last one, which is their count. */
const READ_FIRST_SELECTIONS = statement(
  'platform_first_selections',
  `select s.bet_id, s.event_id as "eventId", s.outcome_id as "outcomeId", s.details,
     (select max(number) from platform.selection where bet_id = s.bet_id) as last
   from platform.selection s where s.bet_id = any($1::uuid[]) and s.number <= ${MAX_RENDERED_SELECTIONS} order by s.bet_id, s.number`,
)

interface FirstSelection extends Record<string, unknown> {
  readonly bet_id: string
  readonly eventId: string
  readonly outcomeId: string
  readonly details: object
  readonly last: number
}

export async function loadSelectionMembers({ db }: ViewDeps, bets: readonly { readonly betId: string }[]) {
  if (bets.length === 0) return () => ({})
  const rows = await db.userQueries.query<FirstSelection>(READ_FIRST_SELECTIONS, [bets.map(({ betId }) => betId)])
  const byBet = groupBy(rows, ({ bet_id }) => bet_id)
  return ({ betId }: { readonly betId: string }) => {
    const some = byBet.get(betId) ?? []
    const named = some.map(({ eventId, outcomeId, details }) => ({ ...details, eventId, outcomeId }))
    return renderSelections(named, some[0]?.last)
  }
}

type ScanConditions = Readonly<Record<string, QueryCondition | undefined>>

interface BetKey extends Record<string, unknown> {
  readonly bet_id: string
  readonly placed_at: Date
}

function readBetKeys(deps: ViewDeps, { statement, values }: BuiltQuery): Promise<BetKey[]> {
  return deps.db.userQueries.query<BetKey>(statement, values)
}

const NEWEST_FIRST = 'order by placed_at desc, bet_id desc'

function composeBetList(scan: ScanConditions, limit: number, filters: readonly (string | null)[]): BuiltQuery {
  return buildQuery(
    'platform_list_bets',
    [limit + 1, ...filters],
    scan,
    (conditions) =>
      `select bet_id, placed_at from (
         select bet_id, placed_at, partner_id, status from platform.bet where true${conditions} ${NEWEST_FIRST} limit ${MAX_SCANNED_ROWS}
       ) b where ($2::text is null or partner_id = $2) and ($3::text is null or status = $3) ${NEWEST_FIRST} limit $1::int`,
  )
}

/** Last bet of a scan that did not fill its page. */
function composeLastScanned(scan: ScanConditions): BuiltQuery {
  return buildQuery(
    'platform_last_looked_at',
    [MAX_SCANNED_ROWS - 1],
    scan,
    (conditions) =>
      `select bet_id, placed_at from platform.bet where true${conditions} ${NEWEST_FIRST} offset $1::int limit 1`,
  )
}
