/** What is to be said about one bet. Pure. */

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
  /** Decided, not acknowledged, and nothing is under way (C-9). */
  | 'owed'
  /** Notes: agreed on by both sides, and yet somebody may want to know. */
  | 'refused_by_partner'
  | 'placed_by_hand'

export interface ReconcileFinding {
  readonly type: 'difference' | 'note'
  readonly kind: FindingKind
  readonly betId: string
  readonly player: string
  /** In words, what each side has. */
  readonly platform: string | null
  readonly wallet: string | null
  /** The same and more, word by word. */
  readonly details: FindingDetails
}

export interface BetComparison {
  /** A call about it is on its way: what became of it is not comparable yet. */
  readonly inFlight: boolean
  readonly findings: readonly ReconcileFinding[]
}

/** Players whose bets come from elsewhere too: a bet that the platform does not know is a note. */
export type IsPlacedByHand = (player: string) => boolean

export function compareBet({ platform, wallet }: BetPair, byHand: IsPlacedByHand): BetComparison {
  const mine = platform && wallet.find(({ player }) => player === findPlayerName(platform, wallet))
  const unmatched = wallet
    .filter((side) => side !== mine && hasMoney(side))
    .map((side) => toUnmatchedFinding(side, byHand))
  if (platform === undefined) return { inFlight: false, findings: unmatched }
  return { inFlight: platform.isUnderWay, findings: [...compareSides(platform, mine), ...unmatched] }
}

/** The name by which the wallet has the player, the first that it has the bet under. */
function findPlayerName({ players }: PlatformSide, wallet: readonly WalletSide[]): string | undefined {
  return players.find((name) => wallet.some(({ player }) => player === name))
}

/** A refused bet, a tombstone and an id that was only asked about hold nobody's money. */
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

/** While a call is on its way only what it cannot change is compared: that the bet is there, whose it is, and its stake. */
function compareSides(platform: PlatformSide, wallet: WalletSide | undefined): ReconcileFinding[] {
  const failures = isUnacknowledged(platform) ? [toOwedFinding(platform, wallet)] : toRefusalNotes(platform, wallet)
  if (wallet === undefined)
    return platform.acknowledged.kind === 'none'
      ? failures
      : [...failures, toDifference('missing_at_wallet', platform, undefined)]
  const states = platform.isUnderWay ? [] : compareStates(platform, wallet)
  return [...failures, ...states, ...compareTerms(platform, wallet)]
}

/** What is owed may be as it was told, or as it was decided if the partner did it and its answer was lost. */
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
    case 'cancelled': // a refused bet stays refused when it is rolled back
      return wallet.status === 'cancelled' || wallet.status === 'refused' ? 'same' : 'status'
    default:
      return state satisfies never
  }
}

/** What cannot change in a bet's life; a wallet that knows only the id has neither. */
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

/** Of a refusal that left both sides agreed: a refused cashout has taken itself back (C-8). */
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
