/** An answer of the wire as a whole HTTP message, as Node writes it. */
import { STATUS_CODES } from 'node:http'
import { systemClock } from '../runtime/clock.ts'

export interface WireAnswer {
  readonly status: number
  /** Each character is a byte. */
  readonly body: string
}

export const HEADERS = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
/** Value of `permissions-policy`: no page of ours uses a device of the person who looks at it. */
export const NO_DEVICES = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'
/** Node sends no body with them (RFC 9110, 15.3.5 and 15.4.5). An operator's answer can be one. */
export const WITHOUT_BODY = new Set([204, 304])

const NAMED_HEADERS = HEADERS.map((text, i) => text + (i % 2 === 0 ? ': ' : '\r\n')).join('')
const CLOSES = 'Connection: close\r\n\r\n'

/** `keepAliveMs`: how long the connection may stay without a request; undefined: this is its last answer. */
export function wholeAnswer({ status, body }: WireAnswer, keepAliveMs: number | undefined): string {
  const length = WITHOUT_BODY.has(status) ? '' : `content-length: ${body.length}\r\n`
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${NAMED_HEADERS}${length}`
  return `${head}Date: ${dateText()}\r\n${keepAliveMs === undefined ? CLOSES : stays(keepAliveMs)}${length === '' ? '' : body}`
}

const MS_PER_S = 1_000

function stays(milliseconds: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${milliseconds / MS_PER_S}\r\n\r\n`
}

let second = Number.NaN
let text = ''

/** Made once a second. */
function dateText(): string {
  const now = systemClock.now()
  const current = Math.trunc(now.getTime() / MS_PER_S)
  if (current !== second) text = now.toUTCString()
  second = current
  return text
}
