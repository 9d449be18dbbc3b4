/**
 * Requests a frame session, the platform's session for one player's frame (betting page). The
 * platform reads the player from the wallet.
 */
import type { BearerClient } from '../bearer-client.ts'

/** Status of the platform if the wallet returns no usable answer within 5 s. */
const PARTNER_FAILED = 502
const RETRY_FOR_MS = 60_000
const RETRY_GAP_MS = 100

/** Returns the id. The request changes nothing, so it is retried if the machine is too slow. */
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
