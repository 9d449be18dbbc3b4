/**
 * Lookup of any id on the platform, with the objects that belong to it (W-45). The wallet has the
 * same lookup (W-41).
 */

import { environment } from '@purser/runtime/environment'
import { type Static, Type } from 'typebox'
import { statement } from '../../core/database/db.ts'
import { notFound } from '../../core/http/api/problem-details.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import { selectionMembers } from '../../core/http/bet-selections.ts'
import { loadSelectionMembers } from './platform-bet-list.ts'
import type { PlatformRouteDeps } from './platform-routes.ts'
import { describePlatformRoute } from './platform-schemas.ts'
import { BetDetailSchema, BetViewSchema, getBetDetail, type ViewDeps } from './platform-views.ts'

const LookupPath = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'The id of a bet or at least its first six characters, the id of a delivery, or the requestId of a call.',
  }),
})

const LookupSchema = Type.Union([
  Type.Object({ kind: Type.Literal('bet'), bet: BetDetailSchema }),
  Type.Object(
    { kind: Type.Literal('delivery'), delivery: BetDetailSchema.properties.deliveries.items, bet: BetViewSchema },
    { description: 'The delivery with this id, or with this requestId in its calls.' },
  ),
  Type.Object(
    {
      kind: Type.Literal('several'),
      matches: Type.Array(
        Type.Object({
          ...{ kind: Type.Literal('bet'), id: Type.String(), userId: Type.String() },
          ...selectionMembers("The bet's selections."),
        }),
      ),
    },
    { description: 'Several objects match. Ask with more characters of the id.' },
  ),
])
type LookupResult = Static<typeof LookupSchema>

export function addPlatformLookupRoute(api: Routes, deps: PlatformRouteDeps): void {
  api.get(
    '/show/:id',
    describePlatformRoute('showId', 'Deliveries', 'Look up any id, and find the objects that belong to it (W-45)', {
      role: 'read',
      params: LookupPath,
      ok: { 200: LookupSchema },
      problems: { 404: 'not_found' },
    }),
    ({ params }) => lookUpPlatformId(deps, params.id),
  )
}

/** A complete id has priority over a prefix. */
export async function lookUpPlatformId(deps: ViewDeps, id: string): Promise<LookupResult> {
  const whole = (await findDelivery(deps, id)) ?? (await findBetById(deps, id))
  if (whole !== undefined) return whole
  const bets = await findBetsByPrefix(deps, id)
  const [only] = bets
  if (only === undefined) return findByRequestId(deps, id)
  if (bets.length > 1) return listMatches(deps, bets)
  return (await findBetById(deps, only.bet_id)) ?? throwNotFound()
}

async function listMatches(deps: ViewDeps, bets: readonly BetMatch[]): Promise<LookupResult> {
  const keys = bets.map((bet) => ({ betId: bet.bet_id, userId: bet.user_id }))
  const toSelectionMembers = await loadSelectionMembers(deps, keys)
  return {
    kind: 'several',
    matches: keys.map((key) => ({ kind: 'bet', id: key.betId, userId: key.userId, ...toSelectionMembers(key) })),
  }
}

function throwNotFound(detail = ''): never {
  throw notFound(`anything with this id${detail}`)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Fits into a bigint. */
const NUMBER = /^[1-9]\d{0,17}$/

async function findBetById(deps: ViewDeps, id: string): Promise<LookupResult | undefined> {
  const bet = UUID.test(id) ? await getBetDetail(deps, id) : undefined
  return bet && { kind: 'bet', bet }
}

const READ_BET_OF_DELIVERY = statement(
  'platform_read_bet_of_delivery',
  'select bet_id from platform.delivery where delivery_id = $1::bigint',
)

async function findDelivery(deps: ViewDeps, id: string): Promise<LookupResult | undefined> {
  if (!NUMBER.test(id)) return undefined
  const [found] = await deps.db.userQueries.query<{ bet_id: string }>(READ_BET_OF_DELIVERY, [id])
  const bet = found && (await getBetDetail(deps, found.bet_id))
  const delivery = bet?.deliveries.find(({ deliveryId }) => deliveryId === id)
  if (bet === undefined || delivery === undefined) return undefined
  const { deliveries: _, selections: _of, ...view } = bet
  return { kind: 'delivery', delivery, bet: view }
}

const MIN_PREFIX = 6
const MAX_MATCHES = 10
const ID_PREFIX = /^[0-9a-f-]{6,36}$/i
const BETS_BETWEEN = statement(
  'platform_find_bets',
  `select bet_id, user_id from platform.bet where bet_id between $1::uuid and $2::uuid order by bet_id limit ${MAX_MATCHES}`,
)

interface BetMatch extends Record<string, unknown> {
  readonly bet_id: string
  readonly user_id: string
}

async function findBetsByPrefix({ db }: ViewDeps, id: string): Promise<BetMatch[]> {
  const digits = id.replaceAll('-', '')
  if (!ID_PREFIX.test(id) || digits.length < MIN_PREFIX || digits.length > UUID_DIGITS) return []
  return db.userQueries.query<BetMatch>(BETS_BETWEEN, [
    digits.padEnd(UUID_DIGITS, '0'),
    digits.padEnd(UUID_DIGITS, 'f'),
  ])
}

const UUID_DIGITS = 32

/** Deliveries in one scan for a `requestId`. An index would cost a write for each delivery. */
const SCAN_SIZE = 50_000n
/** Milliseconds for all scans; older deliveries are not found. */
const SCAN_MS = 2_000
const NEWEST = statement('platform_newest_delivery', 'select max(delivery_id) as id from platform.delivery')
const REQUEST = statement(
  'platform_find_request',
  `select delivery_id from platform.delivery where delivery_id > $2::bigint and delivery_id <= $3::bigint and request_id = $1::uuid`,
)
const DECIDED_FROM = statement(
  'platform_decided_from',
  'select decided_at from platform.delivery where delivery_id > $1::bigint order by delivery_id limit 1',
)

/** Scans from the newest delivery back, until the time is over. */
async function findByRequestId(deps: ViewDeps, requestId: string): Promise<LookupResult> {
  if (!UUID.test(requestId)) return throwNotFound()
  const { userQueries } = deps.db
  const until = environment.monotonicNow() + SCAN_MS
  const [newest] = await userQueries.query<{ id: bigint | null }>(NEWEST)
  let to = BigInt(newest?.id ?? 0)
  for (; to > 0n && environment.monotonicNow() < until; to -= SCAN_SIZE) {
    const [found] = await userQueries.query<{ delivery_id: bigint }>(REQUEST, [requestId, to - SCAN_SIZE, to])
    if (found !== undefined) return (await findDelivery(deps, String(found.delivery_id))) ?? throwNotFound()
  }
  const [oldest] = to > 0n ? await userQueries.query<{ decided_at: Date }>(DECIDED_FROM, [to]) : []
  return throwNotFound(oldest && `, among the deliveries decided since ${oldest.decided_at.toISOString()}`)
}
