/** The platform API's list of bets, the latest first, with only the conditions that are asked for. */
import { type Static, Type } from 'typebox'
import { compose } from '../../db/conditions.ts'
import { decodeCursor, limitOf, pageOf, pageQuery, timeRangeQuery, toPage, toTimeRange } from '../../http/page.ts'
import { invalid } from '../../http/problem.ts'
import { readBets } from '../bets/bet-store.ts'
import { BetStatusSchema, BetViewSchema, showBet, type ViewDeps } from './views.ts'

const optional = Type.Optional

export const BetPageSchema = pageOf(BetViewSchema)
export const BetListQuery = Type.Object(
  { partnerId: optional(Type.String()), status: optional(BetStatusSchema), ...timeRangeQuery, ...pageQuery },
  { additionalProperties: false },
)

/** What the database takes for one: a cursor that we did not make is the caller's mistake. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function listBets(deps: ViewDeps, query: Static<typeof BetListQuery>) {
  const limit = limitOf(query)
  const { from, to } = toTimeRange(query)
  const cursor = decodeCursor(query.after, 2)
  if (cursor !== undefined && !UUID.test(cursor.ids[0] ?? ''))
    throw invalid('/query/after', 'is not a cursor of this list')
  const { statement, values } = compose(
    'platform_list_bets',
    [limit + 1],
    {
      partner: query.partnerId === undefined ? undefined : ['partner_id = ?::text', query.partnerId],
      status: query.status && ['status = ?::text', query.status],
      from: from && ['placed_at >= ?::timestamptz', from],
      to: to && ['placed_at < ?::timestamptz', to],
      after: cursor && ['(placed_at, bet_id) < (?::timestamptz, ?::uuid)', cursor.at, cursor.ids[0]],
    },
    (conditions) =>
      `select bet_id, placed_at from platform.bet where true${conditions} order by placed_at desc, bet_id desc limit $1::int`,
  )
  const rows = await deps.db.people.query<{ bet_id: string }>(statement, values)
  const bets = new Map(
    (
      await readBets(
        deps.db.people,
        rows.map((row) => row.bet_id),
      )
    ).map((bet) => [bet.betId, bet]),
  )
  const ordered = rows.flatMap((row) => bets.get(row.bet_id) ?? [])
  return toPage(
    ordered,
    limit,
    (bet) => showBet(deps, bet),
    (bet) => [bet.placedAt.toISOString(), bet.betId],
  )
}
