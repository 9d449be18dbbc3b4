/** A bet's history as one list of moments, from what platform and wallet say of it: each may be missing. */
import { sumOf } from './sum.ts'

export interface Transfer {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly at: string
}

/** GET /operator/players/{userId}/bets/{transactionId}, as far as it is read here. */
export interface WalletBet {
  readonly userId: string
  readonly transactionId: string
  readonly platform?: string
  readonly status: 'unknown' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly currency?: string
  readonly stake?: string
  readonly stakePaidBy?: 'player' | 'promotions'
  readonly payout?: string
  readonly resultType?: string
  readonly refusalCode?: number
  readonly locked?: boolean
  readonly firstSeenAt: string
  readonly details?: unknown
  readonly history: readonly WalletCall[]
}

export interface WalletCall {
  readonly operation: Operation
  readonly requestId: string
  readonly outcome: 'applied' | 'repeated' | 'refused'
  readonly code?: number
  readonly amount?: string
  readonly currency?: string
  readonly resultType?: string
  readonly errorCode?: number
  readonly anomaly?: string
  readonly at: string
  readonly transfers: readonly Transfer[]
}

export type Operation = 'place' | 'settle' | 'unsettle' | 'rollback'

/** GET /bets/{betId} of the platform. */
export interface PlatformBet {
  readonly betId: string
  readonly partnerId: string
  readonly userId: string
  readonly status: string
  readonly reason?: string
  readonly amount: string
  readonly currency: string
  readonly coefficient: string
  readonly payout?: string
  readonly resultType?: string
  readonly placedAt: string
  readonly selections?: readonly Readonly<Record<string, unknown>>[]
  readonly deliveries: readonly Delivery[]
}

export interface Delivery {
  readonly deliveryId: string
  readonly number: number
  readonly operation: Operation
  readonly requestId: string
  readonly status: 'waiting' | 'pending' | 'done' | 'refused' | 'unknown' | 'stuck'
  readonly amount?: string
  readonly currency?: string
  readonly code?: number
  readonly error?: string
  readonly decidedAt: string
  readonly dueAt?: string
  readonly request?: Readonly<Record<string, unknown>>
  readonly attemptList: readonly Attempt[]
}

export interface Attempt {
  readonly number: number
  readonly startedAt: string
  readonly durationMs: number
  readonly httpStatus: number | null
  readonly outcome: 'accepted' | 'refused' | 'unknown'
  readonly code?: number
  readonly error?: string
  readonly body: string
}

/** GET /operator/calls. */
export interface JournalCall {
  readonly id: string
  readonly at: string
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string
  readonly transactionId?: string
  readonly requestId?: string
  readonly platform?: string
  readonly signature: string
  readonly request: { readonly body: string; readonly bytes: number; readonly sha256: string }
  readonly answer: { readonly status: number; readonly code?: number; readonly body: string }
  readonly milliseconds: {
    readonly arrival: number
    readonly work: number
    readonly queue?: number
    readonly database?: number
    readonly reply?: number
  }
}

/** How an attempt ended, as the caller saw it. */
export type Ending = 'accepted' | 'repeated' | 'refused' | 'unanswered' | 'pending' | 'stuck'

export interface Decision {
  readonly kind: 'decision'
  readonly id: string
  readonly at: number
  readonly operation: Operation
  readonly title: string
  readonly detail: string
}

export interface Call {
  readonly kind: 'call'
  readonly id: string
  readonly at: number
  readonly durationMs: number
  readonly operation: Operation
  readonly requestId: string
  readonly attempt: number
  /** Nobody sent it again: it came twice. */
  readonly isCopy?: true
  readonly ending: Ending
  /** "200", "400 code 7", "no answer". */
  readonly answer: string
  readonly transfers: readonly Transfer[]
  /** What the wallet did with the request, if it ever came there. */
  readonly wallet?: WalletCall
  readonly made?: Attempt
  readonly delivery?: Delivery
  readonly journal?: JournalCall
}

export type Moment = Decision | Call

export interface History {
  readonly betId: string
  readonly player: string
  readonly currency: string
  readonly moments: readonly Moment[]
}

export interface Sources {
  readonly wallet?: WalletBet | undefined
  readonly platform?: PlatformBet | undefined
  readonly journal?: readonly JournalCall[] | undefined
}

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
  }
}

