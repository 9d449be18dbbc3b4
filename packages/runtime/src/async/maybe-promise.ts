/**
 * A value, or a promise of the value. A promise for each step of a call would cost more than the
 * steps.
 */
export type MaybePromise<T> = T | Promise<T>

/** For a value, `next` runs at once and throws its error. For a promise, the error rejects. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
