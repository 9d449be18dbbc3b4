/**
 * Merges the platform's attempts, the wallet's calls and the wallet's journal into one list, in
 * which each attempt appears once.
 */

import type {
  AttemptView,
  DeliveryView,
  JournalCallDetail,
  PlatformBetDetail,
  TimelineOperation,
  WalletBetDetail,
  WalletCallView,
} from './bet-sources.ts'
import { compareMoments, isTimelineOperation, type TimelineCall } from './drawing/timeline-moments.ts'
import { describeReplyCode } from './refusal-reasons.ts'

/**
 * Attempts of one delivery share a `requestId`, so the wallet's records are assigned to attempts by
 * time.
 *
 * A record without an attempt is a call of its own. The platform's process died during the call, or
 * another system sent it.
 */
export function mergePlatformCalls(
  platform: PlatformBetDetail,
  wallet: WalletBetDetail | undefined,
  journal: readonly JournalCallDetail[],
): TimelineCall[] {
  const sent = platform.deliveries.flatMap((delivery) => {
    const walletCalls = (wallet?.history ?? []).filter((entry) => isSentBy(delivery, entry))
    const journalCalls = journal
      .filter((call) => isSentBy(delivery, call))
      .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    const calls = delivery.attemptList.map((made) => callOfAttempt(delivery, made, journalCalls))
    return [...attachWalletCalls(delivery, calls, walletCalls, journalCalls), ...listUpcomingCalls(delivery)]
  })
  const isLeft = (call: WalletCallView | JournalCallDetail) =>
    !platform.deliveries.some((delivery) => isSentBy(delivery, call))
  const left = wallet && { ...wallet, history: wallet.history.filter(isLeft) }
  return [...sent, ...mergeWalletCalls(left, journal.filter(isLeft))]
}

/**
 * A record from before the first attempt was not sent by this delivery. The two clocks nearly agree
 * (`CLOCKS_MS`).
 */
function isSentBy(
  { requestId, attemptList: [first] }: DeliveryView,
  call: WalletCallView | JournalCallDetail,
): boolean {
  if (first === undefined || call.requestId !== requestId) return false
  return Date.parse(call.at) >= Date.parse(first.startedAt) - CLOCKS_MS
}

function callOfAttempt(
  delivery: DeliveryView,
  made: AttemptView,
  journalCalls: readonly JournalCallDetail[],
): TimelineCall {
  const at = Date.parse(made.startedAt)
  const end = at + made.durationMs
  const journal = journalCalls.find(
    (call) => Date.parse(call.at) >= at - CLOCKS_MS && Date.parse(call.at) <= end + CLOCKS_MS,
  )
  return {
    kind: 'call',
    id: `call-${delivery.deliveryId}-${made.number}`,
    at,
    durationMs: made.durationMs,
    operation: delivery.operation,
    requestId: delivery.requestId,
    attempt: made.number,
    ending: made.outcome === 'unknown' ? 'unanswered' : made.outcome,
    answer: made.httpStatus === null ? describeSilence(made) : describeAnswer(made.httpStatus, made.code),
    transfers: [],
    made,
    delivery,
    ...(journal && { journal }),
  }
}

/** The most by which the clocks of two hosts differ. */
const CLOCKS_MS = 50

/**
 * A record belongs to the last attempt that began before it. A second record of that attempt is a
 * copy made by the network, and a moment of its own.
 */
function attachWalletCalls(
  { deliveryId }: DeliveryView,
  calls: readonly TimelineCall[],
  walletCalls: readonly WalletCallView[],
  journalCalls: readonly JournalCallDetail[],
): TimelineCall[] {
  const sent = new Map<number, WalletCallView>()
  const copies: TimelineCall[] = []
  for (const [i, entry] of walletCalls.entries()) {
    const at = Date.parse(entry.at)
    const place = calls.findLastIndex((call) => call.at <= at + CLOCKS_MS)
    if (!sent.has(place)) sent.set(place, entry)
    else copies.push({ ...callOfWallet(entry, journalCalls[i]), id: `call-${deliveryId}-copy-${i}`, isCopy: true })
  }
  const known = calls.map((call, i) => {
    const wallet = sent.get(i)
    if (wallet === undefined) return call
    const ending = call.ending === 'accepted' && wallet.outcome === 'repeated' ? 'repeated' : call.ending
    return { ...call, wallet, transfers: wallet.transfers, ending }
  })
  return [...known, ...copies]
}