/** Another platform's call with this id is about another bet (W-43), unless the bet knows it: where bets are shared. */
function isAbout({ platform, history }: WalletBet, call: JournalCall): boolean {
  return call.platform === platform || history.some(({ requestId }) => requestId === call.requestId)
}

/** What the bet has moved for the player, by the wallet's own word; undefined where it has moved nothing at all. */
export function netOf({ history }: WalletBet): string | undefined {
  const amounts = history.flatMap(({ transfers }) => transfers.map(({ amount }) => amount))
  return amounts.length === 0 ? undefined : sumOf(amounts)
}

function inOrder(a: Moment, b: Moment): number {
  return a.at - b.at || (a.kind === b.kind ? 0 : a.kind === 'decision' ? -1 : 1)
}

const TITLES: Readonly<Record<Operation, string>> = {
  place: 'Place bet',
  settle: 'Settle',
  unsettle: 'Unsettle',
  rollback: 'Rollback',
}

export function titleOf(operation: string): string {
  return TITLES[operation as Operation] ?? operation
}

function decisionOf(delivery: Delivery, bet: PlatformBet): Decision {
  const { operation, amount, deliveryId, decidedAt, request } = delivery
  const resultType = typeof request?.resultType === 'string' ? request.resultType : ''
  const money = amount === undefined ? '' : `${amount} ${bet.currency}`
  const reason = typeof request?.errorCode === 'number' ? `reason ${request.errorCode}` : ''
  const detail = {
    place: money,
    settle: `${resultType} ${money}`.trim(),
    unsettle: 'result taken back',
    rollback: reason,
  }
  return {
    kind: 'decision',
    id: `decision-${deliveryId}`,
    at: Date.parse(decidedAt),
    operation,
    title: DECIDED[operation],
    detail: detail[operation],
  }
}

const DECIDED: Readonly<Record<Operation, string>> = {
  place: 'A bet is wanted',
  settle: 'A result is decided',
  unsettle: 'The result is withdrawn',
  rollback: 'The bet is undone',
}

/**
 * Several attempts carry one requestId; what the wallet says of it belongs to those that came there, in order. What the platform has no attempt
 * of on record came to the wallet all the same: its process died over the call, or somebody else sent it.
 */
function callsOfPlatform(
  platform: PlatformBet,
  wallet: WalletBet | undefined,
  journal: readonly JournalCall[],
): Call[] {
  const sent = platform.deliveries.flatMap((delivery) => {
    const told = (wallet?.history ?? []).filter((entry) => isSentBy(delivery, entry))
    const seen = journal.filter((call) => isSentBy(delivery, call)).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    const calls = delivery.attemptList.map((made) => callOfAttempt(delivery, made, seen))
    return [...withWallet(delivery, calls, told, seen), ...toCome(delivery)]
  })
  const isLeft = (call: WalletCall | JournalCall) => !platform.deliveries.some((delivery) => isSentBy(delivery, call))
  const left = wallet && { ...wallet, history: wallet.history.filter(isLeft) }
  return [...sent, ...callsOfWallet(left, journal.filter(isLeft))]
}

/** Both sides have one clock where both are in view: what came before the first attempt on record was sent by none of those. */
function isSentBy({ requestId, attemptList: [first] }: Delivery, call: WalletCall | JournalCall): boolean {
  if (first === undefined || call.requestId !== requestId) return false
  return Date.parse(call.at) >= Date.parse(first.startedAt) - CLOCKS_MS
}

function callOfAttempt(delivery: Delivery, made: Attempt, seen: readonly JournalCall[]): Call {
  const at = Date.parse(made.startedAt)
  const end = at + made.durationMs
  const journal = seen.find((call) => Date.parse(call.at) >= at - CLOCKS_MS && Date.parse(call.at) <= end + CLOCKS_MS)
  return {
    kind: 'call',
    id: `call-${delivery.deliveryId}-${made.number}`,
    at,
    durationMs: made.durationMs,
    operation: delivery.operation,
    requestId: delivery.requestId,
    attempt: made.number,
    ending: made.outcome === 'unknown' ? 'unanswered' : made.outcome,
    answer: answerOf(made.httpStatus, made.code),
    transfers: [],
    made,
    delivery,
    ...(journal && { journal }),
  }
}

