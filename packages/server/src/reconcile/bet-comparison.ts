/** Compares one bet of the platform with the same bet of the wallet. Pure. */

import {
  type BetPair,
  type BetState,
  isSameAmount,
  isUnacknowledged,
  type PlatformSide,
  type WalletSide,
} from './bet-sides.ts'
import {
  describePlatform,
  describeState,
  describeWallet,
  type FindingDetails,
  toFindingDetails,
} from './side-description.ts'

export type FindingKind =
  | 'missing_at_wallet'
  | 'missing_at_platform'
  | 'status'
  | 'stake'
  | 'payout'
  | 'currency'
  /** The partner has not acknowledged the decision, and no call is under way (C-9). */
  | 'owed'
  /** Notes. Both sides agree, but an operator may want to know. */
  | 'refused_by_partner'
  | 'placed_by_hand'

export interface ReconcileFinding {
  readonly type: 'difference' | 'note'
  readonly kind: FindingKind
  readonly betId: string
  readonly player: string
  /** Text about each side; null for a side without the bet. */
  readonly platform: string | null
  readonly wallet: string | null
  /** More details, as single values. */
  readonly details: FindingDetails
}

export interface BetComparison {
  /** A call about the bet is under way, so its outcome is not comparable yet. */
  readonly inFlight: boolean
  readonly findings: readonly ReconcileFinding[]
}

/** Selects players with bets from another source. Such a bet is a note if the platform lacks it. */
export type IsPlacedByHand = (player: string) => boolean

export function compareBet({ platform, wallet }: BetPair, byHand: IsPlacedByHand): BetComparison {
  const mine = platform && wallet.find(({ player }) => player === findPlayerName(platform, wallet))
  const unmatched = wallet
    .filter((side) => side !== mine && hasMoney(side))
    .map((side) => toUnmatchedFinding(side, byHand))
  if (platform === undefined) return { inFlight: false, findings: unmatched }
  return { inFlight: platform.isUnderWay, findings: [...compareSides(platform, mine), ...unmatched] }
}

/** The platform's first name for the player under which the wallet has the bet. */
function findPlayerName({ players }: PlatformSide, wallet: readonly WalletSide[]): string | undefined {
  return players.find((name) => wallet.some(({ player }) => player === name))
}

/** A refused bet, a tombstone and an unknown id hold no money. */
function hasMoney({ status }: WalletSide): boolean {
  return status === 'open' || status === 'settled'
}

function toUnmatchedFinding(side: WalletSide, byHand: IsPlacedByHand): ReconcileFinding {
  const { betId, player } = side
  const rest = {
    betId,
    player,
    platform: null,
    wallet: describeWallet(side),
    details: toFindingDetails(undefined, side),
  }
  return byHand(player)
    ? { type: 'note', kind: 'placed_by_hand', ...rest }
    : { type: 'difference', kind: 'missing_at_platform', ...rest }
}

/** While a call is under way, only facts that it cannot change are compared. */
function compareSides(platform: PlatformSide, wallet: WalletSide | undefined): ReconcileFinding[] {
  const failures = isUnacknowledged(platform) ? [toOwedFinding(platform, wallet)] : toRefusalNotes(platform, wallet)
  if (wallet === undefined)
    return platform.acknowledged.kind === 'none'
      ? failures
      : [...failures, toDifference('missing_at_wallet', platform, undefined)]
  const states = platform.isUnderWay ? [] : compareStates(platform, wallet)
  return [...failures, ...states, ...compareTerms(platform, wallet)]
}

/**
 * An owed bet may be in its acknowledged state, or in the decided one, if the partner's answer was
 * lost.
 */
function compareStates(platform: PlatformSide, wallet: WalletSide): ReconcileFinding[] {
  const possible = isUnacknowledged(platform) ? [platform.acknowledged, platform.decided] : [platform.acknowledged]
  if (isUnacknowledged(platform) && platform.acknowledged.kind === 'none') return []
  const found = possible.map((state) => compareState(state, wallet))
  if (found.includes('same')) return []
  return [toDifference(found.includes('payout') ? 'payout' : 'status', platform, wallet)]
}

