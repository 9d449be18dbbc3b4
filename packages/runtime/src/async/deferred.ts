/** A promise that other code resolves, like `Promise.withResolvers` of Node 22. */
export interface DeferredPromise {
  readonly promise: Promise<void>
  resolve(): void
}

export function createDeferred(): DeferredPromise {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
