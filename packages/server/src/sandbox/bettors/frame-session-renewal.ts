/** Renews a frame session before the platform ends it after a day (C-17). */
import { cacheFor } from '@purser/runtime/async/single-flight-cache'

const RENEW_AFTER_MS = 12 * 3_600_000

/** Returns the id of a frame session that is valid for hours. */
export function createFrameSessionRenewal(load: () => Promise<string>): () => Promise<string> {
  return cacheFor(load, RENEW_AFTER_MS, () => performance.now())
}
