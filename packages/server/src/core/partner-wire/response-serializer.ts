/** Serializes a wire answer as a complete HTTP message, in the form that Node writes. */
import { STATUS_CODES } from 'node:http'
import { systemClock } from '@purser/runtime/clock'

export interface RawResponse {
  readonly status: number
  readonly body: string
}

export const RESPONSE_HEADERS = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
/** Value of `permissions-policy`: our pages use no devices. */
export const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'
/** Node sends no body with them (RFC 9110, 15.3.5 and 15.4.5). An operator may answer with one. */
export const BODILESS_STATUSES = new Set([204, 304])

const HEADER_LINES = RESPONSE_HEADERS.map((text, i) => text + (i % 2 === 0 ? ': ' : '\r\n')).join('')
const CONNECTION_CLOSE = 'Connection: close\r\n\r\n'

/** `keepAliveMs` is how long the idle connection stays open; undefined for its last answer. */
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

/** Formatted once a second. */
function formatDateHeader(): string {
  const now = systemClock.now()
  const current = Math.trunc(now.getTime() / MS_PER_S)
  if (current !== cachedSecond) cachedDate = now.toUTCString()
  cachedSecond = current
  return cachedDate
}
