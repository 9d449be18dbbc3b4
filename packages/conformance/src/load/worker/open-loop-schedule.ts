/**
 * Open-loop schedule: each call has a fixed time, independent of earlier calls.
 *
 * If every connection is busy, a due call waits, and its latency counts from its due time. So if a
 * wallet stops for a second, the delay of each call in this second is visible.
 */

export interface OpenLoopSchedule {
  /** Calls per second, summed over all workers. */
  readonly rate: number
  readonly durationMs: number
  /** Index of this worker. The workers take turns. */
  readonly worker: number
  readonly workers: number
  /** This worker's calls at the same time. */
  readonly connections: number
}

export interface ScheduleResult {
  readonly begun: number
  /** Due calls that found no free connection before the end. */
  readonly unsent: number
}

const MS_PER_SECOND = 1_000
/** Milliseconds. A call can begin this much too late, and its latency includes the delay. */
const CLOCK_POLL_MS = 1

/** Milliseconds after the start at which this worker's call is due. */
export function computeDueTime({ rate, worker, workers }: OpenLoopSchedule, call: number): number {
  return ((call * workers + worker) * MS_PER_SECOND) / rate
}

/** Number of this worker's calls that are due in the first `ms` milliseconds. */
export function countDueCalls({ rate, worker, workers }: OpenLoopSchedule, ms: number): number {
  return Math.max(0, Math.ceil(((ms * rate) / MS_PER_SECOND - worker) / workers))
}

/**
 * Resolves when the time or the signal has ended the load and each call has ended. `begin` gets the
 * due time, as performance.now() and as milliseconds after the start. It never rejects.
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
      const ms = performance.now() - start // read once, so that each due call is either begun or unsent
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
