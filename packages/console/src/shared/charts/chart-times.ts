/** Time labels of a chart. */

export type Zone = 'utc' | 'local'

const DAY_SECONDS = 86_400
/** In a shorter span the labels need seconds. */
const SHORT_SECONDS = 600

const twoDigits = (value: number) => `${value}`.padStart(2, '0')

/** The same format as everywhere in the console, in every browser language. */
export function clockText(zone: Zone, at: number, hasSeconds = false): string {
  const time = new Date(at * 1_000)
  const [hours, minutes] =
    zone === 'utc' ? [time.getUTCHours(), time.getUTCMinutes()] : [time.getHours(), time.getMinutes()]
  const seconds = hasSeconds ? `:${twoDigits(time.getUTCSeconds())}` : ''
  return `${twoDigits(hours)}:${twoDigits(minutes)}${seconds}`
}

function dayText(zone: Zone, at: number): string {
  const time = new Date(at * 1_000)
  const [month, day] = zone === 'utc' ? [time.getUTCMonth(), time.getUTCDate()] : [time.getMonth(), time.getDate()]
  return `${twoDigits(month + 1)}-${twoDigits(day)}`
}

/**
 * All arguments are in seconds. A time has its day below it if the label before is of another day.
 * The first label has it if the day is not today.
 */
export function formatTimeLabels(zone: Zone, at: readonly number[], now: number): string[] {
  const span = (at.at(-1) ?? 0) - (at[0] ?? 0)
  const days = at.map((one) => dayText(zone, one))
  const texts = span > DAY_SECONDS ? days : at.map((one) => clockText(zone, one, span < SHORT_SECONDS))
  return texts.map((text, i) => {
    if (text === texts[i - 1]) return '' // half a second is not a new label
    const isNewDay = span <= DAY_SECONDS && days[i] !== (days[i - 1] ?? dayText(zone, now))
    return isNewDay ? `${text}\n${days[i]}` : text
  })
}
