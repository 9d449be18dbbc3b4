/** Times along a chart. */

export type Zone = 'utc' | 'local'

const DAY_SECONDS = 86_400
/** Where minutes do not tell the labels apart. */
const SHORT_SECONDS = 600

const twoDigits = (value: number) => `${value}`.padStart(2, '0')

/** Whatever the language of the browser is: as all times of the console. */
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

/** In seconds. A time has its day below it where the label before is of another one; the first where it is not today. */
export function formatTimeLabels(zone: Zone, at: readonly number[], now: number): string[] {
  const span = (at.at(-1) ?? 0) - (at[0] ?? 0)
  const days = at.map((one) => dayText(zone, one))
  const texts = span > DAY_SECONDS ? days : at.map((one) => clockText(zone, one, span < SHORT_SECONDS))
  return texts.map((text, i) => {
    if (text === texts[i - 1]) return '' // half a second is no new label
    const isNewDay = span <= DAY_SECONDS && days[i] !== (days[i - 1] ?? dayText(zone, now))
    return isNewDay ? `${text}\n${days[i]}` : text
  })
}
