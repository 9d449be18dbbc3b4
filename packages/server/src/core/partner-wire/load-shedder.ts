/**
 * Load shedder for the partner wire.
 *
 * When the server is full, calls wait unread on their connections. A call that cannot be answered
 * in time fails just before its deadline. An earlier failure would let its caller send the
 * next call at once. A failed call must cost little, and must not delay the accepted calls.
 *
 * A poll reads a queued connection for one turn of the event loop. No clock shows how long its
 * calls lay unread, so the whole pause of the connection counts as their wait (R-5, W-20).
 *
 * States of a connection, and their exits:
 * - read: the capacity is used up, or calls arrive while others wait → queued
 * - queued, not read: its turn comes → polled; the overload ends → read
 * - polled, until its calls are all accepted or all failed: it had calls → queued; it had none →
 *   read
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OPERATIONS } from '@purser/protocol/operation'
import { createFailure } from '@purser/protocol/wire-reply'
import { environment } from '@purser/runtime/environment'
import { freeSlots } from './cooperative-scheduler.ts'
import { DeadlineQueue, type QueueDeadlines, type QueueEntryTimes } from './deadline-queue.ts'
import { attachRawPath, type RawDecision, type SendRawResponse } from './raw-http-path.ts'
import { RESPONSE_HEADERS } from './response-serializer.ts'
import { toWirePath } from './wire-path.ts'
import { coalesceWrites } from './write-coalescing.ts'

/** An accepted call takes about 100 ms. The rest of 4 s and of 4.75 s (W-20) is a reserve. */
const QUEUE_DEADLINES: QueueDeadlines = { minWaitMs: 1_000, usefulWaitMs: 2_000, maxWaitMs: 4_250 }
/** Calls accepted beyond the capacity: they were read before their connection was paused. */
const MAX_OVERSHOOT = 2_000
/** Milliseconds. The overload ends if the longest wait in the queue is shorter. */
const OVERLOAD_END_WAIT_MS = 50
/** Milliseconds between two checks of the queue while there is no capacity. */
const CHECK_INTERVAL_MS = 4
/** Calls that fail in one turn of the event loop, about 2 ms. Accepted calls run in between. */
const MAX_SHED_PER_TURN = 256
/** Weight of the newest poll in the moving average of calls per poll. */
const SMOOTHING_FACTOR = 0.1
const INITIAL_CALLS_PER_POLL = 16

interface Poll {
  readonly waited: QueueEntryTimes
  readonly isDue: boolean
  calls: number
}

/** Receives the complete body of a call, and answers it once. */
export type BodyReader = (body: Buffer, answer: SendRawResponse) => void

type TimedRequest = IncomingMessage & { arrivedAt?: number; socket: Socket & { parser?: { duration?(): number } } }

/** The monotonic time of the call's first byte. */
export function getArrivalTime(request: IncomingMessage): number {
  return (request as TimedRequest).arrivedAt ?? environment.monotonicNow()
}

export class LoadShedder {
  /** Calls that failed since the start. */
  shedCalls = 0
  /** Unanswered calls of the raw path. Node does not count them as requests. */
  callsInFlight = 0
  private readonly isDraining: () => boolean
  private readonly isClosing: () => boolean
  private readonly keepAliveMs: number
  private readonly capacities = [freeSlots]
  private downstreamCapacity = () => Number.POSITIVE_INFINITY
  private findReader = (_request: IncomingMessage): BodyReader | undefined => undefined
  /**
   * Connections of callers. A request that is no call removes its connection, so health checks and
   * users never wait.
   */
  private readonly callerSockets = new Set<Socket>()
  private readonly queue: DeadlineQueue<Socket>
  private readonly polls = new Map<Socket, Poll>()
  private isOverloaded = false
  private overloadedSince = 0
  private callsPerPoll = INITIAL_CALLS_PER_POLL

