/** A promise that somebody else fulfils, as `Promise.withResolvers` of Node 22 makes one. */
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
