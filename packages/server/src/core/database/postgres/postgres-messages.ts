/**
 * Messages of the Postgres protocol (version 3), for PGlite and for the proxies of tests and
 * simulator.
 *
 * A message is a byte for its type, four for its length, which counts itself, and its content. A
 * client's first message has no type.
 */

const TYPE_BYTES = 1
const LENGTH_BYTES = 4
/** Start of the content. */
export const CONTENT_AT = TYPE_BYTES + LENGTH_BYTES

export const CLIENT_MESSAGE = { bind: 'B', query: 'Q', sync: 'S', terminate: 'X' } as const

export const SERVER_MESSAGE = {
  backendKeyData: 'K',
  commandComplete: 'C',
  dataRow: 'D',
  error: 'E',
  parameterDescription: 't',
  /** Contains the state of the transaction: I without one, T inside one, E inside a failed one. */
  readyForQuery: 'Z',
  rowDescription: 'T',
} as const

export interface PostgresMessage {
  /** Empty for the client's first message. */
  readonly type: string
  readonly bytes: Buffer
}

/** Finds the complete messages in `bytes`: their types, starts and ends. */
export function* iterateMessages(
  bytes: Buffer,
  isTyped = true,
): Generator<readonly [type: string, from: number, to: number]> {
  let typeBytes = isTyped ? TYPE_BYTES : 0
  for (let from = 0; from + typeBytes + LENGTH_BYTES <= bytes.length; ) {
    const to = from + typeBytes + bytes.readUInt32BE(from + typeBytes)
    if (to > bytes.length) return
    yield [typeBytes === 0 ? '' : String.fromCharCode(bytes[from] as number), from, to]
    from = to
    typeBytes = TYPE_BYTES
  }
}

/** Reads the messages of a connection, whose data arrives in chunks. */
export function createMessageReader(first: 'has no type' | 'has a type'): (data: Buffer) => PostgresMessage[] {
  let rest = Buffer.alloc(0)
  let isTyped = first === 'has a type'
  return (data) => {
    const bytes = Buffer.concat([rest, data])
    const found: PostgresMessage[] = []
    let end = 0
    for (const [type, from, to] of iterateMessages(bytes, isTyped)) {
      found.push({ type, bytes: bytes.subarray(from, to) })
      end = to
      isTyped = true
    }
    rest = bytes.subarray(end)
    return found
  }
}

/** Reads the text that ends with a zero byte. */
export function readText(bytes: Buffer, from: number): string {
  return bytes.toString('utf8', from, bytes.indexOf(0, from))
}

export function encodeMessage(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(CONTENT_AT)
  head.write(type, 'latin1')
  head.writeUInt32BE(LENGTH_BYTES + content.length, TYPE_BYTES)
  return Buffer.concat([head, content])
}

/** The text may hold several statements. */
export function encodeSimpleQuery(text: string): Buffer {
  return encodeMessage(CLIENT_MESSAGE.query, Buffer.from(`${text}\0`))
}
