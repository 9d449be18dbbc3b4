// Load generator of the overload bench, a process that is controlled over IPC. It measures the
// unloaded rate, the overload, and the light load again.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchPlayer } from '../place-bet.ts'
import { type RequestSlab, signedRequests } from '../request-slab.ts'
import { openPipelinedConnection, type PipelinedConnection } from './pipelined-connection.ts'

export interface OverloadLoad {
  readonly port: number
  readonly secret: string
  readonly players: BenchPlayer[]
  readonly connections: number
  readonly depth: number
  readonly seconds: number
}

/** Times in milliseconds. */
export interface OverloadPhase {
  /** Replies with 200 per second. */
  readonly acceptedPerSecond: number
  readonly answersPerSecond: number
  /** Status → replies; 0 means that the connection broke, `none` that no reply came. */
  readonly statuses: Record<string, number>
  /** Replies of any status after the platform's time limit, and those with 200. */
  readonly late: number
  readonly lateAccepted: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** p50 of the calls answered with 200. */
  readonly p50AcceptedMs: number
}

export interface OverloadResult {
  /** Bets accepted before the first phase. */
  readonly warmupAccepted: number
  readonly unloaded: OverloadPhase
  readonly overload: OverloadPhase
  /** Light load from 2 s after the overload. */
  readonly after: OverloadPhase
}

const ANSWER_MS = 5_000
/** Enough connections to keep the server busy, few enough that no call waits. */
const LIGHT = { connections: 128, warmupSeconds: 8, seconds: 6 }
const AFTER = { pauseSeconds: 2, seconds: 4 }
/** Upper limit for replies per second in the overload, because the bets are signed before. */
const MOST_PER_SECOND = 45_000
const NS_PER_MS = 1_000_000

class Tally {
  readonly all: RecordableHistogram = createHistogram({ figures: 3 })
  readonly yes: RecordableHistogram = createHistogram({ figures: 3 })
  readonly statuses: Record<string, number> = {}
  readonly startedAt = performance.now()
  late = 0
  lateAccepted = 0

  answered(status: number, count: number, sentAt: number): void {
    const milliseconds = performance.now() - sentAt
    this.statuses[status] = (this.statuses[status] ?? 0) + count
    const nanoseconds = Math.ceil(milliseconds * NS_PER_MS)
    for (let i = 0; i < count; i++) this.all.record(nanoseconds)
    if (status === 200) for (let i = 0; i < count; i++) this.yes.record(nanoseconds)
    if (milliseconds <= ANSWER_MS) return
    this.late += count
    if (status === 200) this.lateAccepted += count
  }

  /** `unanswered`: calls without any reply. */
  phase(seconds: number, yes: number, unanswered: number): OverloadPhase {
    const { statuses, late, lateAccepted, all } = this
    const ms = (of: RecordableHistogram, percentile: number) => of.percentile(percentile) / NS_PER_MS
    return {
      ...{ acceptedPerSecond: yes / seconds, answersPerSecond: all.count / seconds, late, lateAccepted },
      statuses: { ...statuses, ...(unanswered > 0 && { none: unanswered }) },
      ...{ p50Ms: ms(all, 50), p99Ms: ms(all, 99), maxMs: all.max / NS_PER_MS, p50AcceptedMs: ms(this.yes, 50) },
    }
  }
}

async function run({ port, secret, players, connections, depth, seconds }: OverloadLoad): Promise<OverloadResult> {
  const host = `127.0.0.1:${port}`
  const light = signedRequests(500_000, players, host, secret)
  const heavy = signedRequests(Math.ceil(MOST_PER_SECOND * seconds + connections * depth), players, host, secret)
  let tally = new Tally()
  const open = (count: number, requests: RequestSlab) =>
    Promise.all(
      Array.from({ length: count }, () =>
        openPipelinedConnection(port, requests, (...answers) => tally.answered(...answers)),
      ),
    )
  const lightConnections = await open(LIGHT.connections, light)
  const lightly = async (forSeconds: number) => {
    tally = new Tally()
    for (const one of lightConnections) one.keepWaiting(1)
    return ended(tally, lightConnections, forSeconds)
  }
  const { statuses } = await lightly(LIGHT.warmupSeconds)
  const unloaded = await lightly(LIGHT.seconds)
  const heavyConnections = await opened(connections, (count) => open(count, heavy))
  tally = new Tally()
  for (const one of heavyConnections) one.keepWaiting(depth)
  const overload = await ended(tally, heavyConnections, seconds)
  for (const one of heavyConnections) one.close()
  await sleep(AFTER.pauseSeconds * 1_000)
  const after = await lightly(AFTER.seconds)
  for (const one of lightConnections) one.close()
  return { warmupAccepted: statuses[200] ?? 0, unloaded, overload, after }
}

const AT_ONCE = 200

async function opened(
  connections: number,
  open: (count: number) => Promise<PipelinedConnection[]>,
): Promise<PipelinedConnection[]> {
  const all: PipelinedConnection[] = []
  while (all.length < connections) all.push(...(await open(Math.min(AT_ONCE, connections - all.length))))
  return all
}

const DRAIN_TIMEOUT_MS = 20_000

/** Sends for the given time, then waits for the replies. Rates cover only the time of sending. */
async function ended(tally: Tally, connections: PipelinedConnection[], seconds: number): Promise<OverloadPhase> {
  await sleep(seconds * 1_000)
  const passed = (performance.now() - tally.startedAt) / 1_000
  const yes = tally.statuses[200] ?? 0
  for (const one of connections) one.stopSending()
  const until = performance.now() + DRAIN_TIMEOUT_MS
  while (connections.some((one) => one.waiting() > 0) && performance.now() < until) await sleep(10)
  const unanswered = connections.reduce((sum, one) => sum + one.waiting(), 0)
  return tally.phase(passed, yes, unanswered)
}

process.once('message', async (connections) => {
  process.send?.(await run(connections as OverloadLoad))
  process.disconnect()
})
