/** A frame is loaded for a player: the platform asks the wallet who that is, and whoever has the id may bet. */
import type { Api } from './api.ts'

/** What the platform answers when the wallet gave no usable answer, within 5 s for example. */
const PARTNER_FAILED = 502
/** Milliseconds, and between two tries. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 100

/** The frame session's id. A machine that has no time for 5 s is no reason to end: the question changes nothing, and is asked again. */
export async function loadFrame(platform: Api, partnerId: string, token: string): Promise<string> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const mayFail = performance.now() < until ? [PARTNER_FAILED] : []
    const asked = { partnerId, token }
    const loaded = await platform.get<{ frameSessionId?: string }>('POST', '/frame-sessions', asked, mayFail)
    if (loaded.frameSessionId !== undefined) return loaded.frameSessionId
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}