  /** `isClosing` returns true when the drain is over and no more calls are served. */
  constructor(isDraining: () => boolean, keepAliveMs: number, deadlines = QUEUE_DEADLINES, isClosing = isDraining) {
    this.isDraining = isDraining
    this.isClosing = isClosing
    this.keepAliveMs = keepAliveMs
    this.queue = new DeadlineQueue(deadlines)
  }

  /** `capacity` returns the number of calls that a limit still allows, negative beyond it. */
  addCapacity(capacity: () => number): void {
    this.capacities.push(capacity)
  }

  /**
   * Sets a function that returns how many calls a gateway's operators would accept now. Its result
   * limits polls, but causes no overload.
   */
  setDownstreamCapacity(downstreamCapacity: () => number): void {
    this.downstreamCapacity = downstreamCapacity
  }

  /**
   * Sets the function that finds the reader of a call. A call without a reader takes Node's path.
   */
  setReader(findReader: (request: IncomingMessage) => BodyReader | undefined): void {
    this.findReader = findReader
  }

  addConnection(socket: Socket): void {
    this.callerSockets.add(socket)
    void socket.remoteAddress // Node caches the first result, so the address is still known after a disconnect (W-30).
    const { isDraining, keepAliveMs } = this
    attachRawPath(socket, { handle: (request, isPlain) => this.handleRaw(request, isPlain), isDraining, keepAliveMs })
    coalesceWrites(socket, () => this.isOverloaded && !this.isDraining())
    // Node resumes reading by itself after a body is read or discarded.
    socket.on('resume', () => {
      if (this.queue.has(socket)) socket.pause()
    })
    socket.once('close', () => {
      this.callerSockets.delete(socket)
      this.queue.remove(socket)
    })
  }

  queuedConnections(): number {
    return this.queue.size
  }

  /**
   * Decides a request on Node's path. False: the request was a call and has been answered as
   * failed.
   */
  admitOrShed(request: IncomingMessage, response: ServerResponse): boolean {
    const kind = callKindOf(request)
    if (kind === undefined) {
      this.callerSockets.delete(request.socket)
      return true
    }
    if (this.tryAdmit(request)) return true
    response.writeHead(SHED_REPLIES[kind].status, this.isDraining() ? CLOSING_HEADERS : HEADERS_WITH_LENGTH)
    response.end(BODY, 'latin1')
    return false
  }

  private handleRaw(request: IncomingMessage, isPlain: boolean): RawDecision | undefined {
    const kind = callKindOf(request)
    if (kind === undefined) return undefined
    this.markArrival(request)
    if (!isPlain || this.isClosing()) return undefined
    const read = this.findReader(request)
    if (read === undefined && !this.polls.get(request.socket)?.isDue) return undefined
    if (!this.tryAdmit(request) || read === undefined) return { kind: 'answered', answer: SHED_REPLIES[kind] }
    return { kind: 'read', read: (body, answer) => this.trackInFlight(read, body, answer) }
  }

  private trackInFlight(read: BodyReader, body: Buffer, answer: SendRawResponse): void {
    this.callsInFlight += 1
    read(body, (given) => {
      this.callsInFlight -= 1
      answer(given)
    })
  }

  private markArrival(request: TimedRequest): void {
    request.arrivedAt ??= this.polls.get(request.socket)?.waited.since ?? getFirstByteTime(request)
  }

  /** True: the call is accepted. False: the caller must answer it as failed now. */
  private tryAdmit(request: TimedRequest): boolean {
    const { socket } = request
    this.callerSockets.add(socket)
    const poll = this.polls.get(socket)
    if (poll !== undefined) poll.calls += 1
    this.markArrival(request)
    const capacity = this.remainingCapacity()
    if (capacity <= 0 || this.isOverloaded) this.handleOverload(socket)
    if (!poll?.isDue && capacity > -MAX_OVERSHOOT) return true
    this.shedCalls += 1
    return false
  }

  private remainingCapacity(): number {
    let least = Number.POSITIVE_INFINITY
    for (const capacity of this.capacities) least = Math.min(least, capacity())
    return least
  }

