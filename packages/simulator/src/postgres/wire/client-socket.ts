/**
 * The client's end of a connection to Postgres, as a socket in memory.
 *
 * The code that creates the socket receives the written data, so no data is in transit unnoticed.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export interface ConnectionHandlers {
  onData(data: Buffer): void
  /** The client has closed the connection. */
  onEnd(): void
}

export type SocketErrorCode = 'ECONNRESET' | 'ECONNREFUSED'

export interface ClientEnd {
  connected(): void
  give(data: Buffer): void
  /** The server has closed the connection. */
  hangUp(): void
  /** Without a code the client gets no error. */
  breaks(code?: SocketErrorCode): void
}

export class ClientSocket extends Duplex implements ClientEnd {
  readonly #ends: ConnectionHandlers

  constructor(ends: ConnectionHandlers) {
    super({ allowHalfOpen: false })
    this.#ends = ends
  }

  /** The rest of a socket's interface. */
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

  /** For libraries that expect a socket. */
  asSocket(): Socket {
    return this as unknown as Socket
  }
}

function toSocketError(code: SocketErrorCode): Error {
  return Object.assign(new Error(`${code === 'ECONNREFUSED' ? 'connect' : 'read'} ${code}`), { code })
}
