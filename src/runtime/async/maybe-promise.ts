/** What is at hand or will be. A promise for every step of a call costs more than the steps themselves. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with it: at once, if it is at hand. What `next` throws at once is thrown, and else rejects. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