  /** Called when a call arrives without capacity, or during an overload. */
  private handleOverload(socket: Socket): void {
    const now = environment.monotonicNow()
    if (this.isOverloaded) {
      if (!this.polls.has(socket)) this.enqueue(socket, now)
      return
    }
    this.isOverloaded = true
    this.overloadedSince = now
    this.queue.enqueueAll([...this.callerSockets], now)
    for (const caller of this.callerSockets) caller.pause()
    this.scheduleCheck()
  }

  private enqueue(socket: Socket, now: number): void {
    if (socket.destroyed || this.queue.has(socket)) return
    this.queue.enqueue(socket, now)
    socket.pause()
  }

  private scheduleCheck(): void {
    const check = () => this.checkQueue(environment.monotonicNow())
    if (this.polls.size > 0) environment.nextTurn(check)
    else environment.setTimer(CHECK_INTERVAL_MS, check)
  }

  /** Polled connections have been read in the previous turn of the event loop. */
  private checkQueue(now: number): void {
    for (const [socket, poll] of this.polls) this.endPoll(socket, poll, now)
    const available = Math.min(this.remainingCapacity(), this.downstreamCapacity())
    if (available > 0 && this.isOverloadOver(now)) {
      this.endOverload()
      return
    }
    this.pollNext(this.pollsNeeded(MAX_SHED_PER_TURN), () => this.queue.takeDue(now), true)
    this.pollNext(this.pollsNeeded(available), () => this.queue.takeInTime(now), false)
    this.isOverloaded = this.queue.size + this.polls.size > 0
    if (this.isOverloaded) this.scheduleCheck()
  }

  /**
   * An overload has a least duration, because the waits in the queue are short when it begins too.
   */
  private isOverloadOver(now: number): boolean {
    const { oldestSince = Number.NEGATIVE_INFINITY } = this.queue
    return now - this.overloadedSince > OVERLOAD_END_WAIT_MS && now - oldestSince < OVERLOAD_END_WAIT_MS
  }

  private endOverload(): void {
    this.isOverloaded = false
    for (const socket of this.queue.clear()) socket.resume()
  }

  private pollsNeeded(calls: number): number {
    return Math.ceil(calls / this.callsPerPoll)
  }

  private pollNext(count: number, take: () => [Socket, QueueEntryTimes] | undefined, isDue: boolean): void {
    for (let i = 0; i < count; i++) {
      const [socket, waited] = take() ?? []
      if (socket === undefined || waited === undefined) return
      this.polls.set(socket, { waited, isDue, calls: 0 })
      socket.resume()
    }
  }

  private endPoll(socket: Socket, poll: Poll, now: number): void {
    const { calls } = poll
    this.polls.delete(socket)
    if (calls > 0) this.callsPerPoll += SMOOTHING_FACTOR * (calls - this.callsPerPoll)
    if (calls > 0) this.enqueue(socket, now)
  }
}

/** Node's parser measures this time for `requestTimeout`. A test fails if the method disappears. */
function getFirstByteTime({ socket }: TimedRequest): number {
  return environment.monotonicNow() - (socket.parser?.duration?.() ?? 0)
}

/** Answers to calls that fail here. */
const SHED_REPLIES = { place: createFailure('place'), other: createFailure('settle') } as const
type CallKind = keyof typeof SHED_REPLIES
const { body: BODY } = SHED_REPLIES.place
const HEADERS_WITH_LENGTH = [...RESPONSE_HEADERS, 'content-length', `${BODY.length}`]
const CLOSING_HEADERS = [...HEADERS_WITH_LENGTH, 'connection', 'close']

/** Undefined: not a wire call. A failed Place bet gets another status than other calls. */
function callKindOf({ method, url }: IncomingMessage): CallKind | undefined {
  const path = toWirePath(url)
  if (path === undefined || method === 'HEAD') return undefined // a reply to HEAD has no body
  return method === OPERATIONS.place.method && path === OPERATIONS.place.path ? 'place' : 'other'
}
