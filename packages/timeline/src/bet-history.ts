/**
 * The history of a bet: its decisions and calls, from the records of platform and wallet. The
 * records of one side may be missing.
 */

import { sumDecimals } from '@purser/protocol/values/decimal'
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

/**
 * The oldest moment is first. Transfers appear once, with the first attempt that can have caused
 * them.
 */
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

/**
 * Another platform's call with this id concerns another bet (W-43), unless the platforms share
 * bets.
 */
function isAbout({ platform, history }: WalletBetDetail, call: JournalCallDetail): boolean {
  return call.platform === platform || history.some(({ requestId }) => requestId === call.requestId)
}

/** The sum of archived transfers (O-13) is unknown here. */
export function hasArchivedTransfers({ history }: WalletBetDetail): boolean {
  return history.some(({ archived }) => archived !== undefined)
}

/** The sum of the bet's transfers for the player. Undefined if none exists or some are archived. */
export function netAmountOf(bet: WalletBetDetail): string | undefined {
  if (hasArchivedTransfers(bet)) return undefined
  const { history } = bet
  const amounts = history.flatMap(({ transfers }) => transfers.map(({ amount }) => amount))
  return amounts.length === 0 ? undefined : sumDecimals(amounts)
}

export interface Net {
  /** Excludes the stake of an open bet, which is not lost. */
  readonly net: string
  /** The player's stake of an open bet. */
  readonly inPlay?: string
}

/** Undefined if no money moved, or if some transfers are archived. */
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
      errorCode !== undefined && { longDetail: `because ${describeRollbackReason(errorCode)}` }),
  }
}

const DECISION_TITLES: Readonly<Record<TimelineOperation, string>> = {
  place: 'Bet requested',
  settle: 'Result',
  unsettle: 'Result withdrawn',
  rollback: 'Bet cancelled',
}
