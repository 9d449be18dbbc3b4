/** Calls of the embedded database of the simulation: a whole message in, and its answer when the call returns. */
import type { PGlite } from '@electric-sql/pglite'
import {
  type Said,
  type Shape,
  saidIn,
  shapeIn,
  throwError,
  toExecute,
  toPrepare,
  toSimple,
} from '../../db/pglite-wire.ts'

/** Throws what the database throws; then nothing of the message has been done. */
export interface Wire {
  simple(sql: string): void
  prepare(name: string, text: string): Shape
  /** `before`: SQL in front of it, in the same message. */
  execute(name: string, values: readonly (string | null)[], before?: string): Said
}

export function speak(pglite: PGlite): Wire {
  const simple = new Map<string, Buffer>()
  const simply = (sql: string) => {
    const made = simple.get(sql) ?? toSimple(sql)
    simple.set(sql, made)
    return made
  }
  const send = (message: Uint8Array): Buffer => {
    const said: Buffer[] = []
    const onRawData = (bytes: Uint8Array) => void said.push(Buffer.from(bytes))
    // Its promise says nothing more: all is said when it returns.
    void pglite.execProtocolRawStream(message, { syncToFs: false, onRawData })
    const bytes = said.length === 1 ? (said[0] as Buffer) : Buffer.concat(said)
    throwError(bytes)
    return bytes
  }
  return {
    simple: (sql) => void send(simply(sql)),
    prepare: (name, text) => shapeIn(send(toPrepare(name, text))),
    execute: (name, values, before) =>
      saidIn(send(toExecute(name, values, before === undefined ? undefined : simply(before)))),
  }
}
