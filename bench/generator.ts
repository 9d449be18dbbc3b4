// The load generator, a process of its own, told over IPC what to do. Closed loop: every connection sends its next bet
// when the reply to its last one has arrived. A warm-up, a pause in which the requests of the measured window are
// signed (as many as the warm-up says are needed), "ready", then on "go" the measured window.
import { createHistogram } from 'node:perf_hooks'
import { BROKEN, type HttpConnection, openConnection } from './http-connection.ts'
import type { BenchPlayer } from './place-bet.ts'
import { type RequestSlab, signedRequests } from './request-slab.ts'

export interface Load {
  host: string
  port: number
  secret: string
  players: BenchPlayer[]
  connections: number
  warmupSeconds: number
  seconds: number
}

export interface Window {
  accepted: number
  /** Replies that were not a 200, by status; 0 = the connection broke. */
  refused: Record<string, number>
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Processor time of the generator itself, all threads: what it took away from the server under test. */
  generatorCpuSeconds: number
}

export type GeneratorMessage = { kind: 'ready' } | { kind: 'measured'; window: Window; acceptedInAll: number }

const WARMUP_REQUESTS_PER_SECOND = 30_000
const SPARE = 1.6
const ACCEPTED = 200
const NS_PER_MS = 1_000_000

async function run(load: Load): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(load.host, load.port)),
  )
  const half = load.warmupSeconds / 2
  const presign = (count: number) =>
    signedRequests(Math.ceil(count), load.players, `${load.host}:${load.port}`, load.secret)
  const warmup = () => drive(connections, presign(WARMUP_REQUESTS_PER_SECOND * half), half)
  const cold = await warmup()
  const warm = await warmup()
  const requests = presign((warm.accepted / warm.seconds) * load.seconds * SPARE + load.connections)
  await told('go', { kind: 'ready' })
  const window = await drive(connections, requests, load.seconds)
  tell({ kind: 'measured', window, acceptedInAll: cold.accepted + warm.accepted + window.accepted })
  for (const connection of connections) connection.close()
}

/** Resolves when the time is over (or the requests are) and every reply has arrived; all replies count, as does their time. */
async function drive(connections: HttpConnection[], requests: RequestSlab, seconds: number): Promise<Window> {
  const latency = createHistogram({ figures: 3 })
  const statuses = new Map<number, number>()
  const cpu = process.cpuUsage()
  const start = performance.now()
  const deadline = start + seconds * 1000
  const keepBusy = (connection: HttpConnection): Promise<void> =>
    new Promise((resolve) => {
      const sendNext = (now: number) => {
        const request = now < deadline ? requests.take() : undefined
        if (request === undefined) return resolve()
        connection.send(request, (status) => {
          const repliedAt = performance.now()
          if (status === ACCEPTED) latency.record(Math.ceil((repliedAt - now) * NS_PER_MS))
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
