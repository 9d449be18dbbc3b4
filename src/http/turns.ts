/**
 * Work on calls, a little in each turn of the event loop. Between two turns the process looks for answers of the database: the
 * next statements depend on them, so they must not wait behind the requests and replies of a hundred connections.
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
