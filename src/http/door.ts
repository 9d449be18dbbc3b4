/**
 * Under overload calls of the partner wire wait outside, unread, and what cannot be answered in time is failed at the last moment
 * . Answers that come at once would only bring the next calls; a crowd's calls must cost as little as can be, and
 * least of all may they hold up the calls that are inside.
 *
 * While there is room for all, connections are read as they send. When there is none, all that carry calls are paused and stand in
 * line; from then on a connection is read only when its turn comes: its calls are let in, or all of them are failed. How
 * long a call lay unread nobody can say, so it counts as long as its connection was not read (R-5, W-20). One that brings calls beside the
 * line joins it: what it needs inside may be what those in line wait for (prospect.ts).
 *
 * read ──no room is left, or calls beside a crowd──► in line ──its turn──► visited ──it brought calls──► in line
 *  ▲                                                    └──the crowd is over       └──it brought none──┐
 *  └───────────────────────────────────────────────────────┴──────────────────────────────────────────┘
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OPERATIONS } from '../protocol/operation.ts'
import { failed } from '../protocol/reply.ts'
import { systemClock } from '../runtime/clock.ts'
import { Line, type Patience, type Waited } from './line.ts'
import { turnRoom } from './turns.ts'
import { answerUnread, KEEP_ALIVE_MS } from './unread.ts'
import { writeTogether } from './write-together.ts'

/** What is inside takes some 100 ms; the rest of 4 s and of 4.75 s (W-20) is for what was not foreseen. */
const PATIENCE: Patience = { leastMs: 1_000, hopeMs: 2_000, mostMs: 4_250 }
/** Calls by which the room may be exceeded: those that were read before their connection could be paused. */
const MOST_OVER = 2_000
/** A crowd whose first one has waited for less than so many milliseconds is none any more. */
const SHORT_MS = 50
/** Milliseconds between two looks at the line while there is no room. */
const LOOK_MS = 4
/** Calls failed in one turn of the event loop, about 2 ms: the calls inside go on between. */
const MOST_FAILED = 256
/** Share of the newest visit in what is known of the calls that one brings, and what is assumed at first. */
const NEWEST = 0.1
const GUESSED_CALLS = 16

interface Visit {
  readonly waited: Waited
  readonly isDue: boolean
  calls: number
  /** Of one whose calls are failed. */
  stopFailing?: () => void
}

type Met = IncomingMessage & { arrivedAt?: number; socket: Socket & { parser?: { duration?(): number } } }

/** The time of a call's first byte, as performance.now() gives it. */
export function arrivalOf(request: IncomingMessage): number {
  return (request as Met).arrivedAt ?? performance.now()
}

export class Door {
  /** Calls failed here since the start. */
  failed = 0
  private readonly isDraining: () => boolean
  private readonly rooms = [turnRoom]
  private prospect = () => Number.POSITIVE_INFINITY
  /** All connections but those whose last request was no call of the wire: health and people never wait. */
  private readonly callers = new Set<Socket>()
  private readonly line: Line<Socket>
  private readonly visits = new Map<Socket, Visit>()
  private isCrowded = false
  private crowdedSince = 0
  private failures = wholeAnswers()
  private callsPerVisit = GUESSED_CALLS

  constructor(isDraining: () => boolean, patience = PATIENCE) {
    this.isDraining = isDraining
    this.line = new Line(patience)
  }

  /** Adds something that calls wait for inside, and how many more may; negative when it is over-full. */
  waitsFor(room: () => number): void {
    this.rooms.push(room)
  }

  /** Adds what those in line hope for: how many of their calls would find it now. Nobody is sent outside for it. */
  looksFor(prospect: () => number): void {
    this.prospect = prospect
  }

  /** Every new connection. */
  watch(socket: Socket): void {
    this.callers.add(socket)
    writeTogether(socket, () => this.isCrowded && !this.isDraining())
    // Node reads on by itself when a body has been read or thrown away.
    socket.on('resume', () => {
      if (this.line.has(socket)) socket.pause()
    })
    socket.once('close', () => {
      this.callers.delete(socket)
      this.line.leave(socket)
      this.visits.delete(socket)
    })
  }

  /** Connections that stand in line. */
  waiting(): number {
    return this.line.size
  }

  /** True: come in. Else the call has been answered. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request as Met
    const kind = kindOf(request)
    if (kind === undefined) {
      this.callers.delete(socket)
      return true
    }
    this.callers.add(socket)
    const visit = this.visits.get(socket)
    if (visit !== undefined) visit.calls += 1
    ;(request as Met).arrivedAt = visit?.waited.since ?? firstByteAt(request)
    const room = this.room()
    if (room <= 0 || this.isCrowded) this.crowd(socket)
    if (!visit?.isDue && room > -MOST_OVER) return true
    this.failed += 1
    response.writeHead(FAILED[kind].status, this.isDraining() ? CLOSING : HEADERS)
    response.end(BODY, 'latin1')
    return false
  }

  private room(): number {
    let least = Number.POSITIVE_INFINITY
    for (const room of this.rooms) least = Math.min(least, room())
    return least
  }

  /** No room is left, or was for others before, and this connection brings calls. */
  private crowd(socket: Socket): void {
    const now = performance.now()
    if (this.isCrowded) {
      if (!this.visits.has(socket)) this.join(socket, now)
      return
    }
    this.isCrowded = true
    this.crowdedSince = now
    this.line.joinTogether([...this.callers], now)
    for (const caller of this.callers) caller.pause()
    this.lookAgain()
  }

