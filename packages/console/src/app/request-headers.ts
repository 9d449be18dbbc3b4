/**
 * Headers of every request to the server. One header says that the request is automatic, because no
 * user is present (U-4).
 */

/** Without input from the user for this long, requests count as automatic. */
const UNATTENDED_MS = 60_000

/** After an attended request, input renews the session from this time on (U-4). */
const RENEW_AFTER_MS = 60_000

let lastInputAt = Date.now()
let lastUseAt = Date.now()

/** Reading and scrolling send no request, so `renew` sends one. */
export function noteInput(renew: () => void): void {
  lastInputAt = Date.now()
  if (lastInputAt - lastUseAt < RENEW_AFTER_MS) return
  lastUseAt = lastInputAt
  renew()
}

/**
 * A page of another origin cannot send the first header (U-2). The server does not count the
 * requests of an unattended page as use (U-4).
 */
export function requestHeaders(): Record<string, string> {
  const now = Date.now()
  const isUnattended = now - lastInputAt > UNATTENDED_MS
  if (!isUnattended) lastUseAt = now
  return { 'x-purser-console': '1', ...(isUnattended && { 'x-purser-unattended': '1' }) }
}
