/** A frame session lasts a day (C-17): a sandbox that runs longer loads the frame again, as a person does. */
import { remembered } from '../runtime/remembered.ts'

const HOLDS_MS = 12 * 3_600_000

/** The id of a frame session that lasts for hours yet. */
export function renewed(load: () => Promise<string>): () => Promise<string> {
  return remembered(load, HOLDS_MS, () => performance.now())
}
