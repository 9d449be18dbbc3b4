/**
 * Timing of a call by phases: DNS, connect, TLS, first byte, body (C-18).
 *
 * A call over an existing connection has only the last two phases. The total duration less the
 * phases is the wait for a connection.
 */
import { subscribe } from 'node:diagnostics_channel'
import { isIP, type Socket } from 'node:net'
import { environment } from '@purser/runtime/environment'
import type { buildConnector, DiagnosticsChannel } from 'undici'

/**
 * Milliseconds. A phase that did not begin is absent. A phase that did not end lasts until the end
 * of the call.
 */
export interface RequestTiming {
  readonly dnsMs?: number
  readonly connectMs?: number
  readonly tlsMs?: number
  readonly firstByteMs?: number
  readonly bodyMs?: number
}

/** When each step of a connection ended, as `environment.monotonicNow()`. */
interface ConnectionSteps {
  /** False if the host is an IP address, which needs no lookup. */
  readonly isNamed: boolean
  readonly isTls: boolean
  readonly begun: number
  named?: number
  connected?: number
  secured?: number
}

export interface TimingRecorder {
  /** Called just before the bytes of the call are written. */
  markSending(): void
  /** Called with the head of the answer. */
  markFirstByte(): void
  finish(): RequestTiming
}

export interface ConnectionTimer {
  readonly connect: buildConnector.connector
  startTiming(): TimingRecorder
}

/** One timer serves the connections of one pool. */
export function createConnectionTimer(connect: buildConnector.connector): ConnectionTimer {
  /**
   * The call whose bytes are being written. A new connection first carries the call that caused it.
   */
  let writing: { steps?: ConnectionSteps } | undefined
  /**
   * The newest connection. A call that was never sent has most likely waited for this connection.
   */
  let latest: ConnectionSteps | undefined
  return {
    connect(target, callback) {
      const isTls = target.protocol === 'https:'
      const steps: ConnectionSteps = { isNamed: isIP(target.hostname) === 0, isTls, begun: environment.monotonicNow() }
      latest = steps
      const socket = connect(target, (...[error, made]: Parameters<typeof callback>) => {
        if (error !== null) return callback(error, null)
        if (isTls) steps.secured = environment.monotonicNow()
        onFirstCall(made, () => {
          if (writing !== undefined) writing.steps = steps
        })
        callback(null, made)
      }) as unknown as Socket | undefined // undici's types omit that connect returns the socket
      socket?.once('lookup', (error: Error | null) => {
        if (error === null) steps.named ??= environment.monotonicNow()
      })
      socket?.once('connect', () => {
        steps.connected = environment.monotonicNow()
      })
    },
    startTiming() {
      const dispatched = environment.monotonicNow()
      const own: { steps?: ConnectionSteps } = {}
      let sent: number | undefined
      let answered: number | undefined
      return {
        markSending() {
          sent = environment.monotonicNow()
          writing = own
        },
        markFirstByte() {
          answered ??= environment.monotonicNow()
        },
        finish() {
          const now = environment.monotonicNow()
          if (sent === undefined) return latest && latest.begun >= dispatched ? toTiming(latest, now) : {}
          if (own.steps === undefined && answered !== undefined)
            return { firstByteMs: answered - sent, bodyMs: now - answered }
          const made = own.steps === undefined ? {} : toTiming(own.steps, sent)
          const answer = answered === undefined ? {} : { bodyMs: now - answered }
          return { ...made, firstByteMs: (answered ?? now) - sent, ...answer }
        },
      }
    },
  }
}

/** Connections that have carried no call yet. */
const unused = new WeakMap<object, () => void>()
let isSubscribed = false

/** undici publishes the head of each call with its connection, just before it writes the head. */
function onFirstCall(socket: Socket, onCall: () => void): void {
  if (!isSubscribed) subscribe('undici:client:sendHeaders', notifyFirstCall)
  isSubscribed = true
  unused.set(socket, onCall)
}

function notifyFirstCall(message: unknown): void {
  const { socket } = message as DiagnosticsChannel.ClientSendHeadersMessage
  unused.get(socket)?.()
  unused.delete(socket)
}

/** The unfinished step lasts until `until`. */
function toTiming({ isNamed, isTls, begun, named, connected, secured }: ConnectionSteps, until: number): RequestTiming {
  const name = isNamed ? { dnsMs: (named ?? until) - begun } : {}
  if (isNamed && named === undefined) return name
  const connection = { ...name, connectMs: (connected ?? until) - (named ?? begun) }
  if (connected === undefined || !isTls) return connection
  return { ...connection, tlsMs: (secured ?? until) - connected }
}

const TIMING_NAMES = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'bodyMs'] as const

/** The stored form: whole milliseconds, rounded down, in this order. An absent phase is empty. */
export function formatTiming(phases: RequestTiming): string {
  return TIMING_NAMES.map((name) => (phases[name] === undefined ? '' : Math.floor(phases[name]))).join(',')
}

/** Undefined if no phase is stored. */
export function parseTiming(text: string | null): RequestTiming | undefined {
  const values = text?.split(',') ?? []
  const phases = TIMING_NAMES.flatMap((name, i) => (values[i] ? [[name, Number.parseInt(values[i], 10)] as const] : []))
  return phases.length === 0 ? undefined : Object.fromEntries(phases)
}
