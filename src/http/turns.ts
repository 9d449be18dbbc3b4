/**
 * Work on calls, a little of it in each turn of the event loop, of which a process has one. Between two turns the database's
 * answers are looked for: they keep it busy, and must not wait behind the requests and replies of a hundred connections.
 */

/** Of some 20 µs each. */
const PER_TURN = 8

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
  setImmediate(turn)
}

function turn(): void {
  try {
    for (let i = 0; i < PER_TURN; i++) takeNext()?.()
  } finally {
    isScheduled = next < current.length || incoming.length > 0
    if (isScheduled) setImmediate(turn)
  }
}

function takeNext(): (() => void) | undefined {
  if (next === current.length) {
    current = incoming
    incoming = []
    next = 0
  }
  return next < current.length ? current[next++] : undefined
}
