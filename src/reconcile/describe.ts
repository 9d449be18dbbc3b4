/** What each side has of a bet, in words for people and in columns for programs. Pure. */
import type { Finding } from './compare.ts'
import type { PlatformSide, State, WalletSide } from './sides.ts'

/** Of each kind of finding. */
export const LABELS: Readonly<Record<Finding['kind'], string>> = {
  missing_at_wallet: 'missing at wallet',
  missing_at_platform: 'missing at platform',
  status: 'status differs',
  stake: 'stake differs',
  payout: 'payout differs',
  currency: 'currency differs',
  owed: 'needs a person',
  refused_by_partner: 'note: refused',
  placed_by_hand: 'note: placed by hand',
}

/** Null where a side has none. What was decided stands beside what the partner has acknowledged. */
export interface Details {
  readonly platformStatus: string | null
  readonly platformCurrency: string | null
  readonly platformStake: string | null
  readonly decidedResult: string | null
  readonly decidedPayout: string | null
  readonly toldStatus: string | null
  readonly toldResult: string | null
  readonly toldPayout: string | null
  /** The delivery that failed. */
  readonly operation: string | null
  readonly delivery: string | null
  readonly code: number | null
  readonly walletStatus: string | null
  readonly walletCurrency: string | null
  readonly walletStake: string | null
  readonly walletResult: string | null
  readonly walletPayout: string | null
}

export function detailsOf(platform: PlatformSide | undefined, wallet: WalletSide | undefined): Details {
  return {
    platformStatus: platform?.status ?? null,
    platformCurrency: platform?.currency ?? null,
    platformStake: platform?.stake ?? null,
    decidedResult: resultOf(platform?.decided),
    decidedPayout: payoutOf(platform?.decided),
    toldStatus: platform?.told.kind ?? null,
    toldResult: resultOf(platform?.told),
    toldPayout: payoutOf(platform?.told),
    operation: platform?.failed?.operation ?? null,
    delivery: platform?.failed?.status ?? null,
    code: platform?.failed?.code ?? null,
    walletStatus: wallet?.status ?? null,
    walletCurrency: wallet?.currency ?? null,
    walletStake: wallet?.stake ?? null,
    walletResult: wallet?.resultType ?? null,
    walletPayout: wallet?.payout ?? null,
  }
}

const resultOf = (state: State | undefined) => (state?.kind === 'settled' ? state.resultType : null)
const payoutOf = (state: State | undefined) => (state?.kind === 'settled' ? state.payout : null)

export function describePlatform({ told, status, stake, currency }: PlatformSide): string {
  const state = told.kind === 'none' ? `${status}, never acknowledged` : describeState(told, currency)
  return `${state}, stake ${stake} ${currency}`
}

export function describeState(state: State, currency: string): string {
  return state.kind === 'settled' ? `settled ${state.resultType} ${state.payout} ${currency}` : state.kind
}

export function describeWallet({ status, stake, payout, resultType, currency }: WalletSide): string {
  const result = status === 'settled' ? ` ${resultType} ${payout} ${currency}` : ''
  return `${status}${result}${stake === null ? '' : `, stake ${stake} ${currency}`}`
}
