/**
 * Load shedder for the partner wire.
 *
 * When the server is full, calls wait unread on their connections. A call that cannot be answered in
 * time fails just before its deadline, not at once: a caller that waits for its answer would
 * send the next call. A failed call must cost little, and must not delay the calls that are inside.
 *
 * Nothing shows how long a call lay unread on its connection. So the whole time for which the
 * connection was not read counts as waiting (R-5, W-20).
 *
 * States of a connection, and what ends each:
 * - read: no room is left, or the connection brings calls while others wait → in line
 * - in line, not read: its turn comes → visited; the line is empty → read
 * - visited: its calls are let in or all fail; it brought calls → in line, it brought none → read
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OPERATIONS } from '../protocol/operation.ts'
import { failed } from '../protocol/reply.ts'
import { world } from '../runtime/world.ts'
import { HEADERS } from './answer.ts'
import { type Answer, aroundNode, type Taken } from './around-node.ts'
import { Line, type Patience, type Waited } from './line.ts'
import { turnRoom } from './turns.ts'
import { wirePathOf } from './wire-path.ts'
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
}

/** Reads a call whose body is there, and answers it once. */
export type Read = (body: Buffer, answer: Answer) => void

type Met = IncomingMessage & { arrivedAt?: number; socket: Socket & { parser?: { duration?(): number } } }

/** The time of a call's first byte, as world.elapsed() gives it. */
export function arrivalOf(request: IncomingMessage): number {
  return (request as Met).arrivedAt ?? world.elapsed()
}

export class Door {
  /** Calls failed here since the start. */
  failed = 0
  /** Plain calls that are not answered yet: Node knows of none of them. */
  inside = 0
  private readonly isDraining: () => boolean
  private readonly isClosing: () => boolean
  private readonly keepAliveMs: number
  private readonly rooms = [turnRoom]
  private prospect = () => Number.POSITIVE_INFINITY
  private readerOf = (_request: IncomingMessage): Read | undefined => undefined
  /** All connections but those whose last request was no call of the wire: health and people never wait. */
  private readonly callers = new Set<Socket>()
  private readonly line: Line<Socket>
  private readonly visits = new Map<Socket, Visit>()
  private isCrowded = false
  private crowdedSince = 0
  private callsPerVisit = GUESSED_CALLS

  /** `isClosing`: the drain is over, and no more calls are served. */
  constructor(isDraining: () => boolean, keepAliveMs: number, patience = PATIENCE, isClosing = isDraining) {
    this.isDraining = isDraining
    this.isClosing = isClosing
    this.keepAliveMs = keepAliveMs
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

  /** Sets who reads plain calls; undefined: it is none, and takes Node's way. */
  handsTo(readerOf: (request: IncomingMessage) => Read | undefined): void {
    this.readerOf = readerOf
  }

  /** Every new connection. */
  watch(socket: Socket): void {
    this.callers.add(socket)
    void socket.remoteAddress // Node keeps what was asked for once, also when the other end is gone (W-30)
    const { isDraining, keepAliveMs } = this
    aroundNode(socket, { take: (request, isPlain) => this.take(request, isPlain), isDraining, keepAliveMs })
    writeTogether(socket, () => this.isCrowded && !this.isDraining())
    // Node reads on by itself when a body has been read or thrown away.
    socket.on('resume', () => {
      if (this.line.has(socket)) socket.pause()
    })
    socket.once('close', () => {
      this.callers.delete(socket)
      this.line.leave(socket)
    })
  }

  /** Connections that stand in line. */
  waiting(): number {
    return this.line.size
  }

  /** Of a request that takes Node's way. True: come in. Else the call has been answered. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const kind = kindOf(request)
    if (kind === undefined) {
      this.callers.delete(request.socket)
      return true
    }
    if (this.letsIn(request)) return true
    response.writeHead(FAILED[kind].status, this.isDraining() ? CLOSING : LENGTHY)
    response.end(BODY, 'latin1')
    return false
  }

  private take(request: IncomingMessage, isPlain: boolean): Taken | undefined {
    const kind = kindOf(request)
    if (kind === undefined) return undefined
    this.markArrival(request)
    if (!isPlain || this.isClosing()) return undefined
    const read = this.readerOf(request)
    if (read === undefined && !this.visits.get(request.socket)?.isDue) return undefined
    if (!this.letsIn(request) || read === undefined) return { kind: 'answered', answer: FAILED[kind] }
    return { kind: 'read', read: (body, answer) => this.follow(read, body, answer) }
  }

  private follow(read: Read, body: Buffer, answer: Answer): void {
    this.inside += 1
    read(body, (given) => {
      this.inside -= 1
      answer(given)
    })
  }

  private markArrival(request: Met): void {
    request.arrivedAt ??= this.visits.get(request.socket)?.waited.since ?? firstByteAt(request)
  }

  /** Whether a call may come in; else it is failed now. */
  private letsIn(request: Met): boolean {
    const { socket } = request
    this.callers.add(socket)
    const visit = this.visits.get(socket)
    if (visit !== undefined) visit.calls += 1
    this.markArrival(request)
    const room = this.room()
    if (room <= 0 || this.isCrowded) this.crowd(socket)
    if (!visit?.isDue && room > -MOST_OVER) return true
    this.failed += 1
    return false
  }

  private room(): number {
    let least = Number.POSITIVE_INFINITY
    for (const room of this.rooms) least = Math.min(least, room())
    return least
  }

  /** No room is left, or was for others before, and this connection brings calls. */
  private crowd(socket: Socket): void {
    const now = world.elapsed()
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
    const look = () => this.look(world.elapsed())
    if (this.visits.size > 0) world.nextTurn(look)
    else world.after(LOOK_MS, look)
  }

  /** The turn of the event loop before this one has read what was visited. */
  private look(now: number): void {
    for (const [socket, visit] of this.visits) this.end(socket, visit, now)
    const welcome = Math.min(this.room(), this.prospect())
    if (welcome > 0 && this.isOver(now)) {
      this.disperse()
      return
    }
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
      this.visits.set(socket, { waited, isDue, calls: 0 })
      socket.resume()
    }
  }

  private end(socket: Socket, visit: Visit, now: number): void {
    const { calls } = visit
    this.visits.delete(socket)
    if (calls > 0) this.callsPerVisit += NEWEST * (calls - this.callsPerVisit)
    if (calls > 0) this.join(socket, now)
  }
}

/** Node's parser counts from the first byte, for `requestTimeout`. Not in its types; a test says when that ends. */
function firstByteAt({ socket }: Met): number {
  return world.elapsed() - (socket.parser?.duration?.() ?? 0)
}

/** What a call hears that is failed here. */
const FAILED = { place: failed('place'), other: failed('settle') } as const
type Kind = keyof typeof FAILED
const { body: BODY } = FAILED.place
const LENGTHY = [...HEADERS, 'content-length', `${BODY.length}`]
const CLOSING = [...LENGTHY, 'connection', 'close']

/** Undefined: not of the wire. A Place bet is told from the others by its method. */
function kindOf({ method, url }: IncomingMessage): Kind | undefined {
  const path = wirePathOf(url)
  if (path === undefined || method === 'HEAD') return undefined // its answer has no body
  return method === OPERATIONS.place.method && path === OPERATIONS.place.path ? 'place' : 'other'
}