  private join(socket: Socket, now: number): void {
    if (socket.destroyed || this.line.has(socket)) return
    this.line.join(socket, now)
    socket.pause()
  }

  private lookAgain(): void {
    const look = () => this.look(performance.now())
    if (this.visits.size > 0) setImmediate(look)
    else setTimeout(look, LOOK_MS)
  }

  /** The turn of the event loop before this one has read what was visited. */
  private look(now: number): void {
    for (const [socket, visit] of this.visits) this.end(socket, visit, now)
    const welcome = Math.min(this.room(), this.prospect())
    if (welcome > 0 && this.isOver(now)) {
      this.disperse()
      return
    }
    this.failures = wholeAnswers()
    this.visitNext(this.visitsFor(MOST_FAILED), () => this.line.takeDue(now), true)
    this.visitNext(this.visitsFor(welcome), () => this.line.takeHopeful(now), false)
    this.isCrowded = this.line.size + this.visits.size > 0
    if (this.isCrowded) this.lookAgain()
  }

  /** When a crowd begins nobody has waited for long. */
  private isOver(now: number): boolean {
    const { longest = Number.NEGATIVE_INFINITY } = this.line
    return now - this.crowdedSince > SHORT_MS && now - longest < SHORT_MS
  }

  private disperse(): void {
    this.isCrowded = false
    for (const socket of this.line.disperse()) socket.resume()
  }

  private visitsFor(calls: number): number {
    return Math.ceil(calls / this.callsPerVisit)
  }

  private visitNext(count: number, take: () => [Socket, Waited] | undefined, isDue: boolean): void {
    for (let i = 0; i < count; i++) {
      const [socket, waited] = take() ?? []
      if (socket === undefined || waited === undefined) return
      this.visits.set(socket, this.newVisit(socket, waited, isDue))
      socket.resume()
    }
  }

  private newVisit(socket: Socket, waited: Waited, isDue: boolean): Visit {
    const visit: Visit = { waited, isDue, calls: 0 }
    if (!isDue) return visit
    visit.stopFailing = answerUnread(socket, (request) => {
      const kind = kindOf(request)
      if (kind === undefined || this.isDraining()) return undefined
      visit.calls += 1
      this.failed += 1
      return this.failures[kind]
    })
    return visit
  }

  private end(socket: Socket, visit: Visit, now: number): void {
    const { calls, stopFailing } = visit
    stopFailing?.()
    this.visits.delete(socket)
    if (calls > 0) this.callsPerVisit += NEWEST * (calls - this.callsPerVisit)
    if (calls > 0) this.join(socket, now)
  }
}

/** Node's parser counts from the first byte, for `requestTimeout`. Not in its types; a test says when that ends. */
function firstByteAt({ socket }: Met): number {
  return performance.now() - (socket.parser?.duration?.() ?? 0)
}

/** What a call hears that is failed here. */
const FAILED = { place: failed('place'), other: failed('settle') } as const
type Kind = keyof typeof FAILED
const { body: BODY } = FAILED.place
const HEADERS = [
  ...['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'],
  ...['content-length', `${BODY.length}`],
]
const CLOSING = [...HEADERS, 'connection', 'close']
const TEXTS = { 400: 'Bad Request', 500: 'Internal Server Error' } as const
const NAMED_HEADERS = HEADERS.map((text, i) => text + (i % 2 === 0 ? ': ' : '\r\n')).join('')

/** As Node writes it: the head has the time. */
function wholeAnswer({ status }: (typeof FAILED)[Kind]): string {
  const date = `Date: ${systemClock.now().toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1_000}`
  return `HTTP/1.1 ${status} ${TEXTS[status]}\r\n${NAMED_HEADERS}${date}\r\n\r\n${BODY}`
}

/** Of one turn of the event loop. */
function wholeAnswers(): Record<Kind, string> {
  return { place: wholeAnswer(FAILED.place), other: wholeAnswer(FAILED.other) }
}

const PATHS = new Set<string | undefined>(Object.values(OPERATIONS).map(({ path }) => path))

/** Undefined: not of the wire. A Place bet is told from the others by its method. */
function kindOf({ method, url }: IncomingMessage): Kind | undefined {
  const path = PATHS.has(url) ? url : url?.split('?', 1)[0]
  if (!PATHS.has(path)) return undefined
  return method === OPERATIONS.place.method && path === OPERATIONS.place.path ? 'place' : 'other'
}
