/**
 * Task of one worker: the worker sends its share of the calls on time, and then retries the calls
 * in doubt.
 */
import { performance, type RecordableHistogram } from 'node:perf_hooks'
import { createWalletClient, type WalletClient } from '@purser/protocol/client/wallet-client'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import { createRandom } from '@purser/runtime/seeded-random'
import type { LoadCall } from '../bet-state.ts'
import type { StakeRanges } from '../call-draw.ts'
import type { CallMix } from '../call-mix.ts'
import type { LoadPlayer } from '../player.ts'
import { type CallTally, countCall, createCallTally } from '../report/call-tally.ts'
import { createLatencyHistogram, recordLatency } from '../report/latency-histogram.ts'
import { createZipfDraw } from '../zipf-distribution.ts'
import { type OpenLoopSchedule, runSchedule } from './open-loop-schedule.ts'
import { retryUnacknowledged } from './unacknowledged-retry.ts'
import { createWorkerBook, type UnacknowledgedCall, type WorkerBook } from './worker-book.ts'

export interface WorkerTask {
  readonly baseUrl: string
  readonly secrets: readonly string[]
  readonly headers?: ExtraHeaders
  readonly players: readonly LoadPlayer[]
  readonly mix: CallMix
  readonly zipf: number
  readonly stakes: StakeRanges
  readonly seed: number
  readonly schedule: OpenLoopSchedule
  readonly intervalMs: number
  readonly stallTimeoutMs: number
}

/** Counts since the last tick. */
export interface LoadTick {
  answered: number
  refused: number
  unanswered: number
  readonly latency: RecordableHistogram
}

export interface UnresolvedCall {
  readonly player: number
  readonly betId: string
  readonly operation: LoadCall['message']['operation']
  readonly why: string
}

export interface WorkerResult {
  readonly tally: CallTally
  readonly moved: ReadonlyMap<number, bigint>
  readonly open: readonly UnresolvedCall[]
  /** Calls in doubt before the retries. */
  readonly doubts: number
  readonly unsent: number
  /** Share of the time in which this thread was busy. Near 1 the thread itself was too slow. */
  readonly busy: number
  readonly loadMs: number
  /** The load ended early because too many calls were in doubt. */
  readonly gaveUp: boolean
}

/** Calls in doubt at which the load ends, so that a silent wallet gets no more calls. */
const MAX_UNACKNOWLEDGED = 100_000
const TICK_MS = 1_000

export async function runWorkerTask(
  task: WorkerTask,
  onTick: (tick: LoadTick) => void,
  stop: AbortSignal,
): Promise<WorkerResult> {
  const { baseUrl, secrets, headers, players, schedule } = task
  const { connections } = schedule
  const client = createWalletClient({ baseUrl, secrets, headers, part: 'load', connections })
  const random = createRandom(task.seed, `worker ${schedule.worker}`)
  const book = createWorkerBook({ ...task, drawPlayer: createZipfDraw(players.length, task.zipf), random })
  try {
    const load = await sendScheduledCalls(task, { client, book, onTick, stop })
    const doubts = book.doubts.length
    const left = await retryUnacknowledged(book.doubts, {
      retry: (unacknowledged) => retryUnacknowledgedCall(unacknowledged, client, book),
      atOnce: schedule.connections,
      stallTimeoutMs: task.stallTimeoutMs,
    })
    return { ...load, moved: book.moved, open: left.map(toUnresolvedCall), doubts }
  } finally {
    await client.close()
  }
}

interface WorkerTools {
  readonly client: WalletClient
  readonly book: WorkerBook
  readonly onTick: (tick: LoadTick) => void
  readonly stop: AbortSignal
}

async function sendScheduledCalls({ schedule, intervalMs }: WorkerTask, { client, book, onTick, stop }: WorkerTools) {
  const tally = createCallTally()
  const giveUp = new AbortController()
  let tick = newTick()
  const ticking = setInterval(() => {
    onTick(tick)
    tick = newTick()
  }, TICK_MS)
  const startedAt = performance.now()
  const idle = performance.eventLoopUtilization()
  const begin = async (due: number, afterStart: number) => {
    const call = book.next()
    const { outcome } = await sendCall(client, call.message, call.bet.betId)
    const tookMs = performance.now() - due
    book.recordAnswer(call, outcome)
    countCall(tally, { kind: call.kind, outcome, interval: Math.floor(afterStart / intervalMs), tookMs })
    tick[outcome.kind === 'accepted' ? 'answered' : outcome.kind === 'refused' ? 'refused' : 'unanswered']++
    recordLatency(tick.latency, tookMs)
    if (book.doubts.length >= MAX_UNACKNOWLEDGED) giveUp.abort()
  }
  const { unsent } = await runSchedule(schedule, begin, AbortSignal.any([stop, giveUp.signal]))
  clearInterval(ticking)
  const busy = performance.eventLoopUtilization(idle).utilization
  return { tally, unsent, busy, loadMs: performance.now() - startedAt, gaveUp: giveUp.signal.aborted }
}

function newTick(): LoadTick {
  return { answered: 0, refused: 0, unanswered: 0, latency: createLatencyHistogram(2) }
}

function sendCall(client: WalletClient, { operation, body }: LoadCall['message'], betId: string) {
  return client.call(operation, body, betId)
}

async function retryUnacknowledgedCall(
  unacknowledged: UnacknowledgedCall,
  client: WalletClient,
  book: WorkerBook,
): Promise<UnacknowledgedCall | undefined> {
  const { outcome } = await sendCall(client, unacknowledged.again, unacknowledged.call.bet.betId)
  return book.recordRetryAnswer(unacknowledged, outcome)
}

function toUnresolvedCall({ call: { bet, message }, why }: UnacknowledgedCall): UnresolvedCall {
  return { player: bet.player, betId: bet.betId, operation: message.operation, why }
}
