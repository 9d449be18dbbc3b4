/** Synchronous calls to PGlite, the embedded database. */
import type { PGlite } from '@electric-sql/pglite'
import {
  encodeExecute,
  encodePrepare,
  type ProtocolResponse,
  parseDescription,
  parseResponse,
  type StatementDescription,
  throwFirstError,
} from 'purser/core/database/pglite/pglite-protocol'
import { encodeSimpleQuery } from 'purser/core/database/postgres/postgres-messages'

/** Throws the error of the database; then no part of the message took effect. */
export interface PgliteConnection {
  simple(sql: string): void
  prepare(name: string, text: string): StatementDescription
  /** `before`: SQL that precedes the statement in the same message. */
  execute(name: string, values: readonly (string | null)[], before?: string): ProtocolResponse
}

export function openPgliteConnection(pglite: PGlite): PgliteConnection {
  const simple = new Map<string, Buffer>()
  const simply = (sql: string) => {
    const made = simple.get(sql) ?? encodeSimpleQuery(sql)
    simple.set(sql, made)
    return made
  }
  const send = (message: Uint8Array): Buffer => {
    const chunks: Buffer[] = []
    const onRawData = (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes))
    // The promise adds nothing: the answer is complete when the call returns.
    void pglite.execProtocolRawStream(message, { syncToFs: false, onRawData })
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    throwFirstError(bytes)
    return bytes
  }
  return {
    simple: (sql) => void send(simply(sql)),
    prepare: (name, text) => parseDescription(send(encodePrepare(name, text))),
    execute: (name, values, before) =>
      parseResponse(send(encodeExecute(name, values, before === undefined ? undefined : simply(before)))),
  }
}
