/** One kill of the platform for all scenes that are about one: it begins when each of them waits for it, or has ended without it. */
import { createDeferred } from '../../../runtime/async/deferred.ts'
import type { DriverResult, PlatformDriver } from './platform-driver.ts'

export interface SharedRestart {
  /** Resolves when the kill begins. */
  readonly begins: Promise<void>
  /** The scene is ready; resolves when the platform listens again. */
  arrive(): Promise<DriverResult>
  /** The scene has ended and never arrived. */
  leave(): void
}

export function createSharedRestart(drive: PlatformDriver, scenes: number): SharedRestart {
  let missing = scenes
  let waiting = 0
  const { promise: begins, resolve: begin } = createDeferred()
  const restarted = begins.then(() => drive({ do: 'restart' }))
  const check = () => {
    missing -= 1
    if (missing === 0 && waiting > 0) begin()
  }
  return {
    begins,
    arrive() {
      waiting += 1
      check()
      return restarted
    },
    leave: check,
  }
}
