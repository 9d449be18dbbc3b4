/** The platform API's list of bets, the latest first, with only the conditions that are asked for. */
import { type Static, Type } from 'typebox'
import { type Composed, type Condition, compose } from '../../db/conditions.ts'
import { statement } from '../../db/db.ts'
import { LOOKS_AT, MAX_LOOKED_AT } from '../../http/looked-at.ts'
import {
  decodeCursor,
  limitOf,
  noCursor,
  pageOf,
  pageQuery,
  timeRangeQuery,
  toPage,
  toTimeRange,
  withMore,
} from '../../http/page.ts'
import { MOST_SELECTIONS, selectionMembers, selectionsQuery, showSelections } from '../../http/selections.ts'
import { UUID } from '../../protocol/ids.ts'
import { groupBy } from '../../runtime/group.ts'
import { readBets } from '../bets/bet-store.ts'
import { BetStatusSchema, BetViewSchema, showBet, type ViewDeps } from './views.ts'

const optional = Type.Optional

export const BetPageSchema = pageOf(
  Type.Object({ ...BetViewSchema.properties, ...selectionMembers('Only with `selections=true`: what it is on.') }),
)
const some = `Only some bets: ${LOOKS_AT}`
export const BetListQuery = Type.Object(
  {
    partnerId: optional(Type.String({ description: some })),
    status: optional({ ...BetStatusSchema, description: some }),
    selections: selectionsQuery('each with what it is on.'),
    ...timeRangeQuery,
    ...pageQuery,
  },
  { additionalProperties: false },
)

/** What the database takes for one: a cursor that we did not make is the caller's mistake. */

export async function listBets(deps: ViewDeps, query: Static<typeof BetListQuery>) {
  const limit = limitOf(query)
  const { from, to } = toTimeRange(query)
  const cursor = decodeCursor(query.after, 2)
  if (cursor !== undefined && !UUID.test(cursor.ids[0] ?? '')) throw noCursor()
  const looked: Looked = {
    from: from && ['placed_at >= ?::timestamptz', from],
    to: to && ['placed_at < ?::timestamptz', to],
    after: cursor && ['(placed_at, bet_id) < (?::timestamptz, ?::uuid)', cursor.at, cursor.ids[0]],
  }
  const { partnerId, status } = query
  const rows = await read(deps, betsIn(looked, limit, [partnerId ?? null, status ?? null]))
  const found = await readBets(
    deps.db.people,
    rows.map((row) => row.bet_id),
  )
  const bets = new Map(found.map((bet) => [bet.betId, bet]))
  const ordered = rows.flatMap((row) => bets.get(row.bet_id) ?? [])
  const onOf = await selectionsOf(deps, query.selections === 'true' ? ordered.slice(0, limit) : [])
  const page = toPage(
    ordered,
    limit,
    (bet) => ({ ...showBet(deps, bet), ...onOf(bet) }),
    (bet) => [bet.placedAt.toISOString(), bet.betId],
  )
  if (partnerId === undefined && status === undefined) return page
  return withMore(page, async () => {
    const [last] = await read(deps, lastLookedAt(looked))
    return last && [last.placed_at.toISOString(), last.bet_id]
  })
}

/** The first ones of each bet, and the number of its last one, which counts them. */
const READ_FIRST = statement(
  'platform_first_selections',
  `select s.bet_id, s.event_id as "eventId", s.outcome_id as "outcomeId", s.details,
     (select max(number) from platform.selection where bet_id = s.bet_id) as last
   from platform.selection s where s.bet_id = any($1::uuid[]) and s.number <= ${MOST_SELECTIONS} order by s.bet_id, s.number`,
)

interface FirstSelection extends Record<string, unknown> {
  readonly bet_id: string
  readonly eventId: string
  readonly outcomeId: string
  readonly details: object
  readonly last: number
}

export async function selectionsOf({ db }: ViewDeps, bets: readonly { readonly betId: string }[]) {
  if (bets.length === 0) return () => ({})
  const rows = await db.people.query<FirstSelection>(READ_FIRST, [bets.map(({ betId }) => betId)])
  const byBet = groupBy(rows, ({ bet_id }) => bet_id)
  return ({ betId }: { readonly betId: string }) => {
    const some = byBet.get(betId) ?? []
    const named = some.map(({ eventId, outcomeId, details }) => ({ ...details, eventId, outcomeId }))
    return showSelections(named, some[0]?.last)
  }
}

type Looked = Readonly<Record<string, Condition | undefined>>

interface BetKey extends Record<string, unknown> {
  readonly bet_id: string
  readonly placed_at: Date
}

function read(deps: ViewDeps, { statement, values }: Composed): Promise<BetKey[]> {
  return deps.db.people.query<BetKey>(statement, values)
}

const NEWEST_FIRST = 'order by placed_at desc, bet_id desc'

function betsIn(looked: Looked, limit: number, wanted: readonly (string | null)[]): Composed {
  return compose(
    'platform_list_bets',
    [limit + 1, ...wanted],
    looked,
    (conditions) =>
      `select bet_id, placed_at from (
         select bet_id, placed_at, partner_id, status from platform.bet where true${conditions} ${NEWEST_FIRST} limit ${MAX_LOOKED_AT}
       ) b where ($2::text is null or partner_id = $2) and ($3::text is null or status = $3) ${NEWEST_FIRST} limit $1::int`,
  )
}

/** The bet at which a page ends that was not filled. */
function lastLookedAt(looked: Looked): Composed {
  return compose(
    'platform_last_looked_at',
    [MAX_LOOKED_AT - 1],
    looked,
    (conditions) =>
      `select bet_id, placed_at from platform.bet where true${conditions} ${NEWEST_FIRST} offset $1::int limit 1`,
  )
}
