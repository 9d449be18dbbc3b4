/**
 * Work on calls, a little in each turn of the event loop. Between two turns the process looks for answers of the database: the
 * next statements depend on them, so they must not wait behind the requests and replies of a hundred connections.
 */
import { world } from '../runtime/world.ts'

/** Of some 20 µs each. */
const PER_TURN = 8
/** Of what waits, in one turn: a long queue gets a larger share of the time. */
const SHARE = 1 / 8
/** Calls and replies that may wait; with more, calls wait outside (door.ts). */
const MOST_WAITING = 512

let current: (() => void)[] = []
/** Of `current`. */
let next = 0
let incoming: (() => void)[] = []
let isScheduled = false

/** Runs `work` after everything that came before it. */
export function inTurn(work: () => void): void {
  incoming.push(work)
  if (isScheduled) return
  isScheduled = true
  world.nextTurn(turn)
}

function turn(): void {
  try {
    for (let count = Math.max(PER_TURN, waiting() * SHARE); count > 0; count--) takeNext()?.()
  } finally {
    isScheduled = waiting() > 0
    if (isScheduled) world.nextTurn(turn)
  }
}

function waiting(): number {
  return current.length - next + incoming.length
}

/** How many more may wait; negative when there are too many. */
export function turnRoom(): number {
  return MOST_WAITING - waiting()
}

function takeNext(): (() => void) | undefined {
  if (next === current.length) {
    current = incoming
    incoming = []
    next = 0
  }
  return next < current.length ? current[next++] : undefined
}
