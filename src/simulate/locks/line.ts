/**
 * A client's end of a connection to Postgres. To the client it is a socket; what it writes goes no further than to who made it, in this
 * process, so that nothing is under way that nobody knows of.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export interface Ends {
  /** The client wants to be connected. */
  onConnect(): void
  onData(data: Buffer): void
  /** The client has hung up. */
  onEnd(): void
}

export class Line extends Duplex {
  readonly #ends: Ends

  constructor(ends: Ends) {
    super({ allowHalfOpen: false })
    this.#ends = ends
  }

  /** As a socket has it. */
  connect(): this {
    this.#ends.onConnect()
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

/** As the system says it to who reads or connects. */
export function brokenBy(code: 'ECONNRESET' | 'ECONNREFUSED'): Error {
  return Object.assign(new Error(`${code === 'ECONNREFUSED' ? 'connect' : 'read'} ${code}`), { code })
}
