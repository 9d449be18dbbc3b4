/** The headers of all requests of the console. */

/** Milliseconds without keyboard and mouse after which the page only refreshes itself. */
const UNATTENDED_MS = 60_000

/** Milliseconds after the last attended request, from which on input renews the session (U-4). */
const RENEW_AFTER_MS = 60_000

let lastInputAt = Date.now()
let lastUseAt = Date.now()

/** A person is at the page. Reading and scrolling send no request, so `renew` sends one. */
export function noteInput(renew: () => void): void {
  lastInputAt = Date.now()
  if (lastInputAt - lastUseAt < RENEW_AFTER_MS) return
  lastUseAt = lastInputAt
  renew()
}

/** No page of another origin can send the first one (U-2). The server counts no use of an unattended page (U-4). */
export function requestHeaders(): Record<string, string> {
  const now = Date.now()
  const isUnattended = now - lastInputAt > UNATTENDED_MS
  if (!isUnattended) lastUseAt = now
  return { 'x-purser-console': '1', ...(isUnattended && { 'x-purser-unattended': '1' }) }
}
