/** UTC days such as 2026-11-25, as page addresses, input fields and reports contain them. */
export const DAY_MS = 86_400_000

/** `time` is milliseconds since 1970. */
export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** An invalid day is returned unchanged, so that the server explains the error. */
export const startOfDay = (day: string) => toTime(day, 0)

/** The start of the next day. */
export const endOfDay = (day: string) => toTime(day, DAY_MS)

function toTime(day: string, later: number): string {
  const start = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(start) ? day : new Date(start + later).toISOString()
}
