/**
 * Cooperative scheduler: it spreads the work on calls over the turns of the event loop.
 *
 * Between two turns the process reads the answers of the database, on which the next statements
 * depend. If one turn handled the requests and replies of 100 connections, these statements would
 * wait for each of these connections.
 */
import { environment } from '@purser/runtime/environment'

/** Units of work; each takes about 20 µs. */
const MIN_PER_TURN = 8
/** Share of the waiting work that one turn processes, so a long queue gets more time. */
const QUEUE_SHARE_PER_TURN = 1 / 8
/**
 * Calls and replies that may wait. Beyond that, calls wait in the admission queue
 * (admission-queue.ts).
 */
const MAX_WAITING = 512

let current: (() => void)[] = []
/** Index in `current`. */
let next = 0
let incoming: (() => void)[] = []
let isScheduled = false

/** First in, first out. */
export function scheduleWork(work: () => void): void {
  incoming.push(work)
  if (isScheduled) return
  isScheduled = true
  environment.nextTurn(runTurn)
}

function runTurn(): void {
  try {
    for (let count = Math.max(MIN_PER_TURN, countWaiting() * QUEUE_SHARE_PER_TURN); count > 0; count--)
      takeNextWork()?.()
  } finally {
    isScheduled = countWaiting() > 0
    if (isScheduled) environment.nextTurn(runTurn)
  }
}

function countWaiting(): number {
  return current.length - next + incoming.length
}

/** Negative when more than MAX_WAITING wait. */
export function freeSlots(): number {
  return MAX_WAITING - countWaiting()
}

function takeNextWork(): (() => void) | undefined {
  if (next === current.length) {
    current = incoming
    incoming = []
    next = 0
  }
  return next < current.length ? current[next++] : undefined
}
