/** What is to be said about one bet. Pure. */
import { type Details, describePlatform, describeState, describeWallet, detailsOf } from './describe.ts'
import { isOwed, isSameAmount, type Pair, type PlatformSide, type State, type WalletSide } from './sides.ts'

export type Kind =
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

export interface Finding {
  readonly type: 'difference' | 'note'
  readonly kind: Kind
  readonly betId: string
  readonly player: string
  /** In words, what each side has. */
  readonly platform: string | null
  readonly wallet: string | null
  /** The same and more, word by word. */
  readonly details: Details
}

export interface Verdict {
  /** A call about it is on its way: what became of it is not comparable yet. */
  readonly inFlight: boolean
  readonly findings: readonly Finding[]
}

/** Players whose bets come from elsewhere too: a bet that the platform does not know is a note. */
export type ByHand = (player: string) => boolean

export function judge({ platform, wallet }: Pair, byHand: ByHand): Verdict {
  const mine = platform && wallet.find(({ player }) => player === nameOf(platform, wallet))
  const strangers = wallet.filter((side) => side !== mine && hasMoney(side)).map((side) => stranger(side, byHand))
  if (platform === undefined) return { inFlight: false, findings: strangers }
  return { inFlight: platform.isUnderWay, findings: [...comparison(platform, mine), ...strangers] }
}

/** The name by which the wallet has the player, the first that it has the bet under. */
function nameOf({ players }: PlatformSide, wallet: readonly WalletSide[]): string | undefined {
  return players.find((name) => wallet.some(({ player }) => player === name))
}

/** A refused bet, a tombstone and an id that was only asked about hold nobody's money. */
function hasMoney({ status }: WalletSide): boolean {
  return status === 'open' || status === 'settled'
}

function stranger(side: WalletSide, byHand: ByHand): Finding {
  const { betId, player } = side
  const rest = { betId, player, platform: null, wallet: describeWallet(side), details: detailsOf(undefined, side) }
  return byHand(player)
    ? { type: 'note', kind: 'placed_by_hand', ...rest }
    : { type: 'difference', kind: 'missing_at_platform', ...rest }
}

/** While a call is on its way only what it cannot change is compared: that the bet is there, whose it is, and its stake. */
function comparison(platform: PlatformSide, wallet: WalletSide | undefined): Finding[] {
  const failures = isOwed(platform) ? [owed(platform, wallet)] : refusal(platform, wallet)
  if (wallet === undefined)
    return platform.told.kind === 'none'
      ? failures
      : [...failures, difference('missing_at_wallet', platform, undefined)]
  const states = platform.isUnderWay ? [] : stateOf(platform, wallet)
  return [...failures, ...states, ...terms(platform, wallet)]
}

/** What is owed may be as it was told, or as it was decided if the partner did it and its answer was lost. */
function stateOf(platform: PlatformSide, wallet: WalletSide): Finding[] {
  const possible = isOwed(platform) ? [platform.told, platform.decided] : [platform.told]
  if (isOwed(platform) && platform.told.kind === 'none') return []
  const found = possible.map((state) => agreement(state, wallet))
  if (found.includes('same')) return []
  return [difference(found.includes('payout') ? 'payout' : 'status', platform, wallet)]
}

function agreement(state: State, wallet: WalletSide): 'same' | 'payout' | 'status' {
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
function terms(platform: PlatformSide, wallet: WalletSide): Finding[] {
  const stake = wallet.stake !== null && !isSameAmount(platform.stake, wallet.stake)
  const currency = wallet.currency !== null && wallet.currency !== platform.currency
  return [
    ...(stake ? [difference('stake', platform, wallet)] : []),
    ...(currency ? [difference('currency', platform, wallet)] : []),
  ]
}

function difference(kind: Kind, platform: PlatformSide, wallet: WalletSide | undefined): Finding {
  return { type: 'difference', kind, ...words(kind, platform, wallet), ...about(platform, wallet) }
}

function about(platform: PlatformSide, wallet: WalletSide | undefined) {
  const player = wallet?.player ?? platform.players[0] ?? ''
  return { betId: platform.betId, player, details: detailsOf(platform, wallet) }
}

function words(kind: Kind, platform: PlatformSide, wallet: WalletSide | undefined) {
  const { told, stake, currency } = platform
  if (kind === 'stake') return { platform: `${stake} ${currency}`, wallet: `${wallet?.stake} ${wallet?.currency}` }
  if (kind === 'currency') return { platform: currency, wallet: wallet?.currency ?? null }
  if (kind === 'payout' && told.kind === 'settled')
    return { platform: `${told.payout} ${currency}`, wallet: `${wallet?.payout} ${wallet?.currency}` }
  return { platform: describePlatform(platform), wallet: wallet === undefined ? null : describeWallet(wallet) }
}

function owed(platform: PlatformSide, wallet: WalletSide | undefined): Finding {
  const { decided, currency, failed, status } = platform
  const state = decided.kind === 'none' ? status : describeState(decided, currency)
  const said = `${state}, but ${failed === null ? 'the partner was not told' : describeFailed(failed)}`
  const has = wallet === undefined ? null : describeWallet(wallet)
  return { type: 'difference', kind: 'owed', platform: said, wallet: has, ...about(platform, wallet) }
}

/** Of a refusal that left both sides agreed: a refused cashout has taken itself back (C-8). */
function refusal(platform: PlatformSide, wallet: WalletSide | undefined): Finding[] {
  const { failed, status } = platform
  if (failed?.status !== 'refused') return []
  const said = `${status}, but ${describeFailed(failed)}`
  const has = wallet === undefined ? null : wallet.status
  return [{ type: 'note', kind: 'refused_by_partner', platform: said, wallet: has, ...about(platform, wallet) }]
}

function describeFailed({ operation, status, code }: NonNullable<PlatformSide['failed']>): string {
  const suffix = code === null ? '' : `, code ${code}`
  if (status === 'refused') return `the partner refused the ${operation}${suffix}`
  if (status === 'late') return `the ${operation} has waited for longer than its schedule explains${suffix}`
  return status === 'stuck' ? `the ${operation} is stuck${suffix}` : `the ${operation} is tried again${suffix}`
}
