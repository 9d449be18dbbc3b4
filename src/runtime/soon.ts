/** What is at hand or will be. A promise for every step of a call costs more than the steps themselves. */
export type Soon<T> = T | Promise<T>

/** Goes on with it: at once, if it is at hand. What `next` throws at once is thrown, and else rejects. */
export function soon<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
