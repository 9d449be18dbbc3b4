/** A bet's history as one list of moments, from what platform and wallet say of it: each may be missing. */

import { sumOf } from '../protocol/decimal.ts'
import { isZero, moneyText } from './amounts.ts'
import { callsOfPlatform, callsOfWallet } from './calls.ts'
import { type Decision, type History, inOrder } from './moments.ts'
import { sayReason, shortReason } from './reasons.ts'
import { sayResult } from './results.ts'
import type { Delivery, JournalCall, Operation, PlatformBet, Sources, WalletBet } from './sources.ts'

/** Oldest first. What moved money is told once: with the first attempt that can have moved it. */
export function historyOf({ wallet, platform, journal: found = [] }: Sources): History {
  const journal = wallet === undefined ? found : found.filter((call) => isAbout(wallet, call))
  const calls = platform ? callsOfPlatform(platform, wallet, journal) : callsOfWallet(wallet, journal)
  const decisions = platform ? platform.deliveries.map((delivery) => decisionOf(delivery, platform)) : []
  return {
    betId: wallet?.transactionId ?? platform?.betId ?? '',
    player: wallet?.userId ?? platform?.userId ?? '',
    currency: wallet?.currency ?? platform?.currency ?? '',
    moments: [...decisions, ...calls].sort(inOrder),
    isOfPlatformOnly: wallet === undefined && platform !== undefined,
  }
}

/** Another platform's call with this id is about another bet (W-43), unless the bet knows it: where bets are shared. */
function isAbout({ platform, history }: WalletBet, call: JournalCall): boolean {
  return call.platform === platform || history.some(({ requestId }) => requestId === call.requestId)
}

/** Some of its transfers lie in files (O-13): what they came to cannot be summed up here. */
export function isArchived({ history }: WalletBet): boolean {
  return history.some(({ archived }) => archived !== undefined)
}

/** What the bet has moved for the player, by the wallet's own word; undefined where it has moved nothing at all, or where files say it. */
export function netOf(bet: WalletBet): string | undefined {
  if (isArchived(bet)) return undefined
  const { history } = bet
  const amounts = history.flatMap(({ transfers }) => transfers.map(({ amount }) => amount))
  return amounts.length === 0 ? undefined : sumOf(amounts)
}

export interface Net {
  /** Without what is still in play: an open bet is not lost. */
  readonly net: string
  /** The player's stake of an open bet. */
  readonly inPlay?: string
}

/** What the bet has brought the player so far; undefined where it has moved nothing at all. */
export function netSoFar(bet: WalletBet): Net | undefined {
  const net = netOf(bet)
  const { status, stake, stakePaidBy } = bet
  if (net === undefined || status !== 'open' || stake === undefined || stakePaidBy === 'promotions')
    return net === undefined ? undefined : { net }
  return { net: sumOf([net, stake]), inPlay: stake }
}

function decisionOf(delivery: Delivery, bet: PlatformBet): Decision {
  const { operation, amount, deliveryId, decidedAt, request } = delivery
  const resultType = typeof request?.resultType === 'string' ? request.resultType : ''
  const money = amount === undefined ? '' : moneyText(amount, bet.currency)
  const errorCode = typeof request?.errorCode === 'number' ? request.errorCode : undefined
  const detail = {
    place: money,
    settle: amount !== undefined && isZero(amount) ? sayResult(resultType) : `${sayResult(resultType)} ${money}`.trim(),
    unsettle: 'result taken back',
    rollback: errorCode === undefined ? '' : shortReason(errorCode),
  }
  return {
    kind: 'decision',
    id: `decision-${deliveryId}`,
    at: Date.parse(decidedAt),
    operation,
    title: DECIDED[operation],
    detail: detail[operation],
    ...(operation === 'rollback' && errorCode !== undefined && { says: `because ${sayReason(errorCode)}` }),
  }
}

const DECIDED: Readonly<Record<Operation, string>> = {
  place: 'A bet is wanted',
  settle: 'A result is decided',
  unsettle: 'The result is withdrawn',
  rollback: 'The bet is cancelled',
}
