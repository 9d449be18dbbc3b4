/**
 * Describes the state of a bet in a sentence that support can read out. The sentence uses only
 * recorded facts.
 */
import { moneyText } from './amount-text.ts'
import { hasArchivedTransfers } from './bet-history.ts'
import type { PlatformBetDetail, TransferView, WalletBetDetail } from './bet-sources.ts'
import { findRefusedPlace, isLess } from './call-explanation.ts'
import { describeEarlierResults, listEarlierPlatformResults, listEarlierWalletResults } from './earlier-results.ts'
import { describeCorrections, toPayoutHistory } from './payout-history.ts'
import { REFUSAL_REASONS } from './refusal-reasons.ts'
import { formatResultType } from './result-names.ts'
import { describePlatformReason, describeRollbackReason } from './rollback-reasons.ts'

export type Tone = 'good' | 'bad' | 'open' | 'plain' | 'refused' | 'wait'

export interface BetStanding {
  /** One or two words. */
  readonly state: string
  readonly tone: Tone
  readonly sentence: string
}

/** `available` is the balance at a Place bet that was declined for lack of money, if known. */
export function describeStanding(
  wallet: WalletBetDetail | undefined,
  platform: PlatformBetDetail | undefined,
  available?: string,
): BetStanding {
  const deliveries = platform?.deliveries ?? []
  const waits = deliveries.filter(({ status }) => ['pending', 'waiting', 'stuck'].includes(status))
  const base = wallet === undefined ? describePlatformStanding(platform) : describeWalletStanding(wallet, available)
  const last = deliveries.at(-1)
  if (last?.status === 'refused' && last.operation !== 'place')
    return {
      ...base,
      tone: 'bad',
      sentence: `${base.sentence} The platform has changed its decision since, but the wallet rejected the change. Resolve this by hand.`,
    }
  if (waits.length === 0) return base
  const isStuck = waits.some(({ status }) => status === 'stuck')
  const more = isStuck
    ? 'The platform could not deliver its next decision. Retry the delivery.'
    : 'The wallet has not acknowledged the next decision of the platform yet.'
  return { ...base, tone: isStuck ? 'bad' : 'wait', sentence: `${base.sentence} ${more}` }
}

function describeWalletStanding(bet: WalletBetDetail, available: string | undefined): BetStanding {
  const { status, stake, currency, userId } = bet
  const staked = stake === undefined ? '' : moneyText(stake, currency ?? '')
  const payer = bet.stakePaidBy === 'promotions' ? `Promotions paid a stake of ${staked}` : `${userId} staked ${staked}`
  switch (status) {
    case 'open': {
      return {
        ...{ state: 'Open', tone: 'open' },
        sentence: `${payer}. The result is not known yet; the stake is held.${describeBefore(bet)}`,
      }
    }
    case 'settled':
      return describeSettlement(bet, payer)
    case 'cancelled':
      return { state: 'Cancelled', tone: 'plain', sentence: describeCancellation(bet, staked) }
    case 'refused':
      return { state: 'Declined', tone: 'refused', sentence: `${describeRefusal(bet, available)} No money was taken.` }
    case 'unknown':
      return { state: 'Unmatched', tone: 'plain', sentence: 'This bet was never placed here. No money was taken.' }
    default:
      return status satisfies never
  }
}

function describeRefusal(bet: WalletBetDetail, available: string | undefined): string {
  const { refusalCode = 0, history } = bet
  const { amount, currency = '' } = history[findRefusedPlace(bet)] ?? {}
  const why = REFUSAL_REASONS.get(refusalCode) ?? `the wallet returned code ${refusalCode}`
  const there =
    amount !== undefined && isLess(available, amount) ? `: ${moneyText(available, currency)} was available` : ''
  return `The bet${amount === undefined ? '' : ` of ${moneyText(amount, currency)}`} was declined, because ${why}${there}.`
}

