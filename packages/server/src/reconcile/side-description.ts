/**
 * Describes a bet as the platform and as the wallet have it: as text for people, and as columns for
 * programs. Pure.
 */
import type { ReconcileFinding } from './bet-comparison.ts'
import type { BetState, PlatformSide, WalletSide } from './bet-sides.ts'

export const FINDING_LABELS: Readonly<Record<ReconcileFinding['kind'], string>> = {
  missing_at_wallet: 'missing at wallet',
  missing_at_platform: 'missing at platform',
  status: 'status differs',
  stake: 'stake differs',
  payout: 'payout differs',
  currency: 'currency differs',
  owed: 'needs attention',
  refused_by_partner: 'note: refused',
  placed_by_hand: 'note: placed by hand',
}

/** Null where a side has no value. It contains both the decided and the acknowledged state. */
export interface FindingDetails {
  readonly platformStatus: string | null
  readonly platformCurrency: string | null
  readonly platformStake: string | null
  readonly decidedResult: string | null
  readonly decidedPayout: string | null
  readonly acknowledgedStatus: string | null
  readonly acknowledgedResult: string | null
  readonly acknowledgedPayout: string | null
  /** Operation of the failed delivery. */
  readonly operation: string | null
  readonly delivery: string | null
  readonly code: number | null
  readonly walletStatus: string | null
  readonly walletCurrency: string | null
  readonly walletStake: string | null
  readonly walletResult: string | null
  readonly walletPayout: string | null
}

export function toFindingDetails(platform: PlatformSide | undefined, wallet: WalletSide | undefined): FindingDetails {
  return {
    platformStatus: platform?.status ?? null,
    platformCurrency: platform?.currency ?? null,
    platformStake: platform?.stake ?? null,
    decidedResult: resultOf(platform?.decided),
    decidedPayout: payoutOf(platform?.decided),
    acknowledgedStatus: platform?.acknowledged.kind ?? null,
    acknowledgedResult: resultOf(platform?.acknowledged),
    acknowledgedPayout: payoutOf(platform?.acknowledged),
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

const resultOf = (state: BetState | undefined) => (state?.kind === 'settled' ? state.resultType : null)
const payoutOf = (state: BetState | undefined) => (state?.kind === 'settled' ? state.payout : null)

export function describePlatform({ acknowledged, status, stake, currency }: PlatformSide): string {
  const state = acknowledged.kind === 'none' ? `${status}, never acknowledged` : describeState(acknowledged, currency)
  return `${state}, stake ${stake} ${currency}`
}

export function describeState(state: BetState, currency: string): string {
  return state.kind === 'settled' ? `settled ${state.resultType} ${state.payout} ${currency}` : state.kind
}

export function describeWallet({ status, stake, payout, resultType, currency }: WalletSide): string {
  const result = status === 'settled' ? ` ${resultType} ${payout} ${currency}` : ''
  return `${status}${result}${stake === null ? '' : `, stake ${stake} ${currency}`}`
}
