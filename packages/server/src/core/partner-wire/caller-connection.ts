/**
 * Connection of a caller, a stream between the network and Node's HTTP server. It holds back what
 * it has read while the server is full, and notes when each call arrived.
 *
 * A call arrives with its first byte (R-5, W-20), but Node reports a request only when its head is
 * complete. While the event loop is blocked, or the connection holds all it may, bytes lie unread.
 * No clock shows for how long, so the longest possible wait counts.
 *
 * States of a connection:
 * - free: a read brings calls and the server is full → waiting
 * - waiting: the admission queue starts or fails its calls → free
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type Cancel, environment } from '@purser/runtime/environment'
import type { AdmissionQueue } from './admission-queue.ts'

const BEAT_MS = 20
/** Milliseconds. A larger delay of the beats means that the event loop was blocked. */
const BLOCKED_MS = 100

/** Notes the starts of turns of the event loop. */
export class TurnClock {
  /**
   * The oldest first. Bytes that are read in a turn came after the start of the turn before, or of
   * the one before that on a new connection.
   */
  private turns: readonly number[] = []

  start(): Cancel {
    const beat = () => {
      this.turns = [...this.turns.slice(-2), environment.monotonicNow()]
    }
    beat()
    return environment.setRepeatingTimer(BEAT_MS, beat)
  }

  /** The earliest time at which bytes can have arrived that are read now. */
  earliestArrival(): number {
    const now = environment.monotonicNow()
    const [oldest = now] = this.turns
    return now - oldest > BLOCKED_MS ? oldest : now
  }
}

/** Reads of other requests never wait, so health checks and users are answered under load. */
const CALL_START = /^(?:POST|PUT) \/+(?:payment|user)\//
const CALL_START_BYTES = 32

/** Monotonic times of the first byte of a call. */
export interface Arrival {
  /** The earliest possible time. The time limits of the call start there. */
  readonly arrivedAt: number
  /** The time at which the byte was read, for the journal and the durations. */
  readonly receivedAt: number
}

interface Read extends Arrival {
  readonly chunk: Buffer
}

/** A connection that holds back this number of bytes reads no more. A read has at most 64 KiB. */
const MAX_HELD_BYTES = 64 * 1024

export class CallerConnection extends Duplex {
  readonly remoteAddress: string | undefined
  /** The sandbox and `purser dev` answer only callers of this machine. */
  readonly localAddress: string | undefined
  private readonly socket: Socket
  private readonly queue: AdmissionQueue
  private readonly clock: TurnClock
  /** The last read, and the first read after the last complete request. */
  private lastRead: Arrival = { arrivedAt: 0, receivedAt: 0 }
  private head: Arrival | undefined
  private held: Read[] = []
  private heldBytes = 0
  /** Present until bytes that lay unread while the connection was full have been read. */
  private unreadSince: number | undefined
  private newest: IncomingMessage | undefined
  private requests = 0
  private isFailing = false
  private isCorked = false
  private isWaiting = false

  constructor(socket: Socket, queue: AdmissionQueue, clock: TurnClock) {
    super({ allowHalfOpen: true, decodeStrings: false })
    this.socket = socket
    this.queue = queue
    this.clock = clock
    this.remoteAddress = socket.remoteAddress
    this.localAddress = socket.localAddress
    this.unreadSince = clock.earliestArrival()
    socket.on('data', (chunk) => this.receive(chunk))
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
    socket.on('timeout', () => this.emit('timeout'))
    this.forgetUnread()
  }

  /** Called when Node emits a request. Undefined: the call must fail without being read. */
  arrivalOf(request: IncomingMessage): Arrival | undefined {
    const { head = this.lastRead } = this
    this.head = undefined
    this.newest = request
    this.requests += 1
    return this.isFailing ? undefined : head
  }

  /** True if the connection has no later request. */
  isNewest(request: IncomingMessage): boolean {
    return this.newest === request
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    this.socket.setTimeout(milliseconds)
    return this
  }

  destroySoon(): void {
    this.end(() => this.socket.destroySoon())
  }

  override _read(): void {
    if (this.heldBytes < MAX_HELD_BYTES) this.socket.resume()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.send([{ chunk, encoding }], done)
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    this.send(chunks, done)
  }

  override _final(done: () => void): void {
    this.socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy()
    done(error)
  }

  private receive(chunk: Buffer): void {
    const arrivedAt = this.unreadSince ?? this.clock.earliestArrival()
    const read = { chunk, arrivedAt, receivedAt: environment.monotonicNow() }
    const isContinued = this.newest?.complete === false
    if (!this.isWaiting && !isContinued && !CALL_START.test(chunk.toString('latin1', 0, CALL_START_BYTES))) {
      this.deliver(read)
      return
    }
    this.held.push(read)
    this.heldBytes += chunk.length
    this.isWaiting ||= !this.queue.admit({
      arrivedAt,
      isAbandoned: () => this.destroyed || this.socket.readableEnded,
      start: () => this.deliverHeld(false),
      fail: () => this.deliverHeld(true),
    })
    if (this.heldBytes >= MAX_HELD_BYTES) {
      this.unreadSince ??= this.clock.earliestArrival()
      this.socket.pause()
    }
  }

  /** Returns the number of requests in the held reads. */
  private deliverHeld(isFailing: boolean): number {
    const before = this.requests
    const reads = this.held
    this.held = []
    this.heldBytes = 0
    this.isWaiting = false
    this.isFailing = isFailing
    for (const read of reads) this.deliver(read)
    this.isFailing = false
    if (this.unreadSince !== undefined) {
      this.forgetUnread()
      this.socket.resume()
    }
    return this.requests - before
  }

  /** Node's parser runs before this method returns, unless the caller reads no answers. */
  private deliver(read: Read): void {
    this.lastRead = read
    if (this.newest?.complete === false) this.head = undefined
    else this.head ??= read
    if (!this.push(read.chunk)) this.socket.pause()
  }

  /** The event loop reads such bytes before the next turn. The answers leave after that. */
  private forgetUnread(): void {
    environment.nextTurn(() => {
      if (!this.isWaiting) this.unreadSince = undefined
    })
  }

  /** Node ends each answer with an empty chunk. While calls wait, a turn makes one write. */
  private send(chunks: readonly { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    const { socket } = this
    if (!this.isCorked && this.queue.size > 0) {
      this.isCorked = true
      socket.cork()
      environment.nextTurn(() => {
        this.isCorked = false
        socket.uncork()
      })
    }
    for (const { chunk, encoding } of chunks) if (chunk.length > 0) socket.write(chunk, encoding)
    if (socket.writableNeedDrain) socket.once('drain', done)
    else done()
  }
}
