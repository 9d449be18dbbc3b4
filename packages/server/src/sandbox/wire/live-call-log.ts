/**
 * Log of the calls that pass the fault proxy, with the verdict on each answer of the wallet. The
 * log includes calls in progress. Old calls are removed from it.
 */

import type { Exchange, ReceivedAnswer, SentRequest } from '@purser/conformance/http-exchange'
import type { LiveJudge, Verdict } from '@purser/conformance/verdict/live-verdict'
import type { BetOperation, Operation } from '@purser/protocol/operation'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import { formatCurlCommand } from '@purser/runtime/text/curl-command'
import type { CallInterceptor, InjectedFault, ProxyEvent } from './fault-proxy.ts'
import { parseOperation } from './wallet-forwarding.ts'

export interface LiveCall {
  readonly number: number
  readonly at: string
  readonly player: string
  readonly token: string | undefined
  readonly operation: Operation
  /** Empty for calls that are not about a bet. */
  readonly betId: string
  readonly amount: string | undefined
  readonly currency: string | undefined
  readonly resultType: string | undefined
  readonly trouble: InjectedFault | undefined
  /** Undefined while the call is in progress. */
  status?: number
  code?: number
  /** No answer arrived in time. */
  isLost: boolean
  /** The same bytes arrived again. */
  isAgain: boolean
  endedAt?: string
  /** The proxy's own delays are not included. */
  durationMs?: number
  /** Undefined if the call has not reached the wallet. */
  request?: SentRequest
  answer?: ReceivedAnswer
  verdict?: Verdict
  /** Repeats the call. */
  curl?: string
}

const MAX_CALLS = 300

export interface LiveCallLog extends CallInterceptor {
  /** Returns the calls that changed after this number of changes. */
  since(change: number): { readonly calls: readonly LiveCall[]; readonly next: number }
  /** Applies to the next call of this operation, by default of any player. */
  injectFault(fault: InjectedFault, of?: { readonly operation?: BetOperation; readonly player?: string }): void
  /** During `work` no fault is drawn for the player's calls. */
  withoutDraws<T>(player: string, work: () => Promise<T>): Promise<T>
}

/** Observes calls after the log has recorded the event. */
export interface LiveCallListener {
  sent?(call: LiveCall): void
  /**
   * The wallet has answered, has failed to, or was not reached. `verdicts` are new. The first one
   * concerns this call, the others earlier calls.
   */
  ended?(call: LiveCall, verdicts: readonly LiveCallVerdict[]): void
}

export function joinListeners(listeners: readonly LiveCallListener[]): LiveCallListener {
  return {
    sent(call) {
      for (const listener of listeners) listener.sent?.(call)
    },
    ended(call, verdicts) {
      for (const listener of listeners) listener.ended?.(call, verdicts)
    },
  }
}

/** A verdict and its call. Undefined: no single call, or a call that the log has removed. */
export interface LiveCallVerdict {
  readonly call: LiveCall | undefined
  readonly verdict: Verdict
}

export interface LiveCallLogOptions {
  /** The player of a call; undefined for calls that are not logged. */
  findPlayer(body: Readonly<Record<string, unknown>>): string | undefined
  /** Logs only the four bet operations. */
  readonly onlyBets?: boolean
  /** Calls without a requested fault may get one that the proxy draws. */
  readonly drawsFaults?: boolean
  readonly judge?: Pick<LiveJudge, 'begin' | 'end'>
  /** Tokens that are known to be no longer valid. */
  readonly deadTokens?: ReadonlySet<string>
  readonly listener?: LiveCallListener
}

interface LogEntry {
  readonly call: LiveCall
  changed: number
}

interface PreparedFault {
  readonly fault: InjectedFault
  readonly operation: BetOperation
  readonly player: string | undefined
}

interface LogState {
  readonly options: LiveCallLogOptions
  readonly entries: LogEntry[]
  numbers: number
  changes: number
  /** Entries by the judge's number of the call. */
  readonly judged: Map<number, LogEntry>
}

export function createLiveCallLog(options: LiveCallLogOptions): LiveCallLog {
  const { onlyBets = false, drawsFaults = false } = options
  const log: LogState = { options, entries: [], numbers: 0, changes: 0, judged: new Map() }
  const prepared: PreparedFault[] = []
  const quiet = new Map<string, number>()
  /** Bets whose Place bet is delayed until their Rollback has an answer. */
  const delayedPlaceBets = new Map<string, () => void>()
  const takeFault = (operation: Operation, player: string): InjectedFault | undefined => {
    const place = prepared.findIndex(
      (one) => one.operation === operation && (one.player === undefined || one.player === player),
    )
    return place < 0 ? undefined : prepared.splice(place, 1)[0]?.fault
  }
  return {
    since(change) {
      return { calls: log.entries.filter(({ changed }) => changed > change).map(({ call }) => call), next: log.changes }
    },
    injectFault(fault, { operation = 'place', player } = {}) {
      prepared.push({ fault, operation, player })
    },
    async withoutDraws(player, work) {
      quiet.set(player, (quiet.get(player) ?? 0) + 1)
      return work().finally(() => quiet.set(player, (quiet.get(player) ?? 1) - 1))
    },
    intercept(passing, draw) {
      const operation = parseOperation(passing)
      const body = operation && parseJsonObject(passing.body.toString())
      const player = body && options.findPlayer(body)
      if (operation === undefined || body === undefined || player === undefined) return undefined
      if (onlyBets && !passing.path.endsWith('/payment/bet')) return undefined
      const mayDraw = drawsFaults && (quiet.get(player) ?? 0) === 0
      const fault = takeFault(operation, player) ?? (mayDraw ? draw() : undefined)
      const { transactionId } = body
      const betId = typeof transactionId === 'string' ? transactionId : ''
      const create = (isAgain: boolean) => addCall(log, { operation, player, betId, body, fault, isAgain })
      const first = create(false)
      let again: LogEntry | undefined
      const overtaken =
        fault === 'late call' && operation === 'place'
          ? new Promise<void>((resolve) => delayedPlaceBets.set(betId, resolve))
          : undefined
      const isDead = typeof body.token === 'string' && options.deadTokens?.has(body.token) === true
      return {
        fault,
        overtaken,
        notify(event) {
          if (operation === 'rollback' && event.kind === 'answered') {
            delayedPlaceBets.get(betId)?.()
            delayedPlaceBets.delete(betId)
          }
          const isAgain = 'isAgain' in event && event.isAgain
          if (isAgain) again ??= create(true)
          recordEvent(log, isAgain && again !== undefined ? again : first, event, isDead)
        },
      }
    },
  }
}

