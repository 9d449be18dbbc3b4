/**
 * A client's end of a connection to Postgres. To the client it is a socket; what it writes goes no further than to who made it, so that
 * nothing is under way that nobody knows of.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** What a client does with its end. */
export interface ConnectionHandlers {
  onData(data: Buffer): void
  /** The client has hung up. */
  onEnd(): void
}

/** As the system calls it to who reads or connects. */
export type SocketErrorCode = 'ECONNRESET' | 'ECONNREFUSED'

/** What becomes of a client's end. */
export interface ClientEnd {
  connected(): void
  give(data: Buffer): void
  /** The server has hung up. */
  hangUp(): void
  /** Without a code: nobody is told. */
  breaks(code?: SocketErrorCode): void
}

export class ClientSocket extends Duplex implements ClientEnd {
  readonly #ends: ConnectionHandlers

  constructor(ends: ConnectionHandlers) {
    super({ allowHalfOpen: false })
    this.#ends = ends
  }

  /** As a socket has it. */
  connect(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  connected(): void {
    this.emit('connect')
  }
  give(data: Buffer): void {
    this.push(data)
  }
  hangUp(): void {
    this.push(null)
  }
  breaks(code?: SocketErrorCode): void {
    this.destroy(code && toSocketError(code))
  }

  override _read(): void {}
  override _write(data: Buffer, _encoding: string, done: () => void): void {
    this.#ends.onData(data)
    done()
  }
  override _final(done: () => void): void {
    this.#ends.onEnd()
    done()
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ends.onEnd()
    done(error)
  }

  /** What a library takes for its socket. */
  asSocket(): Socket {
    return this as unknown as Socket
  }
}

function toSocketError(code: SocketErrorCode): Error {
  return Object.assign(new Error(`${code === 'ECONNREFUSED' ? 'connect' : 'read'} ${code}`), { code })
}
