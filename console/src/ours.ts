/** The headers of all requests of the console. */

/** Milliseconds without keyboard and mouse after which the page only refreshes itself. */
const UNATTENDED_MS = 60_000

let lastInputAt = Date.now()

/** Somebody is at the page. */
export function noteInput(): void {
  lastInputAt = Date.now()
}

/** No page of another origin can send the first one (U-2). The server counts no use of an unattended page (U-4). */
export function ours(): Record<string, string> {
  const isUnattended = Date.now() - lastInputAt > UNATTENDED_MS
  return { 'x-purser-console': '1', ...(isUnattended && { 'x-purser-unattended': '1' }) }
}