interface NewCall {
  readonly operation: Operation
  readonly player: string
  readonly betId: string
  readonly body: Readonly<Record<string, unknown>>
  readonly fault: InjectedFault | undefined
  readonly isAgain: boolean
}

function addCall(log: LogState, { operation, player, betId, body, fault, isAgain }: NewCall): LogEntry {
  log.numbers += 1
  log.changes += 1
  const toText = (value: unknown) => (value === undefined || value === null ? undefined : String(value))
  const call: LiveCall = {
    ...{ number: log.numbers, at: new Date().toISOString(), player, operation, betId, trouble: fault },
    ...{ amount: toText(body.amount), currency: toText(body.currency), resultType: toText(body.resultType) },
    token: toText(body.token),
    ...{ isLost: false, isAgain },
  }
  const entry = { call, changed: log.changes }
  log.entries.push(entry)
  if (log.entries.length > MAX_CALLS) log.entries.shift()
  return entry
}

/** The judge's number of a call in progress. */
const judgeNumbers = new WeakMap<LiveCall, number>()

function recordEvent(log: LogState, entry: LogEntry, event: ProxyEvent, isDead: boolean): void {
  const { judge, listener = {} } = log.options
  const { call } = entry
  log.changes += 1
  entry.changed = log.changes
  switch (event.kind) {
    case 'sent':
      call.request = event.request
      call.curl = formatCurlCommand(withoutUserAgent(event.request))
      if (judge !== undefined)
        rememberJudged(log, judge.begin(event.request, event.at, isDead ? { deadToken: true } : undefined), entry)
      listener.sent?.(call)
      break
    case 'answered':
      recordAnswer(call, event.exchange)
      notifyAnswered(log, call, event.exchange)
      break
    case 'unreachable':
      call.answer = { kind: 'none', why: event.why }
      listener.ended?.(call, [])
      break
    case 'lost':
      call.isLost = true
      if (call.request === undefined) listener.ended?.(call, [])
      break
    case 'over':
      call.endedAt ??= new Date().toISOString()
      if (call.status === undefined || call.trouble === 'late answer') call.isLost = true
      break
    default:
      event satisfies never
  }
}

/** The answer is judged even if no listener receives the verdicts. */
function notifyAnswered(log: LogState, call: LiveCall, exchange: Exchange): void {
  const verdicts = judgeAnswer(log, call, exchange)
  log.options.listener?.ended?.(call, verdicts)
}

function judgeAnswer(log: LogState, call: LiveCall, exchange: Exchange): readonly LiveCallVerdict[] {
  const number = judgeNumbers.get(call)
  const verdicts = number === undefined ? [] : (log.options.judge?.end(number, exchange) ?? [])
  return verdicts.map((verdict) => ({ verdict, call: attachVerdict(log, verdict) }))
}

function rememberJudged(log: LogState, number: number, entry: LogEntry): void {
  judgeNumbers.set(entry.call, number)
  log.judged.set(number, entry)
  for (const old of [...log.judged.keys()].slice(0, -MAX_CALLS)) log.judged.delete(old)
}

/** The program's version would only lengthen the command. */
function withoutUserAgent(request: SentRequest): SentRequest {
  const { 'user-agent': _, ...headers } = request.headers
  return { ...request, headers }
}

function recordAnswer(call: LiveCall, { answer, durationMs }: Exchange): void {
  call.answer = answer
  call.durationMs = durationMs
  if (call.trouble === 'late call') call.isLost = true
  if (answer.kind === 'none') return
  call.status = answer.status
  const code = parseCode(answer.body)
  if (code !== undefined) call.code = code
  if (call.trouble !== 'late answer') call.endedAt = new Date().toISOString()
}

function parseCode(text: string): number | undefined {
  const code = parseJsonObject(text)?.code
  return typeof code === 'number' ? code : undefined
}

/** A later verdict about a call replaces the earlier one. */
function attachVerdict(log: LogState, verdict: Verdict): LiveCall | undefined {
  const entry = log.judged.get(verdict.call)
  if (entry === undefined) return undefined
  entry.call.verdict = verdict
  log.changes += 1
  entry.changed = log.changes
  return entry.call
}
