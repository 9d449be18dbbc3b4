/** A frame session lasts a day (C-17): a sandbox that runs longer loads the frame again, as a person does. */
import { cacheFor } from '../../../runtime/async/single-flight-cache.ts'

const RENEW_AFTER_MS = 12 * 3_600_000

/** The id of a frame session that lasts for hours yet. */
export function createFrameSessionRenewal(load: () => Promise<string>): () => Promise<string> {
  return cacheFor(load, RENEW_AFTER_MS, () => performance.now())
}
