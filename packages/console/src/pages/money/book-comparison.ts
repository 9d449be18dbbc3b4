/**
 * Compares the wallet's bets of a day with the platform's, by the rules of `purser reconcile`. The
 * functions are pure.
 */

import { groupBy } from '@purser/runtime/group'
import { columnNames } from '@purser/runtime/text/csv-rules'
import type { DeliveryView } from '@purser/timeline/bet-sources'
import { compareBet, type ReconcileFinding } from 'purser/reconcile/bet-comparison'
import { NOT_ACKNOWLEDGED, type PlatformSide, type WalletSide } from 'purser/reconcile/bet-sides'
import { parsePlatformRow, requireColumns } from 'purser/reconcile/platform-row'

export interface BookComparison {
  readonly matched: number
  /** Bets with a call in progress. */
  readonly inFlight: number
  readonly differs: readonly ReconcileFinding[]
  readonly onlyOurs: readonly ReconcileFinding[]
  readonly onlyTheirs: readonly ReconcileFinding[]
}

/** Each bet id is counted in one group. A difference without money is not counted. */
export function compareBooks(ours: readonly WalletSide[], theirs: readonly PlatformSide[]): BookComparison {
  const wallet = groupBy(ours, ({ betId }) => betId)
  const platform = new Map(theirs.map((side) => [side.betId, side]))
  const compared = { matched: 0, inFlight: 0, differs: [], onlyOurs: [], onlyTheirs: [] } as Mutable
  for (const betId of new Set([...platform.keys(), ...wallet.keys()])) {
    const pair = { betId, platform: platform.get(betId), wallet: wallet.get(betId) ?? [] }
    const { inFlight, findings } = compareBet(pair, () => false)
    const real = findings.filter(({ type }) => type === 'difference')
    for (const finding of real) compared[FINDING_GROUPS[finding.kind] ?? 'differs'].push(finding)
    if (real.length > 0) continue
    if (inFlight) compared.inFlight += 1
    else if (pair.platform !== undefined && pair.wallet.length > 0) compared.matched += 1
  }
  return compared
}

interface Mutable {
  matched: number
  inFlight: number
  differs: ReconcileFinding[]
  onlyOurs: ReconcileFinding[]
  onlyTheirs: ReconcileFinding[]
}

const FINDING_GROUPS: Readonly<Partial<Record<ReconcileFinding['kind'], 'onlyOurs' | 'onlyTheirs'>>> = {
  missing_at_platform: 'onlyOurs',
  missing_at_wallet: 'onlyTheirs',
}

/**
 * The first row names the columns, as for `purser reconcile --platform-csv`. An invalid file
 * throws.
 */
export function parsePlatformFile(name: string, [names = [], ...rows]: readonly (readonly string[])[]): PlatformSide[] {
  const columns = requireColumns(name, columnNames(name, names))
  const sides = rows.map((cells, i) => {
    const line = i + 2
    return parsePlatformRow(
      Object.fromEntries(columns.map((column, at) => [column, cells[at]])),
      line,
      `${name}, line ${line}`,
    )
  })
  const twice = [...groupBy(sides, ({ betId }) => betId).values()].find(({ length }) => length > 1)
  if (twice !== undefined) throw new Error(`${name} has the bet ${twice[0]?.betId} twice`)
  return sides
}

/** GET /bets and /bets/{betId} of the platform */
export interface PlatformBetRow {
  readonly betId: string
  readonly partnerId: string
  readonly userId: string
  readonly operatorUser?: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly payout?: string
  readonly resultType?: string
  /** Present only for a single bet. */
  readonly deliveries?: readonly TheirDelivery[]
}

type TheirDelivery = Pick<DeliveryView, 'status' | 'code' | 'needsAttentionSince'>

/** A bet in placement may hold money or not, so `isUnderWay` marks it. */
const STATES: Readonly<Record<string, string>> = { accepted: 'open', placing: 'declined' }

/**
 * Only the first open delivery can change. If it needs attention, it blocks the later ones, unless
 * it had no answer and a later decision exists (W-48).
 */
function isDeliveryMoving(deliveries: readonly TheirDelivery[]): boolean {
  const at = deliveries.findIndex(({ status }) => ['waiting', 'pending', 'stuck'].includes(status))
  const first = deliveries[at]
  if (first === undefined || first.status === 'stuck') return false
  return first.needsAttentionSince === undefined || (first.code === undefined && at < deliveries.length - 1)
}

export function toPlatformSide(bet: PlatformBetRow): PlatformSide {
  const { betId, userId, operatorUser, amount, currency, payout, resultType, deliveries = [] } = bet
  const isUnderWay = bet.status === 'placing' || isDeliveryMoving(deliveries)
  const side = { betId, player: userId, status: STATES[bet.status] ?? bet.status, currency, stake: amount }
  const settled = { ...(payout !== undefined && { payout }), ...(resultType !== undefined && { resultType }) }
  return {
    ...parsePlatformRow({ ...side, ...settled }, deliveries.length, `bet ${betId}`),
    players: [...(operatorUser === undefined ? [] : [operatorUser]), userId],
    status: bet.status,
    isUnderWay,
    ...(isUnderWay && { acknowledged: NOT_ACKNOWLEDGED }),
  }
}
