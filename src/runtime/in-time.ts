/**
 * Resolves to what `work` comes to, or after `milliseconds` to `late()`; the work goes on, and nobody hears of its end. A timer
 * that is cleared costs less than an AbortSignal.timeout, which lives on after its work.
 */
export function inTime<T>(work: Promise<T>, milliseconds: number, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), Math.max(0, milliseconds))
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
