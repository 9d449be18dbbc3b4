/**
 * One restart of the platform, which all scenes with a restart share. The platform is killed when
 * each of these scenes waits for the restart or has ended.
 */
import { createDeferred } from '@purser/runtime/async/deferred'
import type { DriverResult, PlatformDriver } from './platform-driver.ts'

export interface SharedRestart {
  /** Resolves when the kill begins. */
  readonly begins: Promise<void>
  /** Resolves when the platform listens again. */
  arrive(): Promise<DriverResult>
  /** For a scene that ends without a restart. */
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
