/** Formats times, amounts and ids. Amounts are the API's own text, never a float. */
import { useSyncExternalStore } from 'react'
import type { Zone } from './chart-times.ts'

export { amountText, moneyText } from '@purser/timeline/amount-text'

const listeners = new Set<() => void>()
let zone: Zone = localStorage.getItem('zone') === 'local' ? 'local' : 'utc'

export function setZone(next: Zone): void {
  zone = next
  localStorage.setItem('zone', next)
  for (const notify of listeners) notify()
}

export function useZone(): Zone {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
    () => zone,
  )
}

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

interface TimeProps {
  readonly at: string | number
  /** The time is exact, with milliseconds. */
  readonly millis?: boolean
  /** The time is exact, with the day. */
  readonly withDay?: boolean
}

/**
 * A recent time is relative, and its hint has the exact time in both zones. Older and future times
 * are exact.
 */
export function Time({ at, millis = false, withDay = false }: TimeProps) {
  const now = useZone()
  const date = new Date(at)
  const recent = useRecent(date)
  const [day, time] = toDayAndTime(now, date)
  const exact = millis ? `${time}.${pad(date.getUTCMilliseconds(), 3)}` : time
  const isRelative = recent !== undefined && !millis && !withDay
  return (
    <time dateTime={date.toISOString()} data-hint={timeHint(date, isRelative)} className="num">
      {isRelative ? recent : isToday(date, now) && !withDay ? exact : `${day} ${exact}`}
    </time>
  )
}

/** `text` is the value of a `datetime-local` field in this zone. */
export function typedTime(zone: Zone, text: string): string {
  return new Date(zone === 'utc' ? `${text}Z` : text).toISOString()
}

/** A planned time, shown as "due now" once it has come. */
export function Due({ at }: { at: string }) {
  const date = new Date(at)
  const isDue = useSyncExternalStore(everySecond, () => date.getTime() - Date.now() < AHEAD_MS)
  if (!isDue) return <Time at={at} />
  return (
    <time dateTime={date.toISOString()} data-hint={timeHint(date, false)} className="num">
      due now
    </time>
  )
}

/** The forms of the time that are not visible. */
function timeHint(date: Date, isRelative: boolean): string {
  const lines = (['utc', 'local'] as const).map(
    (zone) => `${toDayAndTime(zone, date).join(' ')} ${zone === 'utc' ? 'UTC' : 'local time'}`,
  )
  return [...lines, ...(isRelative || date.getTime() > Date.now() ? [] : [formatAgo(date)])].join('\n')
}

/** Older times are exact, and so are times further ahead of this clock. */
const RECENT_MS = 3_600_000
const AHEAD_MS = 1_000

/** The text is updated each second. */
export function useAgo(date: Date | undefined): string | undefined {
  return useSyncExternalStore(everySecond, () => date && formatAgo(date))
}

function useRecent(date: Date): string | undefined {
  return useSyncExternalStore(everySecond, () => {
    const age = Date.now() - date.getTime()
    return age < RECENT_MS && age > -AHEAD_MS ? formatAgo(date) : undefined
  })
}

const secondListeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** Uses the browser's clock. */
export const hasCome = (at: string) => Date.parse(at) <= Date.now()

/** The value is read again each second. */
export function useEverySecond<T extends string | boolean>(value: () => T): T {
  return useSyncExternalStore(everySecond, value)
}

/** One timer serves all times of a page. Only changed texts are rendered. */
function everySecond(notify: () => void): () => void {
  secondListeners.add(notify)
  timer ??= setInterval(() => {
    for (const one of secondListeners) one()
  }, 1_000)
  return () => {
    secondListeners.delete(notify)
    if (secondListeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const toDayAndTime = (zone: Zone, date: Date) => (zone === 'utc' ? utc(date) : local(date))

function utc(date: Date): [string, string] {
  const text = date.toISOString()
  return [text.slice(0, 10), text.slice(11, 19)]
}

function local(date: Date): [string, string] {
  return [
    `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`,
    `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`,
  ]
}

function isToday(date: Date, now: Zone): boolean {
  const today = new Date()
  return toDayAndTime(now, date)[0] === toDayAndTime(now, today)[0]
}

export function formatAgo(date: Date): string {
  const seconds = Math.max(0, Math.round((Date.now() - date.getTime()) / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h ago`
  return `${Math.round(seconds / 86_400)} days ago`
}

/** "1 call", "2 calls" */
export function countText(count: number, word: string, words = `${word}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? word : words}`
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
