/** The work of one worker: its share of the calls at their times, then what the wallet has left open. */
import { performance, type RecordableHistogram } from 'node:perf_hooks'
import type { Headers } from '../runtime/headers.ts'
import { createRandom } from '../runtime/random.ts'
import { createWalletClient, type WalletClient } from '../wallet-client/wallet-client.ts'
import type { Call } from './bet.ts'
import { type Book, createBook, type Doubt } from './book.ts'
import type { Stakes } from './draw.ts'
import { newHistogram, recordMs } from './latency.ts'
import type { Mix } from './mix.ts'
import type { Player } from './player.ts'
import { keepSchedule, type Schedule } from './schedule.ts'
import { settleUp } from './settle-up.ts'
import { count, newTally, type Tally } from './tally.ts'
import { zipf } from './zipf.ts'

/** What a worker is told; it crosses to another thread. */
export interface Task {
  readonly baseUrl: string
  readonly secrets: readonly string[]
  readonly headers?: Headers
  readonly players: readonly Player[]
  readonly mix: Mix
  readonly zipf: number
  readonly stakes: Stakes
  readonly seed: number
  readonly schedule: Schedule
  readonly intervalMs: number
  readonly patienceMs: number
}

/** What has happened since the last one. */
export interface Tick {
  answered: number
  refused: number
  unanswered: number
  readonly latency: RecordableHistogram
}

/** A call whose money is not known, for people. */
export interface OpenCall {
  readonly player: number
  readonly betId: string
  readonly operation: Call['message']['operation']
  readonly why: string
}

export interface Driven {
  readonly tally: Tally
  readonly moved: ReadonlyMap<number, bigint>
  readonly open: readonly OpenCall[]
  /** Calls whose money was not known when the load was over. */
  readonly doubts: number
  readonly unsent: number
  /** Of the time of the load, in which this thread was at work: near 1 it was too slow itself. */
  readonly busy: number
  readonly loadMs: number
  /** The load was ended because too much was in doubt. */
  readonly gaveUp: boolean
}

/** Doubts of one worker at which the load ends: a wallet that answers nothing is not filled with more. */
const MAX_DOUBTS = 100_000
const TICK_MS = 1_000

export async function drive(task: Task, onTick: (tick: Tick) => void, stop: AbortSignal): Promise<Driven> {
  const { baseUrl, secrets, headers, players, schedule } = task
  const { connections } = schedule
  const client = createWalletClient({ baseUrl, secrets, headers, part: 'load', connections })
  const random = createRandom(task.seed, `worker ${schedule.worker}`)
  const book = createBook({ ...task, drawPlayer: zipf(players.length, task.zipf), random })
  try {
    const load = await runLoad(task, { client, book, onTick, stop })
    const doubts = book.doubts.length
    const left = await settleUp(book.doubts, {
      ask: (doubt) => askAgain(doubt, client, book),
      atOnce: schedule.connections,
      patienceMs: task.patienceMs,
    })
    return { ...load, moved: book.moved, open: left.map(toOpenCall), doubts }
  } finally {
    await client.close()
  }
}

interface Tools {
  readonly client: WalletClient
  readonly book: Book
  readonly onTick: (tick: Tick) => void
  readonly stop: AbortSignal
}

async function runLoad({ schedule, intervalMs }: Task, { client, book, onTick, stop }: Tools) {
  const tally = newTally()
  const enough = new AbortController()
  let tick = newTick()
  const ticking = setInterval(() => {
    onTick(tick)
    tick = newTick()
  }, TICK_MS)
  const startedAt = performance.now()
  const idle = performance.eventLoopUtilization()
  const begin = async (due: number, afterStart: number) => {
    const call = book.next()
    const { outcome } = await send(client, call.message, call.bet.betId)
    const tookMs = performance.now() - due
    book.tell(call, outcome)
    count(tally, { kind: call.kind, outcome, interval: Math.floor(afterStart / intervalMs), tookMs })
    tick[outcome.kind === 'accepted' ? 'answered' : outcome.kind === 'refused' ? 'refused' : 'unanswered']++
    recordMs(tick.latency, tookMs)
    if (book.doubts.length >= MAX_DOUBTS) enough.abort()
  }
  const { unsent } = await keepSchedule(schedule, begin, AbortSignal.any([stop, enough.signal]))
  clearInterval(ticking)
  const busy = performance.eventLoopUtilization(idle).utilization
  return { tally, unsent, busy, loadMs: performance.now() - startedAt, gaveUp: enough.signal.aborted }
}

function newTick(): Tick {
  return { answered: 0, refused: 0, unanswered: 0, latency: newHistogram(2) }
}

function send(client: WalletClient, { operation, body }: Call['message'], betId: string) {
  return client.call(operation, body, betId)
}

async function askAgain(doubt: Doubt, client: WalletClient, book: Book): Promise<Doubt | undefined> {
  const { outcome } = await send(client, doubt.again, doubt.call.bet.betId)
  return book.tellAgain(doubt, outcome)
}

function toOpenCall({ call: { bet, message }, why }: Doubt): OpenCall {
  return { player: bet.player, betId: bet.betId, operation: message.operation, why }
}
