/**
 * Where the time of a call went (C-18): its name looked up, the connection, TLS, the first byte of the answer, the rest of it. A call over a
 * connection that was there has only the last two; what is left of its time it waited for one.
 */
import { isIP, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { world } from '../runtime/world.ts'

/** Milliseconds; a phase that was not begun is absent, one that did not end has what it took until then. */
export interface Phases {
  readonly nameMs?: number
  readonly connectMs?: number
  readonly tlsMs?: number
  readonly firstByteMs?: number
  readonly bodyMs?: number
}

/** When the steps to a connection were over; `world.elapsed()`. */
interface Steps {
  /** An address needs no name to be looked up. */
  readonly isNamed: boolean
  readonly isTls: boolean
  readonly begun: number
  named?: number
  connected?: number
  secured?: number
}

/** Of one call. */
export interface Watch {
  /** Its bytes are about to be written. */
  sending(): void
  /** The head of the answer. */
  firstByte(): void
  /** The call is over. */
  end(): Phases
}

export interface Phaser {
  readonly connect: buildConnector.connector
  watch(): Watch
}

/** Of the connections of one pool. */
export function createPhaser(connect: buildConnector.connector): Phaser {
  /** Of the call whose bytes are being written: the first ones on a new connection are those of the call that it was made for. */
  let writing: { steps?: Steps } | undefined
  /** The last connection that was begun: a call that was never sent has most likely waited for it. */
  let latest: Steps | undefined
  return {
    connect(target, callback) {
      const isTls = target.protocol === 'https:'
      const steps: Steps = { isNamed: isIP(target.hostname) === 0, isTls, begun: world.elapsed() }
      latest = steps
      const socket = connect(target, (...[error, made]: Parameters<typeof callback>) => {
        if (error !== null) return callback(error, null)
        if (isTls) steps.secured = world.elapsed()
        onFirstWrite(made, () => {
          if (writing !== undefined) writing.steps = steps
        })
        callback(null, made)
      }) as unknown as Socket | undefined // undici's types do not say that it is returned
      socket?.once('lookup', (error: Error | null) => {
        if (error === null) steps.named ??= world.elapsed()
      })
      socket?.once('connect', () => {
        steps.connected = world.elapsed()
      })
    },
    watch() {
      const dispatched = world.elapsed()
      const own: { steps?: Steps } = {}
      let sent: number | undefined
      let answered: number | undefined
      return {
        sending() {
          sent = world.elapsed()
          writing = own
        },
        firstByte() {
          answered ??= world.elapsed()
        },
        end() {
          const now = world.elapsed()
          if (sent === undefined) return latest && latest.begun >= dispatched ? stepsOf(latest, now) : {}
          if (own.steps === undefined && answered !== undefined)
            return { firstByteMs: answered - sent, bodyMs: now - answered }
          const made = own.steps === undefined ? {} : stepsOf(own.steps, sent)
          const answer = answered === undefined ? {} : { bodyMs: now - answered }
          return { ...made, firstByteMs: (answered ?? now) - sent, ...answer }
        },
      }
    },
  }
}

function onFirstWrite(socket: Socket, happens: () => void): void {
  const write = socket.write
  socket.write = ((...args: Parameters<typeof write>) => {
    socket.write = write
    happens()
    return write.apply(socket, args)
  }) as typeof write
}

/** The step that was under way took until then. */
function stepsOf({ isNamed, isTls, begun, named, connected, secured }: Steps, until: number): Phases {
  const name = isNamed ? { nameMs: (named ?? until) - begun } : {}
  if (isNamed && named === undefined) return name
  const connection = { ...name, connectMs: (connected ?? until) - (named ?? begun) }
  if (connected === undefined || !isTls) return connection
  return { ...connection, tlsMs: (secured ?? until) - connected }
}

const NAMES = ['nameMs', 'connectMs', 'tlsMs', 'firstByteMs', 'bodyMs'] as const

/** As they are kept: whole milliseconds, rounded down, in this order; nothing for a phase that there was not. */
export function toText(phases: Phases): string {
  return NAMES.map((name) => (phases[name] === undefined ? '' : Math.floor(phases[name]))).join(',')
}

/** Of an attempt from before they were kept there are none. */
export function fromText(text: string | null): Phases | undefined {
  const kept = text?.split(',') ?? []
  const phases = NAMES.flatMap((name, i) => (kept[i] ? [[name, Number.parseInt(kept[i], 10)] as const] : []))
  return phases.length === 0 ? undefined : Object.fromEntries(phases)
}
