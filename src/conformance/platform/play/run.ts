/** A whole run: every scene at once, those that kill the platform after the others, then the rules of form; and the report. */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { toResult } from '../../case-facts.ts'
import type { Exchange, ReceivedAnswer } from '../../exchange.ts'
import { type Pace, UNPACED } from '../../pace.ts'
import type { CaseResult, Report, Verdict } from '../../report/report.ts'
import { VERSIONS } from '../../report/versions.ts'
import type { FormCase, PlatformCase, SceneCase } from '../case.ts'
import type { Drive } from './drive.ts'
import { judgeForm } from './form.ts'
import { judge } from './judge.ts'
import { type Outcome, play } from './play.ts'
import type { Received } from './record.ts'
import { type SharedRestart, shareRestart } from './restart.ts'
import type { Timing } from './timing.ts'
import { type KitWallet, startWallet } from './wallet.ts'

export interface RunOptions {
  readonly cases: readonly PlatformCase[]
  readonly drive: Drive
  /** Named in the report. */
  readonly target: string
  readonly timing: Timing
  readonly listen: { readonly host: string; readonly port: number; readonly publicUrl?: string }
  /** Slow cases are judged too. */
  readonly isSlow: boolean
  readonly isStrict: boolean
  /** Of the wishes. */
  readonly pace?: Pace
  /** Judge these only. */
  readonly isWanted: (one: PlatformCase) => boolean
  readonly signal: AbortSignal
  readonly onResult: (result: CaseResult) => void
}

/** Exchanges of a failed case that are kept. */
const MAX_EXCHANGES = 20

interface Scenery extends RunOptions {
  readonly wallet: KitWallet
  readonly shared: SharedRestart
}

interface Judged {
  readonly verdict: Verdict
  readonly durationMs: number
}

/** Throws when the port cannot be had. */
export async function runPlatformKit(options: RunOptions): Promise<Report> {
  const startedAt = new Date()
  const start = performance.now()
  setMaxListeners(0, options.signal) // every scene listens, and they are many
  const wallet = await startWallet({ ...options.listen, timing: options.timing })
  try {
    const results = await judgeAll(options, wallet)
    return {
      judged: 'platform',
      ...VERSIONS,
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

async function judgeAll(options: RunOptions, wallet: KitWallet): Promise<CaseResult[]> {
  const wanted = options.cases.filter(options.isWanted)
  const scenes = options.cases.filter((one) => one.kind === 'scene')
  const isNeeded = wanted.some(({ kind }) => kind === 'form') ? () => true : (one: SceneCase) => wanted.includes(one)
  const played = scenes.filter((one) => isNeeded(one) && (one.slow !== true || options.isSlow))
  const tell = (one: PlatformCase, judged: Judged) => {
    if (wanted.includes(one)) options.onResult(toResult(one, judged.verdict, judged.durationMs))
    return judged
  }
  const results = new Map<string, Judged>()
  const records: (readonly Received[])[] = []
  const isRestarting = (one: SceneCase) => one.acts.some(({ kind }) => kind === 'restart')
  for (const batch of [played.filter((one) => !isRestarting(one)), played.filter(isRestarting)]) {
    const scenery = { ...options, wallet, shared: shareRestart(options.drive, batch.length) }
    await Promise.all(
      batch.map(async (one, i) => {
        await sleep(i * options.timing.startGapMs, undefined, { signal: options.signal }).catch(() => {})
        const { judged, calls } = await judgeScene(scenery, one)
        records.push(calls)
        results.set(one.id, tell(one, judged))
      }),
    )
  }
  for (const one of wanted) if (one.kind === 'form') results.set(one.id, tell(one, judgeFormCase(one, records)))
  return wanted.map((one) => {
    const { verdict, durationMs } = results.get(one.id) ?? LEFT_OUT
    return toResult(one, verdict, durationMs)
  })
}

const LEFT_OUT: Judged = {
  verdict: { kind: 'not judged', why: 'left out, takes more than six minutes: --slow', add: ['--slow'] },
  durationMs: 0,
}

async function judgeScene(
  { wallet, drive, pace = UNPACED, timing, signal, shared }: Scenery,
  one: SceneCase,
): Promise<{ judged: Judged; calls: readonly Received[] }> {
  const start = performance.now()
  let hasArrived = false
  const restart = () => {
    hasArrived = true
    return shared.arrive()
  }
  const outcome = await play({ wallet, drive, pace, timing, signal, restarting: shared.begins, restart }, one)
  if (!hasArrived) shared.leave()
  const judged = { verdict: toVerdict(one, outcome, timing), durationMs: performance.now() - start }
  return { judged, calls: outcome.played.calls }
}

function toVerdict(one: SceneCase, outcome: Outcome, timing: Timing): Verdict {
  if (outcome.kind === 'unable')
    return {
      ...{ kind: 'not judged', why: outcome.why },
      ...(outcome.isFault && !one.mayBeUnable && { isFault: true }),
      ...(!outcome.isFault && one.acts.some(({ kind }) => kind === 'restart') && { add: ['--restart'] }),
    }
  const { played } = outcome
  const faults = one.expect.flatMap((expectation) => judge(expectation, played, timing) ?? [])
  if (faults.length === 0) return { kind: 'passed' }
  return failed([...new Set(faults)].join('; '), played.calls)
}

function judgeFormCase(one: FormCase, records: readonly (readonly Received[])[]): Judged {
  const faults = judgeForm(one.rule, records)
  if (faults === undefined) return { verdict: { kind: 'not judged', why: 'no such call was seen' }, durationMs: 0 }
  const [first] = faults
  if (first === undefined) return { verdict: { kind: 'passed' }, durationMs: 0 }
  const more = faults.length > 1 ? `; ${faults.length - 1} more such calls` : ''
  const calls = faults.slice(0, MAX_EXCHANGES).map(({ call }) => call)
  return { verdict: failed(`${first.call.call}: ${first.fault}${more}`, calls), durationMs: 0 }
}

function failed(why: string, calls: readonly Received[]): Verdict {
  return { kind: 'failed', why, exchanges: calls.slice(-MAX_EXCHANGES).map(toExchange), repeat: '' }
}

function toExchange({ call, method, path, headers, bytes, at, ended, partner }: Received): Exchange {
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
    answer: toAnswer(ended),
    startedAt: new Date(performance.timeOrigin + at),
    durationMs: (ended?.at ?? performance.now()) - at,
  }
}

function toAnswer(ended: Received['ended']): ReceivedAnswer {
  if (ended === undefined || ended.status === null) return { kind: 'none', why: 'the kit did not answer' }
  return { kind: 'some', status: ended.status, contentType: 'application/json', body: ended.body }
}