function compareState(state: BetState, wallet: WalletSide): 'same' | 'payout' | 'status' {
  switch (state.kind) {
    case 'none':
      return hasMoney(wallet) ? 'status' : 'same'
    case 'open':
      return wallet.status === 'open' ? 'same' : 'status'
    case 'settled':
      if (wallet.status !== 'settled' || wallet.resultType !== state.resultType) return 'status'
      return isSameAmount(state.payout, wallet.payout) ? 'same' : 'payout'
    case 'cancelled': // a refused bet stays refused after a rollback
      return wallet.status === 'cancelled' || wallet.status === 'refused' ? 'same' : 'status'
    default:
      return state satisfies never
  }
}

/** Facts that never change. A wallet that knows only the id has neither stake nor currency. */
function compareTerms(platform: PlatformSide, wallet: WalletSide): ReconcileFinding[] {
  const stake = wallet.stake !== null && !isSameAmount(platform.stake, wallet.stake)
  const currency = wallet.currency !== null && wallet.currency !== platform.currency
  return [
    ...(stake ? [toDifference('stake', platform, wallet)] : []),
    ...(currency ? [toDifference('currency', platform, wallet)] : []),
  ]
}

function toDifference(kind: FindingKind, platform: PlatformSide, wallet: WalletSide | undefined): ReconcileFinding {
  return { type: 'difference', kind, ...describeDifference(kind, platform, wallet), ...toSubject(platform, wallet) }
}

function toSubject(platform: PlatformSide, wallet: WalletSide | undefined) {
  const player = wallet?.player ?? platform.players[0] ?? ''
  return { betId: platform.betId, player, details: toFindingDetails(platform, wallet) }
}

function describeDifference(kind: FindingKind, platform: PlatformSide, wallet: WalletSide | undefined) {
  const { acknowledged, stake, currency } = platform
  if (kind === 'stake') return { platform: `${stake} ${currency}`, wallet: `${wallet?.stake} ${wallet?.currency}` }
  if (kind === 'currency') return { platform: currency, wallet: wallet?.currency ?? null }
  if (kind === 'payout' && acknowledged.kind === 'settled')
    return { platform: `${acknowledged.payout} ${currency}`, wallet: `${wallet?.payout} ${wallet?.currency}` }
  return { platform: describePlatform(platform), wallet: wallet === undefined ? null : describeWallet(wallet) }
}

function toOwedFinding(platform: PlatformSide, wallet: WalletSide | undefined): ReconcileFinding {
  const { decided, currency, failed, status } = platform
  const state = decided.kind === 'none' ? status : describeState(decided, currency)
  const description = `${state}, but ${failed === null ? 'the partner was not notified' : describeFailedDelivery(failed)}`
  const has = wallet === undefined ? null : describeWallet(wallet)
  return { type: 'difference', kind: 'owed', platform: description, wallet: has, ...toSubject(platform, wallet) }
}

/** Notes about a refusal after which both sides agree: a refused cashout was reversed (C-8). */
function toRefusalNotes(platform: PlatformSide, wallet: WalletSide | undefined): ReconcileFinding[] {
  const { failed, status } = platform
  if (failed?.status !== 'refused') return []
  const description = `${status}, but ${describeFailedDelivery(failed)}`
  const has = wallet === undefined ? null : wallet.status
  return [
    { type: 'note', kind: 'refused_by_partner', platform: description, wallet: has, ...toSubject(platform, wallet) },
  ]
}

function describeFailedDelivery({ operation, status, code }: NonNullable<PlatformSide['failed']>): string {
  const suffix = code === null ? '' : `, code ${code}`
  if (status === 'refused') return `the partner refused the ${operation}${suffix}`
  if (status === 'late') return `the ${operation} has waited for longer than its retry schedule${suffix}`
  return status === 'stuck' ? `the ${operation} is stuck${suffix}` : `the ${operation} is being retried${suffix}`
}
