// The load generator, a process of its own, told over IPC what to do. Closed loop: every connection sends its next call
// when the reply to its last one has arrived. A warm-up, a pause in which the requests of the measured window are
// signed (as many as the warm-up says are needed), "ready", then on "go" the measured window.
import { createHistogram } from 'node:perf_hooks'
import { BROKEN, type HttpConnection, openConnection } from './http-connection.ts'
import type { BenchPlayer } from './place-bet.ts'
import { betsAndResults, betsOnly, type Supply } from './supply.ts'

export interface Load {
  host: string
  /** Of the processes; the connections are spread over them. */
  ports: number[]
  /** Besides Place bets, as many Settles. */
  settles: boolean
  secret: string
  players: BenchPlayer[]
  connections: number
  warmupSeconds: number
  seconds: number
}

export interface Window {
  /** Calls answered with 200, and the Place bets among them. */
  accepted: number
  acceptedBets: number
  /** Replies that were not a 200, by status; 0 = the connection broke. */
  refused: Record<string, number>
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Processor time of the generator itself, all threads: what it took away from the server under test. */
  generatorCpuSeconds: number
}

export type GeneratorMessage = { kind: 'ready' } | { kind: 'measured'; window: Window; betsInAll: number }

const WARMUP_REQUESTS_PER_SECOND = 30_000
const SPARE = 1.6
const ACCEPTED = 200
const NS_PER_MS = 1_000_000

async function run(load: Load): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, (_, i) => openConnection(load.host, load.ports[i % load.ports.length]!)),
  )
  const half = load.warmupSeconds / 2
  const supply = load.settles ? betsAndResults(load) : betsOnly(load)
  const presign = (count: number) => supply.sign(Math.ceil(count))
  const warmup = () => {
    presign(WARMUP_REQUESTS_PER_SECOND * half)
    return drive(connections, supply, half)
  }
  const cold = await warmup()
  const warm = await warmup()
  presign((warm.accepted / warm.seconds) * load.seconds * SPARE + load.connections)
  await told('go', { kind: 'ready' })
  const window = await drive(connections, supply, load.seconds)
  tell({ kind: 'measured', window, betsInAll: cold.acceptedBets + warm.acceptedBets + window.acceptedBets })
  for (const connection of connections) connection.close()
}

/** Resolves when the time is over (or the requests are) and every reply has arrived; all replies count, as does their time. */
async function drive(connections: HttpConnection[], supply: Supply, seconds: number): Promise<Window> {
  const latency = createHistogram({ figures: 3 })
  const statuses = new Map<number, number>()
  let acceptedBets = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  const deadline = start + seconds * 1000
  const keepBusy = (connection: HttpConnection): Promise<void> =>
    new Promise((resolve) => {
      const sendNext = (now: number) => {
        const request = now < deadline ? supply.next() : undefined
        if (request === undefined) return resolve()
        connection.send(request.bytes, (status) => {
          const repliedAt = performance.now()
          if (status === ACCEPTED) {
            latency.record(Math.ceil((repliedAt - now) * NS_PER_MS))
            if (request.isBet) acceptedBets++
            request.accepted?.()
          }
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === BROKEN) resolve()
          else sendNext(repliedAt)
        })
      }
      sendNext(performance.now())
    })
  await Promise.all(connections.map(keepBusy))
  const end = performance.now()
  const spent = process.cpuUsage(cpu)
  const { [ACCEPTED]: accepted = 0, ...refused } = Object.fromEntries(statuses)
  return {
    accepted,
    acceptedBets,
    refused,
    seconds: (end - start) / 1000,
    p50Ms: latency.percentile(50) / NS_PER_MS,
    p99Ms: latency.percentile(99) / NS_PER_MS,
    maxMs: latency.max / NS_PER_MS,
    generatorCpuSeconds: (spent.user + spent.system) / 1e6,
  }
}

function tell(message: GeneratorMessage): void {
  process.send!(message)
}

function told(word: string, ready: GeneratorMessage): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === word) resolve()
    })
    tell(ready)
  })
}

process.once('message', (load) => void run(load as Load).then(() => process.disconnect()))
