/** What is to be said about one bet. Pure. */
import type { Expected, Pair, PlatformSide, WalletSide } from './sides.ts'

export type Kind =
  | 'missing_at_wallet'
  | 'missing_at_platform'
  | 'status'
  | 'stake'
  | 'payout'
  | 'currency'
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
}

export interface Verdict {
  /** A call about it is on its way: what the sides have is not comparable yet. */
  readonly inFlight: boolean
  readonly findings: readonly Finding[]
}

/** Players whose bets come from elsewhere too: a bet that the platform does not know is a note. */
export type ByHand = (player: string) => boolean

export function judge({ platform, wallet }: Pair, byHand: ByHand): Verdict {
  const mine = platform && wallet.find(({ player }) => player === nameOf(platform, wallet))
  const strangers = wallet.filter((side) => side !== mine && hasMoney(side)).map((side) => stranger(side, byHand))
  if (platform === undefined) return { inFlight: false, findings: strangers }
  if (platform.deliveries === 'moving') return { inFlight: true, findings: strangers }
  return { inFlight: false, findings: [...comparison(platform, mine), ...refusal(platform, mine), ...strangers] }
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
  const rest = { betId, player, platform: null, wallet: describeWallet(side) }
  return byHand(player)
    ? { type: 'note', kind: 'placed_by_hand', ...rest }
    : { type: 'difference', kind: 'missing_at_platform', ...rest }
}

function comparison(platform: PlatformSide, wallet: WalletSide | undefined): Finding[] {
  if (wallet === undefined) return mayBeAbsent(platform) ? [] : [difference('missing_at_wallet', platform, null)]
  const { expected } = platform
  if (!agree(platform, wallet)) return [difference('status', platform, wallet), ...terms(platform, wallet)]
  const paid = expected.kind === 'settled' && !isSameAmount(expected.payout, wallet.payout)
  return [...(paid ? [difference('payout', platform, wallet)] : []), ...terms(platform, wallet)]
}

/** A bet that was never taken need not be there; nor one whose rollback is stuck: perhaps neither call arrived. */
function mayBeAbsent({ expected, deliveries }: PlatformSide): boolean {
  return expected.kind === 'none' || (expected.kind === 'cancelled' && deliveries === 'stuck')
}

function agree({ expected, deliveries }: PlatformSide, wallet: WalletSide): boolean {
  switch (expected.kind) {
    case 'none':
      return !hasMoney(wallet)
    case 'open':
      return wallet.status === 'open'
    case 'settled':
      return wallet.status === 'settled' && wallet.resultType === expected.resultType
    case 'cancelled': // a refused bet stays refused when it is rolled back
      return deliveries === 'stuck' ? !hasMoney(wallet) : wallet.status === 'cancelled' || wallet.status === 'refused'
    default:
      return expected satisfies never
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

function isSameAmount(a: string, b: string | null): boolean {
  return b !== null && shortest(a) === shortest(b)
}

/** "12.10" and "12.1000" are one amount. */
function shortest(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

function difference(kind: Kind, platform: PlatformSide, wallet: WalletSide | null): Finding {
  const player = wallet?.player ?? platform.players[0] ?? ''
  const { betId } = platform
  return { type: 'difference', kind, betId, player, ...words(kind, platform, wallet) }
}

function words(kind: Kind, platform: PlatformSide, wallet: WalletSide | null) {
  const { expected, stake, currency } = platform
  if (kind === 'stake') return { platform: `${stake} ${currency}`, wallet: `${wallet?.stake} ${wallet?.currency}` }
  if (kind === 'currency') return { platform: currency, wallet: wallet?.currency ?? null }
  if (kind === 'payout' && expected.kind === 'settled')
    return { platform: `${expected.payout} ${currency}`, wallet: `${wallet?.payout} ${wallet?.currency}` }
  return { platform: describePlatform(platform), wallet: wallet && describeWallet(wallet) }
}

function refusal(platform: PlatformSide, wallet: WalletSide | undefined): Finding[] {
  const { refused, betId, players, status } = platform
  if (refused === null) return []
  const player = wallet?.player ?? players[0] ?? ''
  const said = `${status}, but the partner refused the ${refused}`
  return [
    { type: 'note', kind: 'refused_by_partner', betId, player, platform: said, wallet: wallet ? wallet.status : null },
  ]
}

function describePlatform({ expected, status, stake, currency, deliveries }: PlatformSide): string {
  const stuck = deliveries === 'stuck' ? ', a delivery is stuck' : ''
  const state = expected.kind === 'none' ? `${status}, never acknowledged` : describeState(expected, currency)
  return `${state}, stake ${stake} ${currency}${stuck}`
}

function describeState(expected: Exclude<Expected, { kind: 'none' }>, currency: string): string {
  return expected.kind === 'settled' ? `settled ${expected.resultType} ${expected.payout} ${currency}` : expected.kind
}

function describeWallet({ status, stake, payout, resultType, currency }: WalletSide): string {
  const result = status === 'settled' ? ` ${resultType} ${payout} ${currency}` : ''
  return `${status}${result}${stake === null ? '' : `, stake ${stake} ${currency}`}`
}
