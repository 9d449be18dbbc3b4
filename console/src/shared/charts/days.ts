/** Days in UTC, as the address, the fields and the reports name them. */
export const DAY_MS = 86_400_000

/** Of milliseconds since 1970. */
export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** When a day begins. What is no day is left as it is: the server says what is wrong with it. */
export const startOfDay = (day: string) => toTime(day, 0)

/** When the next one begins. */
export const endOfDay = (day: string) => toTime(day, DAY_MS)

function toTime(day: string, later: number): string {
  const start = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(start) ? day : new Date(start + later).toISOString()
}