function describeCancellation(bet: WalletBetDetail, staked: string): string {
  const rollback = bet.history.find(({ operation, outcome }) => operation === 'rollback' && outcome === 'applied')
  const why = rollback?.errorCode === undefined ? '' : `: ${describeRollbackReason(rollback.errorCode)}`
  if (staked === '') return `The bet was cancelled before it was placed${why}. No money was taken.`
  return `The bet was cancelled${why}. The stake of ${staked} was refunded ${describeStakeReturn(bet)}.`
}

/** The payer of the stake gets it back (M-4). */
function describeStakeReturn(bet: WalletBetDetail): string {
  const { stakePaidBy, history } = bet
  const moves = history.flatMap(({ transfers }) => transfers).filter(({ amount }) => !/^-?[0.]+$/.test(amount))
  if (stakePaidBy === 'promotions')
    return moves.length > 0 || hasArchivedTransfers(bet)
      ? 'to promotions'
      : 'to promotions; the balance of the player did not change'
  const refund = moves.findLast(({ kind }) => kind === 'refund' || kind === 'payout')
  return `to the account${refund === undefined ? '' : ` at ${formatMoment(refund)}`}`
}

const formatMoment = ({ at }: TransferView) => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`

/** The earlier results: as payouts and reversals if money moved, else as a list. */
function describeBefore(bet: WalletBetDetail): string {
  const corrections = describeCorrections(toPayoutHistory(bet))
  return corrections === undefined
    ? describeEarlierResults(listEarlierWalletResults(bet), bet.status)
    : ` ${corrections}.`
}

/** The sentence gives the time of the payout, because the player may have spent the money since. */
function describeSettlement(bet: WalletBetDetail, payer: string): BetStanding {
  const paid = toPayoutHistory(bet)
  const amount = moneyText(bet.payout ?? '', bet.currency ?? '')
  const more = describeBefore(bet)
  const at = paid.standing === undefined ? '' : ` at ${formatMoment(paid.standing)}`
  const toAccount = `${amount} was paid to the account${at}.${more}`
  switch (bet.resultType) {
    case 'won':
      return { state: 'Won', tone: 'good', sentence: `${payer}. The bet won: ${toAccount}` }
    case 'lost':
      return { state: 'Lost', tone: 'plain', sentence: `${payer}. The bet lost.${more}` }
    case 'refund':
      return {
        ...{ state: 'Void', tone: 'plain' },
        sentence: `${payer}. The bet is void: ${amount} was refunded ${describeStakeReturn(bet)}.${more}`,
      }
    case 'cashout':
      return { state: 'Cashed out', tone: 'good', sentence: `${payer}. The bet was cashed out: ${toAccount}` }
    default:
      return { state: 'Settled', tone: 'plain', sentence: `${payer}. ${amount} was paid.${more}` }
  }
}

/** Without the wallet's record nothing is claimed about the player's money. */
function describePlatformStanding(bet: PlatformBetDetail | undefined): BetStanding {
  if (bet === undefined) return { state: 'Unknown', tone: 'plain', sentence: 'No bet with this ID is on record.' }
  const why = bet.reason ? `: ${describePlatformReason(bet.reason)}` : ''
  const before = describeEarlierResults(listEarlierPlatformResults(bet), bet.status)
  const states: Readonly<Record<string, [string, Tone, string]>> = {
    placing: ['Being placed', 'wait', 'The partner has not responded yet.'],
    accepted: ['Open', 'open', `The partner has accepted the bet; its result is not known yet.${before}`],
    declined: ['Declined', 'bad', `The bet of ${moneyText(bet.amount, bet.currency)} was declined${why}.`],
    cancelled: ['Cancelled', 'plain', `The bet was cancelled${why}. The partner refunds a debited stake.`],
    settled: [
      formatResultType(bet.resultType ?? 'settled'),
      bet.resultType === 'won' ? 'good' : 'plain',
      `Result: ${formatResultType(bet.resultType ?? '')}, ${moneyText(bet.payout ?? '', bet.currency)}.${before}`,
    ],
  }
  const [state, tone, sentence] = states[bet.status] ?? [bet.status, 'plain' as const, '']
  return { state: state.charAt(0).toUpperCase() + state.slice(1), tone, sentence }
}
