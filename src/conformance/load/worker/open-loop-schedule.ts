/**
 * Open loop: each call has its time, whatever has become of those before it. One that finds every connection taken waits, and its
 * latency counts from its time. So a wallet that stops for a second is seen to have kept a second's calls waiting.
 */

export interface OpenLoopSchedule {
  /** Calls per second, of all workers together. */
  readonly rate: number
  readonly durationMs: number
  /** Which of how many workers this is: they take turns. */
  readonly worker: number
  readonly workers: number
  /** Calls of this worker at once. */
  readonly connections: number
}

export interface ScheduleResult {
  readonly begun: number
  /** Calls whose time came and who found no free connection until the end. */
  readonly unsent: number
}

const MS_PER_SECOND = 1_000
/** Milliseconds between two looks at the clock: a call begins up to so much too late, which counts as the wallet's. */
const CLOCK_POLL_MS = 1

/** Milliseconds after the start at which this worker's call is due. */
export function computeDueTime({ rate, worker, workers }: OpenLoopSchedule, call: number): number {
  return ((call * workers + worker) * MS_PER_SECOND) / rate
}

/** Calls of this worker that are due before so many milliseconds have passed. */
export function countDueCalls({ rate, worker, workers }: OpenLoopSchedule, ms: number): number {
  return Math.max(0, Math.ceil(((ms * rate) / MS_PER_SECOND - worker) / workers))
}

/**
 * Resolves when the time is over, or the signal came, and every call has ended. `begin` is given the time at which the call was due, by
 * performance.now(), and in milliseconds after the start; it never rejects.
 */
export function runSchedule(
  schedule: OpenLoopSchedule,
  begin: (due: number, afterStart: number) => Promise<void>,
  signal: AbortSignal,
): Promise<ScheduleResult> {
  const { durationMs, connections } = schedule
  const start = performance.now()
  let [begun, underWay, due] = [0, 0, 0]
  let isOver = false
  return new Promise((resolve) => {
    const beginDueCalls = () => {
      const ms = performance.now() - start // once: what is due when it is over, is begun or counted as unsent
      if (!isOver) due = countDueCalls(schedule, Math.min(ms, durationMs))
      while (!isOver && begun < due && underWay < connections) {
        underWay++
        const afterStart = computeDueTime(schedule, begun++)
        begin(start + afterStart, afterStart).then(endCall)
      }
      isOver ||= signal.aborted || ms >= durationMs
      if (!isOver || underWay > 0) return
      clearInterval(timer)
      resolve({ begun, unsent: due - begun })
    }
    const endCall = () => {
      underWay--
      beginDueCalls()
    }
    const timer = setInterval(beginDueCalls, CLOCK_POLL_MS)
  })
}
