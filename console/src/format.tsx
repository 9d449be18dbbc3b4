/** How the console writes times, amounts and ids. Amounts are the API's own text: no float ever touches money. */
import { useState, useSyncExternalStore } from 'react'
import type { Zone } from './chart-times.ts'

const listeners = new Set<() => void>()
let zone: Zone = localStorage.getItem('zone') === 'local' ? 'local' : 'utc'

export function setZone(next: Zone): void {
  zone = next
  localStorage.setItem('zone', next)
  for (const tell of listeners) tell()
}

export function useZone(): Zone {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => zone,
  )
}

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

interface TimeProps {
  readonly at: string | number
  readonly millis?: boolean
  /** Also today. */
  readonly withDay?: boolean
}

export function Time({ at, millis = false, withDay = false }: TimeProps) {
  const now = useZone()
  const date = new Date(at)
  const [day, time] = now === 'utc' ? utc(date) : local(date)
  const text = millis ? `${time}.${pad(date.getUTCMilliseconds(), 3)}` : time
  return (
    <time dateTime={date.toISOString()} title={`${date.toISOString()} · ${agoOf(date)}`} className="num">
      {isToday(date, now) && !withDay ? text : `${day} ${time}`}
    </time>
  )
}

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
  return now === 'utc' ? utc(date)[0] === utc(today)[0] : local(date)[0] === local(today)[0]
}

export function agoOf(date: Date): string {
  const seconds = Math.max(0, Math.round((Date.now() - date.getTime()) / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h ago`
  return `${Math.round(seconds / 86_400)} days ago`
}

/** "1 call", "2 calls". */
export function countText(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`
}

/** As a word of its own begins. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A minus as wide as a plus. */
export function amountText(amount: string): string {
  return amount.startsWith('-') ? `−${amount.slice(1)}` : amount
}

/**
 * Both ends, whole on hover: what is made in the same instant begins alike, and the sandbox's terminal names a bet by its end.
 */
export function ShortId({ id }: { id: string }) {
  return <code title={id}>{id.length <= 14 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`}</code>
}

/** Says that it has copied. */
export function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState<string>()
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setCopied(text))
  return (
    <button type="button" className="button quiet small" onClick={copy}>
      <span aria-live="polite">{copied === text ? 'Copied' : 'Copy'}</span>
    </button>
  )
}

/** Short, whole on hover, copied on click. */
export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  const copy = () => void navigator.clipboard?.writeText(id)
  const text = whole || id.length <= 13 ? id : `${id.slice(0, 8)}…`
  return (
    <button type="button" className="id" title={`${id} · click to copy`} onClick={copy}>
      {text}
    </button>
  )
}
