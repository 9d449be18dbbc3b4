/** An answer of the wire as a whole HTTP message, as Node writes it. */
import { STATUS_CODES } from 'node:http'
import { systemClock } from '../../../runtime/clock.ts'

export interface RawResponse {
  readonly status: number
  /** Each character is a byte. */
  readonly body: string
}

export const RESPONSE_HEADERS = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
/** Value of `permissions-policy`: no page of ours uses a device of the person who looks at it. */
export const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'
/** Node sends no body with them (RFC 9110, 15.3.5 and 15.4.5). An operator's answer can be one. */
export const BODILESS_STATUSES = new Set([204, 304])

const HEADER_LINES = RESPONSE_HEADERS.map((text, i) => text + (i % 2 === 0 ? ': ' : '\r\n')).join('')
const CONNECTION_CLOSE = 'Connection: close\r\n\r\n'

/** `keepAliveMs`: how long the connection may stay without a request; undefined: this is its last answer. */
export function serializeResponse({ status, body }: RawResponse, keepAliveMs: number | undefined): string {
  const length = BODILESS_STATUSES.has(status) ? '' : `content-length: ${body.length}\r\n`
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${HEADER_LINES}${length}`
  return `${head}Date: ${formatDateHeader()}\r\n${keepAliveMs === undefined ? CONNECTION_CLOSE : formatKeepAlive(keepAliveMs)}${length === '' ? '' : body}`
}

const MS_PER_S = 1_000

function formatKeepAlive(milliseconds: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${milliseconds / MS_PER_S}\r\n\r\n`
}

let cachedSecond = Number.NaN
let cachedDate = ''

/** Made once a second. */
function formatDateHeader(): string {
  const now = systemClock.now()
  const current = Math.trunc(now.getTime() / MS_PER_S)
  if (current !== cachedSecond) cachedDate = now.toUTCString()
  cachedSecond = current
  return cachedDate
}
