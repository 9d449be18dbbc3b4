/** A frame is loaded for a player: the platform asks the wallet who that is, and whoever has the id may bet. */
import type { BearerClient } from '../bearer-client.ts'

/** What the platform answers when the wallet gave no usable answer, within 5 s for example. */
const PARTNER_FAILED = 502
/** Milliseconds, and between two tries. */
const RETRY_FOR_MS = 60_000
const RETRY_GAP_MS = 100

/** The frame session's id. A machine that has no time for 5 s is no reason to end: the question changes nothing, and is asked again. */
export async function requestFrameSession(platform: BearerClient, partnerId: string, token: string): Promise<string> {
  const until = performance.now() + RETRY_FOR_MS
  for (;;) {
    const mayFail = performance.now() < until ? [PARTNER_FAILED] : []
    const question = { partnerId, token }
    const loaded = await platform.fetchJson<{ frameSessionId?: string }>('POST', '/frame-sessions', question, mayFail)
    if (loaded.frameSessionId !== undefined) return loaded.frameSessionId
    await new Promise((resolve) => setTimeout(resolve, RETRY_GAP_MS))
  }
}
