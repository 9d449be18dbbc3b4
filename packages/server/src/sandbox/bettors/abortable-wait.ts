/** Sleep that an abort signal can end. */

/** Longest time of one timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Resolves at `time` (`Date.now()`), or at the signal. */
export async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && Date.now() < time) await waitOnce(Math.min(time - Date.now(), MAX_TIMER_MS), signal)
}

function waitOnce(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
