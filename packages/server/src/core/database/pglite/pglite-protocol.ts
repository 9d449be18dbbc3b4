/**
 * Statements for PGlite in the Postgres protocol, and the decoding of its answers.
 *
 * PGlite's own reader takes a leading U+FEFF for a byte order mark and drops it. A text must be
 * returned as it was stored (I-7), so it is decoded here.
 */
import { type PGlite, protocol } from '@electric-sql/pglite'
import type { Row } from '../db.ts'
import { CLIENT_MESSAGE, CONTENT_AT, iterateMessages, readText, SERVER_MESSAGE } from '../postgres/postgres-messages.ts'

const { serialize, Parser } = protocol

const NOTHING = Buffer.alloc(0)
const EXECUTE = Buffer.concat([serialize.execute({}), serialize.sync()])

/** Types are the type ids of Postgres. */
export interface StatementDescription {
  readonly parameterTypes: readonly number[]
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

export interface ProtocolResponse {
  /** Rows of the last statement, as texts. */
  readonly rows: (string | null)[][]
  /** Only the simple protocol describes the columns in its answer. */
  readonly columns: StatementDescription['columns']
  /** Command tag of the last statement, such as "INSERT 0 3". */
  readonly commandTag: string
}

/** An unnamed statement lasts until the next one. */
export function encodePrepare(name: string, text: string): Buffer {
  return Buffer.concat([serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()])
}

/** `before` is sent first. All values are texts, and the portal is unnamed. */
export function encodeExecute(name: string, values: readonly (string | null)[], before: Buffer = NOTHING): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + (value === null ? 0 : Buffer.byteLength(value)), 0)
  const length = 4 + 1 + Buffer.byteLength(name) + 1 + 2 + 2 + bytes + 2
  const message = Buffer.allocUnsafe(before.length + 1 + length + EXECUTE.length)
  before.copy(message)
  let at = before.length + message.write(CLIENT_MESSAGE.bind, before.length)
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

export function throwFirstError(bytes: Buffer): void {
  for (const [type] of iterateMessages(bytes)) {
    if (type !== SERVER_MESSAGE.error) continue
    new Parser().parse(bytes, (message) => {
      if (message instanceof Error) throw message
    })
  }
}

export function parseDescription(bytes: Buffer): StatementDescription {
  const description: { parameterTypes: number[]; columns: StatementDescription['columns'] } = {
    parameterTypes: [],
    columns: [],
  }
  for (const [type, from] of iterateMessages(bytes)) {
    if (type === SERVER_MESSAGE.parameterDescription) description.parameterTypes = parseTypes(bytes, from + CONTENT_AT)
    else if (type === SERVER_MESSAGE.rowDescription) description.columns = parseColumns(bytes, from + CONTENT_AT)
  }
  return description
}

function parseTypes(bytes: Buffer, from: number): number[] {
  return Array.from({ length: bytes.readUInt16BE(from) }, (_, i) => bytes.readUInt32BE(from + 2 + 4 * i))
}

/** Offset of a column's type after its name, and the bytes of its description after the name. */
const [TYPE_AT, COLUMN_BYTES] = [6, 18]

function parseColumns(bytes: Buffer, from: number): StatementDescription['columns'] {
  let at = from + 2
  return Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const end = bytes.indexOf(0, at)
    const name = bytes.toString('utf8', at, end)
    at = end + 1 + COLUMN_BYTES
    return { name, type: bytes.readUInt32BE(end + 1 + TYPE_AT) }
  })
}

export function parseResponse(bytes: Buffer): ProtocolResponse {
  let response: ProtocolResponse = { rows: [], columns: [], commandTag: '' }
  let [rows, columns]: [(string | null)[][], StatementDescription['columns']] = [[], []]
  for (const [type, from] of iterateMessages(bytes)) {
    if (type === SERVER_MESSAGE.rowDescription) columns = parseColumns(bytes, from + CONTENT_AT)
    else if (type === SERVER_MESSAGE.dataRow) rows.push(parseFields(bytes, from + CONTENT_AT))
    else if (type === SERVER_MESSAGE.commandComplete) {
      response = { rows, columns, commandTag: readText(bytes, from + CONTENT_AT) }
      rows = []
      columns = []
    }
  }
  return response
}

function parseFields(bytes: Buffer, from: number): (string | null)[] {
  let at = from + 2
  return Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return bytes.toString('utf8', at - length, at)
  })
}

type Types = Pick<PGlite, 'serializers' | 'parsers'>

export function serializeParameter({ serializers }: Types, type: number, value: unknown): string | null {
  if (value === null || value === undefined) return null
  const serializer = serializers[type]
  return serializer === undefined ? `${value}` : serializer(value)
}

export function parseRow(
  { parsers }: Types,
  columns: StatementDescription['columns'],
  fields: readonly (string | null)[],
): Row {
  const row: Row = {}
  for (let i = 0; i < columns.length; i++) {
    const [{ name, type }, text] = [columns[i] as StatementDescription['columns'][number], fields[i] ?? null]
    const parser = text === null ? undefined : parsers[type]
    row[name] = parser === undefined ? text : parser(text as string, type)
  }
  return row
}

/** Rows written, from "INSERT 0 3" or "UPDATE 2". */
export function parseRowCount(command: string): number {
  const [verb = '', ...numbers] = command.split(' ')
  return ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(verb) ? Number.parseInt(numbers.at(-1) ?? '0', 10) : 0
}