function listUpcomingCalls(delivery: DeliveryView): TimelineCall[] {
  if (delivery.status !== 'pending' && delivery.status !== 'waiting' && delivery.status !== 'stuck') return []
  const last = delivery.attemptList.at(-1)
  const at = delivery.dueAt ?? last?.startedAt ?? delivery.decidedAt
  const isStuck = delivery.status === 'stuck'
  const words = {
    pending: 'next attempt',
    waiting: 'waits for the call before it',
    stuck: 'exhausted: needs attention',
  }
  return [
    {
      kind: 'call',
      id: `call-${delivery.deliveryId}-next`,
      at: Date.parse(at) + (isStuck ? (last?.durationMs ?? 0) : 0),
      durationMs: 0,
      operation: delivery.operation,
      requestId: delivery.requestId,
      attempt: (last?.number ?? 0) + 1,
      ending: isStuck ? 'stuck' : 'pending',
      answer: words[delivery.status as keyof typeof words],
      transfers: [],
      delivery,
    },
  ]
}

/**
 * Without the platform's record, the times come from the wallet and the durations from its journal.
 */
export function mergeWalletCalls(
  wallet: WalletBetDetail | undefined,
  journal: readonly JournalCallDetail[],
): TimelineCall[] {
  if (wallet === undefined) return []
  const rest = [...journal]
  const take = (entry: WalletCallView) => {
    const i = rest.findIndex(
      (call) => call.requestId === entry.requestId && Math.abs(Date.parse(call.at) - Date.parse(entry.at)) < 5_000,
    )
    return i < 0 ? undefined : rest.splice(i, 1)[0]
  }
  const known = wallet.history.map((entry, i) => ({ ...callOfWallet(entry, take(entry)), id: `call-wallet-${i}` }))
  const others = rest.flatMap((call) => (isOfBet(call) ? [callOfJournal(call)] : []))
  const counts = new Map<string, number>()
  return [...known, ...others].sort(compareMoments).map((call) => {
    const attempt = (counts.get(call.requestId) ?? 0) + 1
    counts.set(call.requestId, attempt)
    return { ...call, attempt }
  })
}

function isOfBet({ operation }: JournalCallDetail): boolean {
  return isTimelineOperation(operation)
}

function callOfWallet(entry: WalletCallView, journal: JournalCallDetail | undefined): Omit<TimelineCall, 'id'> {
  const { operation, requestId, outcome, code, transfers } = entry
  return {
    kind: 'call',
    at: Date.parse(journal?.at ?? entry.at),
    durationMs: journal ? journal.milliseconds.arrival + journal.milliseconds.work : 0,
    operation,
    requestId,
    attempt: 1,
    ending: outcome === 'applied' ? 'accepted' : outcome,
    answer: describeAnswer(outcome === 'refused' ? 400 : 200, code),
    transfers,
    wallet: entry,
    ...(journal && { journal }),
  }
}

function callOfJournal(journal: JournalCallDetail): TimelineCall {
  const { status, code } = journal.answer
  return {
    kind: 'call',
    id: `call-journal-${journal.id}`,
    at: Date.parse(journal.at),
    durationMs: journal.milliseconds.arrival + journal.milliseconds.work,
    operation: journal.operation as TimelineOperation,
    requestId: journal.requestId ?? '',
    attempt: 1,
    ending: status === 200 ? 'repeated' : status === 400 ? 'refused' : 'unanswered',
    answer: describeAnswer(status, code),
    transfers: [],
    journal,
  }
}

/** A network error is not "no response", because it came before the time-out. */
function describeSilence({ error = '' }: AttemptView): string {
  if (!error.startsWith('network')) return 'no response'
  return /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(error) ? 'no connection' : 'connection lost'
}

function describeAnswer(status: number | null, code: number | undefined): string {
  if (status === null) return 'no response'
  return code === undefined ? `${status}` : describeReplyCode(code)
}