/** Milliseconds by which the clocks of two hosts may differ here. */
const CLOCKS_MS = 50

/**
 * What came to the wallet was sent by the last attempt that began before it. What came more often than it was sent is a copy that the network
 * made: a moment of its own.
 */
function withWallet(
  { deliveryId }: Delivery,
  calls: readonly Call[],
  told: readonly WalletCall[],
  seen: readonly JournalCall[],
): Call[] {
  const sent = new Map<number, WalletCall>()
  const copies: Call[] = []
  for (const [i, entry] of told.entries()) {
    const at = Date.parse(entry.at)
    const place = calls.findLastIndex((call) => call.at <= at + CLOCKS_MS)
    if (!sent.has(place)) sent.set(place, entry)
    else copies.push({ ...callOfWallet(entry, seen[i]), id: `call-${deliveryId}-copy-${i}`, isCopy: true })
  }
  const known = calls.map((call, i) => {
    const wallet = sent.get(i)
    if (wallet === undefined) return call
    const ending = call.ending === 'accepted' && wallet.outcome === 'repeated' ? 'repeated' : call.ending
    return { ...call, wallet, transfers: wallet.transfers, ending }
  })
  return [...known, ...copies]
}

function toCome(delivery: Delivery): Call[] {
  if (delivery.status !== 'pending' && delivery.status !== 'waiting' && delivery.status !== 'stuck') return []
  const last = delivery.attemptList.at(-1)
  const at = delivery.dueAt ?? last?.startedAt ?? delivery.decidedAt
  const isStuck = delivery.status === 'stuck'
  const words = { pending: 'next try', waiting: 'waits for the one before', stuck: 'given up: needs a person' }
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

/** The wallet alone knows when a call came, and from its journal how long it took. */
function callsOfWallet(wallet: WalletBet | undefined, journal: readonly JournalCall[]): Call[] {
  if (wallet === undefined) return []
  const rest = [...journal]
  const take = (entry: WalletCall) => {
    const i = rest.findIndex(
      (call) => call.requestId === entry.requestId && Math.abs(Date.parse(call.at) - Date.parse(entry.at)) < 5_000,
    )
    return i < 0 ? undefined : rest.splice(i, 1)[0]
  }
  const known = wallet.history.map((entry, i) => ({ ...callOfWallet(entry, take(entry)), id: `call-wallet-${i}` }))
  const others = rest.flatMap((call) => (isOfBet(call) ? [callOfJournal(call)] : []))
  const counts = new Map<string, number>()
  return [...known, ...others].sort(inOrder).map((call) => {
    const attempt = (counts.get(call.requestId) ?? 0) + 1
    counts.set(call.requestId, attempt)
    return { ...call, attempt }
  })
}

function isOfBet({ operation }: JournalCall): boolean {
  return operation in TITLES
}

function callOfWallet(entry: WalletCall, journal: JournalCall | undefined): Omit<Call, 'id'> {
  const { operation, requestId, outcome, code, transfers } = entry
  return {
    kind: 'call',
    at: Date.parse(journal?.at ?? entry.at),
    durationMs: journal ? journal.milliseconds.arrival + journal.milliseconds.work : 0,
    operation,
    requestId,
    attempt: 1,
    ending: outcome === 'applied' ? 'accepted' : outcome,
    answer: answerOf(outcome === 'refused' ? 400 : 200, code),
    transfers,
    wallet: entry,
    ...(journal && { journal }),
  }
}

function callOfJournal(journal: JournalCall): Call {
  const { status, code } = journal.answer
  return {
    kind: 'call',
    id: `call-journal-${journal.id}`,
    at: Date.parse(journal.at),
    durationMs: journal.milliseconds.arrival + journal.milliseconds.work,
    operation: journal.operation as Operation,
    requestId: journal.requestId ?? '',
    attempt: 1,
    ending: status === 200 ? 'repeated' : status === 400 ? 'refused' : 'unanswered',
    answer: answerOf(status, code),
    transfers: [],
    journal,
  }
}

function answerOf(status: number | null, code: number | undefined): string {
  if (status === null) return 'no answer'
  return code === undefined ? `${status}` : `${status} code ${code}`
}
