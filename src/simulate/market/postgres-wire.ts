/** Postgres' protocol as the embedded database of the simulation is spoken to: a whole message in, what it says read in place. */
import { type PGlite, protocol } from '@electric-sql/pglite'

const { serialize, Parser } = protocol

const NOTHING = Buffer.alloc(0)
const BIND = 'B'.charCodeAt(0)
const EXECUTE = Buffer.concat([serialize.execute({}), serialize.sync()])
const [TYPES, COLUMNS, ROW, DONE, ERROR] = ['t', 'T', 'D', 'C', 'E'].map((letter) => letter.charCodeAt(0))
/** A letter, and a length that counts itself. */
const HEAD = 5

/** Of a statement: the types of what it takes, and names and types of what it gives. */
export interface Shape {
  readonly takes: readonly number[]
  readonly gives: readonly { readonly name: string; readonly type: number }[]
}

export interface Said {
  /** Texts of each row. */
  readonly rows: (string | null)[][]
  /** "INSERT 0 3", "UPDATE 2": of the last statement. */
  readonly done: string
}

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
    const made = simple.get(sql) ?? Buffer.from(serialize.query(sql))
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
    prepare(name, text) {
      const message = [serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()]
      return shapeIn(send(Buffer.concat(message)))
    },
    execute(name, values, before) {
      return saidIn(send(toExecute(name, values, before === undefined ? NOTHING : simply(before))))
    },
  }
}

/** Written in one piece, behind what goes before: a run sends two thousand of them. All are texts, the portal has no name. */
function toExecute(name: string, values: readonly (string | null)[], before: Buffer): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + (value === null ? 0 : Buffer.byteLength(value)), 0)
  const length = 4 + 1 + Buffer.byteLength(name) + 1 + 2 + 2 + bytes + 2
  const message = Buffer.allocUnsafe(before.length + 1 + length + EXECUTE.length)
  before.copy(message)
  let at = message.writeUInt8(BIND, before.length)
  at = message.writeInt32BE(length, at)
  at = message.writeUInt8(0, at)
  at += message.write(`${name}\0`, at)
  at = message.writeInt16BE(0, at)
  at = message.writeInt16BE(values.length, at)
  for (const value of values) {
    const written = value === null ? -1 : message.write(value, at + 4)
    message.writeInt32BE(written, at)
    at += 4 + Math.max(0, written)
  }
  EXECUTE.copy(message, message.writeInt16BE(0, at))
  return message
}

/** Where each message begins, and where it ends. */
function* messagesIn(bytes: Buffer): Generator<readonly [kind: number | undefined, from: number, to: number]> {
  for (let at = 0; at < bytes.length; ) {
    const to = at + 1 + bytes.readInt32BE(at + 1)
    yield [bytes[at], at + HEAD, to]
    at = to
  }
}

function throwError(bytes: Buffer): void {
  for (const [kind] of messagesIn(bytes)) {
    if (kind !== ERROR) continue
    new Parser().parse(bytes, (message) => {
      if (message instanceof Error) throw message
    })
  }
}

function shapeIn(bytes: Buffer): Shape {
  const shape: { takes: number[]; gives: Shape['gives'][number][] } = { takes: [], gives: [] }
  for (const [kind, from] of messagesIn(bytes)) {
    if (kind === TYPES) {
      const count = bytes.readUInt16BE(from)
      shape.takes = Array.from({ length: count }, (_, i) => bytes.readUInt32BE(from + 2 + 4 * i))
    } else if (kind === COLUMNS) shape.gives = columnsAt(bytes, from)
  }
  return shape
}

/** Behind a column's name: its table, its number there, its type, and three things more. */
const [TYPE_AT, COLUMN_BYTES] = [6, 18]

function columnsAt(bytes: Buffer, from: number): Shape['gives'][number][] {
  let at = from + 2
  return Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const end = bytes.indexOf(0, at)
    const name = bytes.toString('utf8', at, end)
    at = end + 1 + COLUMN_BYTES
    return { name, type: bytes.readUInt32BE(end + 1 + TYPE_AT) }
  })
}

function saidIn(bytes: Buffer): Said {
  const rows: (string | null)[][] = []
  let done = ''
  for (const [kind, from, to] of messagesIn(bytes)) {
    if (kind === ROW) rows.push(fieldsAt(bytes, from))
    else if (kind === DONE) done = bytes.toString('utf8', from, to - 1)
  }
  return { rows, done }
}

function fieldsAt(bytes: Buffer, from: number): (string | null)[] {
  let at = from + 2
  return Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return bytes.toString('utf8', at - length, at)
  })
}
