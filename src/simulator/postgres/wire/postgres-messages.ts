/**
 * The part of the Postgres protocol (version 3) that a proxy needs.
 *
 * A message is a byte for its type, four for its length, which counts itself, and its content. A
 * client's first message has no type.
 */

export interface PostgresMessage {
  /** Empty for the client's first message. */
  readonly type: string
  readonly bytes: Buffer
}

/** A simple query, or all messages up to a Sync. Its answer ends with one ReadyForQuery. */
export interface ClientStatement {
  readonly bytes: Buffer
  /** The name of a prepared statement, or the beginning of a simple query. */
  readonly name: string
}

const TYPE = 1
const LENGTH = 4
/** ReadyForQuery, with the state of the transaction. */
export const READY = 'Z'
const QUERY = 'Q'
const SYNC = 'S'
const BIND = 'B'
export const TERMINATE = 'X'
/** For simple queries. */
const MAX_NAME_LENGTH = 40

export function createMessageReader(first: 'has no type' | 'has a type'): (data: Buffer) => PostgresMessage[] {
  let rest = Buffer.alloc(0)
  let head = first === 'has no type' ? 0 : TYPE
  return (data) => {
    rest = Buffer.concat([rest, data])
    const found: PostgresMessage[] = []
    while (rest.length >= head + LENGTH) {
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) break
      found.push({ type: head === 0 ? '' : String.fromCharCode(rest[0] as number), bytes: rest.subarray(0, end) })
      rest = rest.subarray(end)
      head = TYPE
    }
    return found
  }
}

/** Joins the messages of a statement. */
export function createStatementReader(): (message: PostgresMessage) => ClientStatement | undefined {
  let parts: Buffer[] = []
  let name = ''
  return ({ type, bytes }) => {
    if (type === QUERY)
      return {
        bytes,
        name: readText(bytes, TYPE + LENGTH)
          .trim()
          .slice(0, MAX_NAME_LENGTH),
      }
    parts.push(bytes)
    if (type === BIND) name = readText(bytes, bytes.indexOf(0, TYPE + LENGTH) + 1)
    if (type !== SYNC) return undefined
    const sent = { bytes: Buffer.concat(parts), name }
    parts = []
    name = ''
    return sent
  }
}

function readText(bytes: Buffer, from: number): string {
  return bytes.toString('utf8', from, bytes.indexOf(0, from))
}

/** A simple query. */
export function toQuery(text: string): Buffer {
  return toMessage(QUERY, Buffer.from(`${text}\0`))
}

export function readQueryText({ bytes }: ClientStatement): string | undefined {
  return String.fromCharCode(bytes[0] as number) === QUERY ? readText(bytes, TYPE + LENGTH) : undefined
}

function toMessage(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(TYPE + LENGTH)
  head.write(type, 'latin1')
  head.writeUInt32BE(LENGTH + content.length, TYPE)
  return Buffer.concat([head, content])
}

/** The server's error before it ends a session. */
export function toFatalError(code: string, message: string): Buffer {
  return toMessage('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`))
}

export interface StatementResult {
  /** The tag of each command, or the error code. */
  readonly word: string
  readonly rows: number
}

export function toStatementResult(messages: readonly PostgresMessage[]): StatementResult {
  const tags = messages.filter(({ type }) => type === 'C').map(({ bytes }) => readText(bytes, TYPE + LENGTH))
  const errors = messages.filter(({ type }) => type === 'E').map((message) => `error ${readErrorCode(message)}`)
  return { word: [...tags, ...errors].join(', '), rows: messages.filter(({ type }) => type === 'D').length }
}

/** The field that begins with C. */
export function readErrorCode({ bytes }: PostgresMessage): string {
  const at = findCode(bytes)
  return bytes.toString('latin1', at, at + 5)
}

function findCode(bytes: Buffer): number {
  for (let at = TYPE + LENGTH; at < bytes.length && bytes[at] !== 0; at = bytes.indexOf(0, at) + 1)
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
  return String.fromCharCode(bytes[TYPE + LENGTH] as number)
}

/** Reads a BackendKeyData message. */
export function readProcessId({ bytes }: PostgresMessage): number {
  return bytes.readUInt32BE(TYPE + LENGTH)
}
