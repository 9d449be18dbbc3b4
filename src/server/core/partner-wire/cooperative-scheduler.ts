/**
 * Work on calls, a little in each turn of the event loop. Between two turns the process looks for answers of the database: the
 * next statements depend on them, so they must not wait behind the requests and replies of a hundred connections.
 */
import { environment } from '../../../runtime/environment.ts'

/** Of some 20 µs each. */
const MIN_PER_TURN = 8
/** Of what waits, in one turn: a long queue gets a larger share of the time. */
const QUEUE_SHARE_PER_TURN = 1 / 8
/** Calls and replies that may wait; with more, calls wait outside (load-shedder.ts). */
const MAX_WAITING = 512

let current: (() => void)[] = []
/** Of `current`. */
let next = 0
let incoming: (() => void)[] = []
let isScheduled = false

/** Runs `work` after everything that came before it. */
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

/** How many more may wait; negative when there are too many. */
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
