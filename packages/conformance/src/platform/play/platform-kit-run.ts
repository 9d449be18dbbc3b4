/**
 * A run of the platform kit: first scenes in parallel, then scenes that restart the platform. At
 * the end the rules for the form of all requests are checked.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { toCaseResult } from '../../case-facts.ts'
import { KIT_VERSIONS } from '../../clauses.ts'
import type { Exchange, ReceivedAnswer } from '../../http-exchange.ts'
import { type CallRateLimiter, NO_RATE_LIMIT } from '../../rate-limiter.ts'
import type { CaseResult, CaseVerdict, ConformanceReport } from '../../reports/conformance-report.ts'
import type { PlatformCase, RequestRuleCase, ScenarioCase } from '../platform-case.ts'
import type { KitTiming } from './kit-timing.ts'
import { type MockWallet, startMockWallet } from './mock-wallet.ts'
import type { PlatformDriver } from './platform-driver.ts'
import type { RecordedRequest } from './request-log.ts'
import { findRequestRuleViolations } from './request-rules.ts'
import { judgeExpectation } from './scenario-judge.ts'
import { runScenario, type ScenarioOutcome } from './scenario-runner.ts'
import { createSharedRestart, type SharedRestart } from './shared-restart.ts'

export interface PlatformKitOptions {
  readonly cases: readonly PlatformCase[]
  readonly drive: PlatformDriver
  /** Shown in the report. */
  readonly target: string
  readonly timing: KitTiming
  readonly listen: { readonly host: string; readonly port: number; readonly publicUrl?: string }
  readonly isSlow: boolean
  readonly isStrict: boolean
  /** Limits the requests to the platform. */
  readonly pace?: CallRateLimiter
  readonly isWanted: (one: PlatformCase) => boolean
  readonly signal: AbortSignal
  readonly onResult: (result: CaseResult) => void
}

/** Limit of the exchanges of a failed case in the report. */
const MAX_EXCHANGES = 20

interface ScenarioContext extends PlatformKitOptions {
  readonly wallet: MockWallet
  readonly shared: SharedRestart
}

interface JudgedCase {
  readonly verdict: CaseVerdict
  readonly durationMs: number
}

/** Throws if the port is not available. */
export async function runPlatformKit(options: PlatformKitOptions): Promise<ConformanceReport> {
  const startedAt = new Date()
  const start = performance.now()
  setMaxListeners(0, options.signal) // every scene adds a listener
  const wallet = await startMockWallet({ ...options.listen, timing: options.timing })
  try {
    const results = await judgeAll(options, wallet)
    return {
      judged: 'platform',
      ...KIT_VERSIONS,
      command: '',
      target: options.target,
      notes: [`The kit played the wallet at ${wallet.url}.`],
      startedAt,
      durationMs: performance.now() - start,
      wasInterrupted: options.signal.aborted,
      isStrict: options.isStrict,
      results,
    }
  } finally {
    await wallet.close()
  }
}

async function judgeAll(options: PlatformKitOptions, wallet: MockWallet): Promise<CaseResult[]> {
  const wanted = options.cases.filter(options.isWanted)
  const scenes = options.cases.filter((one) => one.kind === 'scene')
  const isNeeded = wanted.some(({ kind }) => kind === 'form') ? () => true : (one: ScenarioCase) => wanted.includes(one)
  const played = scenes.filter((one) => isNeeded(one) && (one.slow !== true || options.isSlow))
  const reportResult = (one: PlatformCase, judged: JudgedCase) => {
    if (wanted.includes(one)) options.onResult(toCaseResult(one, judged.verdict, judged.durationMs))
    return judged
  }
  const results = new Map<string, JudgedCase>()
  const records: (readonly RecordedRequest[])[] = []
  const isRestarting = (one: ScenarioCase) => one.acts.some(({ kind }) => kind === 'restart')
  for (const batch of [played.filter((one) => !isRestarting(one)), played.filter(isRestarting)]) {
    const scenery = { ...options, wallet, shared: createSharedRestart(options.drive, batch.length) }
    await Promise.all(
      batch.map(async (one, i) => {
        await sleep(i * options.timing.startGapMs, undefined, { signal: options.signal }).catch(() => {})
        const { judged, calls } = await judgeScenario(scenery, one)
        records.push(calls)
        results.set(one.id, reportResult(one, judged))
      }),
    )
  }
  for (const one of wanted)
    if (one.kind === 'form') results.set(one.id, reportResult(one, judgeRequestRuleCase(one, records)))
  return wanted.map((one) => {
    const { verdict, durationMs } = results.get(one.id) ?? SLOW_CASE_SKIPPED
    return toCaseResult(one, verdict, durationMs)
  })
}

