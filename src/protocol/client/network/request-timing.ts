/**
 * Where the time of a call went (C-18): its name looked up, the connection, TLS, the first byte of the answer, the rest of it. A call over a
 * connection that was there has only the last two; what is left of its time it waited for one.
 */
import { isIP, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { environment } from '../../../runtime/environment.ts'

/** Milliseconds; a phase that was not begun is absent, one that did not end has what it took until then. */
export interface RequestTiming {
  readonly dnsMs?: number
  readonly connectMs?: number
  readonly tlsMs?: number
  readonly firstByteMs?: number
  readonly bodyMs?: number
}

/** When the steps to a connection were over; `environment.monotonicNow()`. */
interface ConnectionSteps {
  /** An address needs no name to be looked up. */
  readonly isNamed: boolean
  readonly isTls: boolean
  readonly begun: number
  named?: number
  connected?: number
  secured?: number
}

/** Of one call. */
export interface TimingRecorder {
  /** Its bytes are about to be written. */
  markSending(): void
  /** The head of the answer. */
  markFirstByte(): void
  /** The call is over. */
  finish(): RequestTiming
}

export interface ConnectionTimer {
  readonly connect: buildConnector.connector
  startTiming(): TimingRecorder
}

/** Of the connections of one pool. */
export function createConnectionTimer(connect: buildConnector.connector): ConnectionTimer {
  /** Of the call whose bytes are being written: the first ones on a new connection are those of the call that it was made for. */
  let writing: { steps?: ConnectionSteps } | undefined
  /** The last connection that was begun: a call that was never sent has most likely waited for it. */
  let latest: ConnectionSteps | undefined
  return {
    connect(target, callback) {
      const isTls = target.protocol === 'https:'
      const steps: ConnectionSteps = { isNamed: isIP(target.hostname) === 0, isTls, begun: environment.monotonicNow() }
      latest = steps
      const socket = connect(target, (...[error, made]: Parameters<typeof callback>) => {
        if (error !== null) return callback(error, null)
        if (isTls) steps.secured = environment.monotonicNow()
        onFirstWrite(made, () => {
          if (writing !== undefined) writing.steps = steps
        })
        callback(null, made)
      }) as unknown as Socket | undefined // undici's types do not say that it is returned
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

function onFirstWrite(socket: Socket, onWrite: () => void): void {
  const write = socket.write
  socket.write = ((...args: Parameters<typeof write>) => {
    socket.write = write
    onWrite()
    return write.apply(socket, args)
  }) as typeof write
}

/** The step that was under way took until then. */
function toTiming({ isNamed, isTls, begun, named, connected, secured }: ConnectionSteps, until: number): RequestTiming {
  const name = isNamed ? { dnsMs: (named ?? until) - begun } : {}
  if (isNamed && named === undefined) return name
  const connection = { ...name, connectMs: (connected ?? until) - (named ?? begun) }
  if (connected === undefined || !isTls) return connection
  return { ...connection, tlsMs: (secured ?? until) - connected }
}

const TIMING_NAMES = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'bodyMs'] as const

/** As they are kept: whole milliseconds, rounded down, in this order; nothing for a phase that there was not. */
export function formatTiming(phases: RequestTiming): string {
  return TIMING_NAMES.map((name) => (phases[name] === undefined ? '' : Math.floor(phases[name]))).join(',')
}

/** Undefined where no phase was kept. */
export function parseTiming(text: string | null): RequestTiming | undefined {
  const values = text?.split(',') ?? []
  const phases = TIMING_NAMES.flatMap((name, i) => (values[i] ? [[name, Number.parseInt(values[i], 10)] as const] : []))
  return phases.length === 0 ? undefined : Object.fromEntries(phases)
}
