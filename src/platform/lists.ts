/** Lists of the platform API: bets and deliveries, the latest first, with only the conditions that are asked for. */
import { type Static, Type } from 'typebox'
import { compose } from '../db/conditions.ts'
import { decodeCursor, limitOf, pageOf, pageQuery, timeRangeQuery, toPage, toTimeRange } from '../http/page.ts'
import { invalid } from '../http/problem.ts'
import { readBets } from './bet-store.ts'
import type { DeliveryStatus } from './outbox.ts'
import {
  BetStatusSchema,
  BetViewSchema,
  DELIVERY_COLUMNS,
  DELIVERY_STATUSES,
  type DeliveryRow,
  DeliverySchema,
  showBet,
  showDelivery,
  type ViewDeps,
} from './views.ts'

const optional = Type.Optional

export const BetPageSchema = pageOf(BetViewSchema)
export const DeliveryPageSchema = pageOf(DeliverySchema)
export const BetListQuery = Type.Object(
  { partnerId: optional(Type.String()), status: optional(BetStatusSchema), ...timeRangeQuery, ...pageQuery },
  { additionalProperties: false },
)
export const DeliveryListQuery = Type.Object(
  {
    status: optional(
      Type.String({ pattern: `^(${DELIVERY_STATUSES.join('|')})(,(${DELIVERY_STATUSES.join('|')}))*$` }),
    ),
    partnerId: optional(Type.String()),
    ...pageQuery,
  },
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

/** Deliveries, the latest decided first. */
export async function listDeliveries({ db }: ViewDeps, query: Static<typeof DeliveryListQuery>) {
  const limit = limitOf(query)
  const cursor = decodeCursor(query.after, 2)
  const before = cursor?.ids[0] !== undefined && /^\d{1,18}$/.test(cursor.ids[0]) ? BigInt(cursor.ids[0]) : undefined
  const statuses = [...new Set(query.status?.split(','))] as DeliveryStatus[]
  const { statement, values } = compose(
    [
      'platform_list_deliveries',
      ...(statuses.length > 0 ? ['in'] : []),
      ...(statuses.includes('done') ? ['done'] : []),
    ].join('_'),
    [limit + 1, statuses],
    {
      partner: query.partnerId === undefined ? undefined : ['partner_id = ?::text', query.partnerId],
      before: before === undefined ? undefined : ['delivery_id < ?::bigint', before],
    },
    (conditions) => textOfDeliveries(statuses, conditions),
  )
  const rows = await db.people.query<DeliveryRow>(statement, values)
  return toPage(rows, limit, showDelivery, (row) => [row.decided_at.toISOString(), String(row.delivery_id)])
}

const LATEST_FIRST = 'order by delivery_id desc limit $1::int'

/** State by state, each through the index of what is not done; what is done is nearly all of them. */
function textOfDeliveries(statuses: readonly DeliveryStatus[], conditions: string): string {
  const some = (where: string) =>
    `select ${DELIVERY_COLUMNS} from platform.delivery where ${where}${conditions} ${LATEST_FIRST}`
  if (statuses.length === 0) return some('$2::text[] is not null')
  const others = `select d.* from unnest($2::text[]) as k (status)
    cross join lateral (${some("status = k.status and status <> 'done'")}) d`
  const done = statuses.includes('done') ? ` union all (${some("status = 'done'")})` : ''
  return `select * from (${others}${done}) d ${LATEST_FIRST}`
}
