/** A bet's history as one list of moments, from what platform and wallet say of it: each may be missing. */

import { sumDecimals } from '../protocol/values/decimal.ts'
import { isZero, moneyText } from './amount-text.ts'
import type {
  BetSources,
  DeliveryView,
  JournalCallDetail,
  PlatformBetDetail,
  TimelineOperation,
  WalletBetDetail,
} from './bet-sources.ts'
import { type BetHistory, compareMoments, type PlatformDecision } from './drawing/timeline-moments.ts'
import { mergePlatformCalls, mergeWalletCalls } from './merged-calls.ts'
import { formatResultType } from './result-names.ts'
import { describeRollbackReason, shortRollbackReason } from './rollback-reasons.ts'

/** Oldest first. What moved money is told once: with the first attempt that can have moved it. */
export function buildBetHistory({ wallet, platform, journal: found = [] }: BetSources): BetHistory {
  const journal = wallet === undefined ? found : found.filter((call) => isAbout(wallet, call))
  const calls = platform ? mergePlatformCalls(platform, wallet, journal) : mergeWalletCalls(wallet, journal)
  const decisions = platform ? platform.deliveries.map((delivery) => toDecision(delivery, platform)) : []
  return {
    betId: wallet?.transactionId ?? platform?.betId ?? '',
    player: wallet?.userId ?? platform?.userId ?? '',
    currency: wallet?.currency ?? platform?.currency ?? '',
    moments: [...decisions, ...calls].sort(compareMoments),
    isOfPlatformOnly: wallet === undefined && platform !== undefined,
  }
}

/** Another platform's call with this id is about another bet (W-43), unless the bet knows it: where bets are shared. */
function isAbout({ platform, history }: WalletBetDetail, call: JournalCallDetail): boolean {
  return call.platform === platform || history.some(({ requestId }) => requestId === call.requestId)
}

/** Some of its transfers lie in files (O-13): what they came to cannot be summed up here. */
export function hasArchivedTransfers({ history }: WalletBetDetail): boolean {
  return history.some(({ archived }) => archived !== undefined)
}

/** What the bet has moved for the player, by the wallet's own word; undefined where it has moved nothing at all, or where files say it. */
export function netAmountOf(bet: WalletBetDetail): string | undefined {
  if (hasArchivedTransfers(bet)) return undefined
  const { history } = bet
  const amounts = history.flatMap(({ transfers }) => transfers.map(({ amount }) => amount))
  return amounts.length === 0 ? undefined : sumDecimals(amounts)
}

export interface Net {
  /** Without what is still in play: an open bet is not lost. */
  readonly net: string
  /** The player's stake of an open bet. */
  readonly inPlay?: string
}

/** What the bet has brought the player so far; undefined where it has moved nothing at all. */
export function netSoFar(bet: WalletBetDetail): Net | undefined {
  const net = netAmountOf(bet)
  const { status, stake, stakePaidBy } = bet
  if (net === undefined || status !== 'open' || stake === undefined || stakePaidBy === 'promotions')
    return net === undefined ? undefined : { net }
  return { net: sumDecimals([net, stake]), inPlay: stake }
}

function toDecision(delivery: DeliveryView, bet: PlatformBetDetail): PlatformDecision {
  const { operation, amount, deliveryId, decidedAt, request } = delivery
  const resultType = typeof request?.resultType === 'string' ? request.resultType : ''
  const money = amount === undefined ? '' : moneyText(amount, bet.currency)
  const errorCode = typeof request?.errorCode === 'number' ? request.errorCode : undefined
  const detail = {
    place: money,
    settle:
      amount !== undefined && isZero(amount)
        ? formatResultType(resultType)
        : `${formatResultType(resultType)} ${money}`.trim(),
    unsettle: '',
    rollback: errorCode === undefined ? '' : shortRollbackReason(errorCode),
  }
  return {
    kind: 'decision',
    id: `decision-${deliveryId}`,
    at: Date.parse(decidedAt),
    operation,
    title: DECISION_TITLES[operation],
    detail: detail[operation],
    ...(operation === 'rollback' &&
      errorCode !== undefined && { says: `because ${describeRollbackReason(errorCode)}` }),
  }
}

const DECISION_TITLES: Readonly<Record<TimelineOperation, string>> = {
  place: 'Bet requested',
  settle: 'Result',
  unsettle: 'Result withdrawn',
  rollback: 'Bet cancelled',
}