const SLOW_CASE_SKIPPED: JudgedCase = {
  verdict: { kind: 'not judged', why: 'the case takes more than six minutes and needs --slow', add: ['--slow'] },
  durationMs: 0,
}

async function judgeScenario(
  { wallet, drive, pace = NO_RATE_LIMIT, timing, signal, shared }: ScenarioContext,
  one: ScenarioCase,
): Promise<{ judged: JudgedCase; calls: readonly RecordedRequest[] }> {
  const start = performance.now()
  let hasArrived = false
  const restart = () => {
    hasArrived = true
    return shared.arrive()
  }
  const outcome = await runScenario({ wallet, drive, pace, timing, signal, restarting: shared.begins, restart }, one)
  if (!hasArrived) shared.leave()
  const judged = { verdict: toVerdict(one, outcome, timing), durationMs: performance.now() - start }
  return { judged, calls: outcome.played.calls }
}

function toVerdict(one: ScenarioCase, outcome: ScenarioOutcome, timing: KitTiming): CaseVerdict {
  if (outcome.kind === 'unable')
    return {
      ...{ kind: 'not judged', why: outcome.why },
      ...(outcome.isFault && !one.mayBeUnable && { isFault: true }),
      ...(!outcome.isFault && one.acts.some(({ kind }) => kind === 'restart') && { add: ['--restart'] }),
    }
  const { played } = outcome
  const faults = one.expect.flatMap((expectation) => judgeExpectation(expectation, played, timing) ?? [])
  if (faults.length === 0) return { kind: 'passed' }
  return toFailedVerdict([...new Set(faults)].join('; '), played.calls)
}

function judgeRequestRuleCase(one: RequestRuleCase, records: readonly (readonly RecordedRequest[])[]): JudgedCase {
  const faults = findRequestRuleViolations(one.rule, records)
  if (faults === undefined)
    return { verdict: { kind: 'not judged', why: 'the platform sent no such call' }, durationMs: 0 }
  const [first] = faults
  if (first === undefined) return { verdict: { kind: 'passed' }, durationMs: 0 }
  const more = faults.length > 1 ? `; ${faults.length - 1} more such calls` : ''
  const calls = faults.slice(0, MAX_EXCHANGES).map(({ call }) => call)
  return { verdict: toFailedVerdict(`${first.call.call}: ${first.fault}${more}`, calls), durationMs: 0 }
}

function toFailedVerdict(why: string, calls: readonly RecordedRequest[]): CaseVerdict {
  return { kind: 'failed', why, exchanges: calls.slice(-MAX_EXCHANGES).map(toExchange), repeat: '' }
}

function toExchange({ call, method, path, headers, bytes, at, ended, partner }: RecordedRequest): Exchange {
  const single = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as const],
  )
  return {
    what: call,
    request: {
      method,
      url: partner.baseUrl + path,
      headers: Object.fromEntries(single),
      body: bytes.toString('utf8'),
    },
    answer: toReceivedAnswer(ended),
    startedAt: new Date(performance.timeOrigin + at),
    durationMs: (ended?.at ?? performance.now()) - at,
  }
}

function toReceivedAnswer(ended: RecordedRequest['ended']): ReceivedAnswer {
  if (ended === undefined || ended.status === null) return { kind: 'none', why: 'the kit did not answer' }
  return { kind: 'some', status: ended.status, contentType: 'application/json', body: ended.body }
}
