// The load generator, a process of its own that is controlled over IPC.
//
// - Closed loop: each connection sends its next call after the reply to its last one.
// - Open loop, in the measured window only: calls start at fixed times. Latency counts from the due
//   time, even if no connection is free.
//
// Requests are signed during the warm-up, and before the measured window for that window. The
// generator then reports "ready" and begins on "go".
import { createHistogram } from 'node:perf_hooks'
import { BROKEN, type HttpConnection, openHttpConnection } from './http-connection.ts'
import type { BenchPlayer } from './place-bet.ts'
import { repeatEndlessly, type SuppliedRequest, type Supply, supplyBets, supplyBetsAndResults } from './supply.ts'

export interface GeneratorLoad {
  host: string
  /** Ports of the processes, over which the connections are spread. */
  ports: number[]
  /** Sends a Settle for each Place bet too. */
  settles: boolean
  secret: string
  players: BenchPlayer[]
  connections: number
  warmupSeconds: number
  seconds: number
  /** Open loop: calls started per second, however slow the replies are. Absent: closed loop. */
  callsPerSecond?: number
}

export interface Window {
  /** Calls answered with 200, and the Place bets among them. */
  accepted: number
  acceptedBets: number
  /** Status → number of replies other than 200; 0 means that the connection broke. */
  refused: Record<string, number>
  seconds: number
  p50Ms: number
  p99Ms: number
  p999Ms: number
  maxMs: number
  /** CPU time of the generator (all threads), which the server under test did not have. */
  generatorCpuSeconds: number
}

export type GeneratorMessage = { kind: 'ready' } | { kind: 'measured'; window: Window; betsInAll: number }

const SPARE = 1.6
const ACCEPTED = 200
const NS_PER_MS = 1_000_000

async function run(load: GeneratorLoad): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, (_, i) =>
      openHttpConnection(load.host, load.ports[i % load.ports.length]!),
    ),
  )
  const half = load.warmupSeconds / 2
  const supply = load.settles ? supplyBetsAndResults(load) : supplyBets(load)
  const cold = await drive(connections, repeatEndlessly(supply), half)
  const warm = await drive(connections, repeatEndlessly(supply), half)
  const callsPerSecond = load.callsPerSecond ?? (warm.accepted / warm.seconds) * SPARE
  supply.sign(Math.ceil(callsPerSecond * load.seconds) + load.connections)
  globalThis.gc?.()
  await waitForWord('go', { kind: 'ready' })
  const window = await drive(connections, supply, load.seconds, load.callsPerSecond)
  sendMessage({ kind: 'measured', window, betsInAll: cold.acceptedBets + warm.acceptedBets + window.acceptedBets })
  for (const connection of connections) connection.close()
}

/**
 * Ends when the time is over or the requests are used up, and every reply has arrived. The rate
 * includes late replies and their time.
 */
async function drive(
  connections: HttpConnection[],
  supply: Supply,
  seconds: number,
  callsPerSecond?: number,
): Promise<Window> {
  const latency = createHistogram({ figures: 3 })
  const statuses = new Map<number, number>()
  let acceptedBets = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  const deadline = start + seconds * 1000
  const send: Send = (connection, request, begunAt, then) =>
    connection.send(request.bytes, (status) => {
      const repliedAt = performance.now()
      if (status === ACCEPTED) {
        latency.record(Math.ceil((repliedAt - begunAt) * NS_PER_MS))
        if (request.isBet) acceptedBets++
        request.accepted?.()
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      then(status, repliedAt)
    })
  if (callsPerSecond !== undefined) await openLoop(connections, supply, send, start, deadline, callsPerSecond)
  else await Promise.all(connections.map((connection) => keepBusy(connection, supply, send, deadline)))
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
    p999Ms: latency.percentile(99.9) / NS_PER_MS,
    maxMs: latency.max / NS_PER_MS,
    generatorCpuSeconds: (spent.user + spent.system) / 1e6,
  }
}

type Send = (
  connection: HttpConnection,
  request: SuppliedRequest,
  begunAt: number,
  then: (status: number, repliedAt: number) => void,
) => void

function keepBusy(connection: HttpConnection, supply: Supply, send: Send, deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const sendNext = (now: number) => {
      const request = now < deadline ? supply.next() : undefined
      if (request === undefined) return resolve()
      send(connection, request, now, (status, repliedAt) => (status === BROKEN ? resolve() : sendNext(repliedAt)))
    }
    sendNext(performance.now())
  })
}

/** The timer fires each millisecond, and the delay of a start counts as the server's time. */
function openLoop(
  connections: HttpConnection[],
  supply: Supply,
  send: Send,
  start: number,
  deadline: number,
  callsPerSecond: number,
): Promise<void> {
  const free = [...connections]
  const dueAt = (call: number) => start + (call * 1000) / callsPerSecond
  let begun = 0
  let underWay = 0
  let isOver = false
  return new Promise((resolve) => {
    const beginDue = () => {
      while (free.length > 0 && dueAt(begun) <= Math.min(performance.now(), deadline)) {
        const request = supply.next()
        isOver = request === undefined
        if (request === undefined) break
        const connection = free.pop()!
        underWay++
        send(connection, request, dueAt(begun++), (status) => {
          underWay--
          if (status !== BROKEN) free.push(connection)
          beginDue()
        })
      }
      isOver ||= dueAt(begun) > deadline
      if (underWay > 0 || !isOver) return
      clearInterval(timer)
      resolve()
    }
    const timer = setInterval(beginDue, 1)
  })
}

function sendMessage(message: GeneratorMessage): void {
  process.send!(message)
}

function waitForWord(word: string, ready: GeneratorMessage): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === word) resolve()
    })
    sendMessage(ready)
  })
}

process.once('message', (load) => void run(load as GeneratorLoad).then(() => process.disconnect()))
