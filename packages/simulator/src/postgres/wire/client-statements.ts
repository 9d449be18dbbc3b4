/** Reads a client's SQL statements and their results from Postgres messages, for the proxy. */
import {
  CLIENT_MESSAGE,
  CONTENT_AT,
  encodeMessage,
  type PostgresMessage,
  readText,
  SERVER_MESSAGE,
} from 'purser/core/database/postgres/postgres-messages'

/** A simple query, or all messages up to a Sync. Its answer ends with one ReadyForQuery. */
export interface ClientStatement {
  readonly bytes: Buffer
  /** The name of a prepared statement, or the beginning of a simple query. */
  readonly name: string
}

/** For simple queries. */
const MAX_NAME_LENGTH = 40

/** Joins the messages of a statement. */
export function createStatementReader(): (message: PostgresMessage) => ClientStatement | undefined {
  let parts: Buffer[] = []
  let name = ''
  return ({ type, bytes }) => {
    if (type === CLIENT_MESSAGE.query)
      return {
        bytes,
        name: readText(bytes, CONTENT_AT).trim().slice(0, MAX_NAME_LENGTH),
      }
    parts.push(bytes)
    if (type === CLIENT_MESSAGE.bind) name = readText(bytes, bytes.indexOf(0, CONTENT_AT) + 1)
    if (type !== CLIENT_MESSAGE.sync) return undefined
    const sent = { bytes: Buffer.concat(parts), name }
    parts = []
    name = ''
    return sent
  }
}

export function readQueryText({ bytes }: ClientStatement): string | undefined {
  return String.fromCharCode(bytes[0] as number) === CLIENT_MESSAGE.query ? readText(bytes, CONTENT_AT) : undefined
}

/** The server's error before it ends a session. */
export function toFatalError(code: string, message: string): Buffer {
  return encodeMessage(SERVER_MESSAGE.error, Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`))
}

export interface StatementResult {
  /** The tag of each command, or the error code. */
  readonly word: string
  readonly rows: number
}

export function toStatementResult(messages: readonly PostgresMessage[]): StatementResult {
  const tags = messages
    .filter(({ type }) => type === SERVER_MESSAGE.commandComplete)
    .map(({ bytes }) => readText(bytes, CONTENT_AT))
  const errors = messages
    .filter(({ type }) => type === SERVER_MESSAGE.error)
    .map((message) => `error ${readErrorCode(message)}`)
  return {
    word: [...tags, ...errors].join(', '),
    rows: messages.filter(({ type }) => type === SERVER_MESSAGE.dataRow).length,
  }
}

/** The field that begins with C. */
export function readErrorCode({ bytes }: PostgresMessage): string {
  const at = findCode(bytes)
  return bytes.toString('latin1', at, at + 5)
}

function findCode(bytes: Buffer): number {
  for (let at = CONTENT_AT; at < bytes.length && bytes[at] !== 0; at = bytes.indexOf(0, at) + 1)
    if (bytes[at] === 'C'.charCodeAt(0)) return at + 1
  return 0
}

/** All codes have five characters. */
export function withCode(message: PostgresMessage, code: string): PostgresMessage {
  const bytes = Buffer.from(message.bytes)
  bytes.write(code, findCode(bytes), 'latin1')
  return { ...message, bytes }
}

/** I without a transaction, T inside one, E inside a failed one. */
export function readTransactionState({ bytes }: PostgresMessage): string {
  return String.fromCharCode(bytes[CONTENT_AT] as number)
}

/** Reads a BackendKeyData message. */
export function readProcessId({ bytes }: PostgresMessage): number {
  return bytes.readUInt32BE(CONTENT_AT)
}
