/**
 * A call as it stands in a chunk: three lengths, then body and answer as bytes, then its head as text. That is one text, and not JSON, because a
 * call may cost the journal a few microseconds in all.
 */
import { hash } from 'node:crypto'
import { parseJsonObject } from '../../../protocol/values/exact-json.ts'

/** A call as it was answered. */
export interface AnsweredCall {
  /** Milliseconds since its first byte came. */
  readonly ageMs: number
  /** Whose connection it was; behind a proxy the proxy's. */
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string | undefined
  readonly betId?: string | undefined
  readonly requestId?: string | undefined
  /** The place, from 0, of the secret that verified the signature; undefined: none did. */
  readonly secret?: number | undefined
  /** The name of its platform, if it has one (W-43). */
  readonly platform?: string | undefined
  readonly body: Buffer
  readonly status: number
  /** The body of the answer. */
  readonly answer: string | Buffer
  /** The call's own, where the answer is somebody else's, who may repeat it. */
  readonly token?: string | undefined
  /** Milliseconds from the first byte to the whole body, and from there to the answer. */
  readonly arrivalMs: number
  readonly workMs: number
  /** Milliseconds of the work that it waited for what is behind this server, and that this took: its batch (which one), its operator. */
  readonly queueMs?: number | undefined
  readonly behindMs?: number | undefined
  readonly batch?: string | undefined
}

/** A call as it was kept. Absent is what its process did not know. */
export interface StoredCall {
  /** When its first byte came, in milliseconds since 1970. */
  readonly at: number
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string
  readonly betId?: string
  readonly requestId?: string
  readonly secret?: number
  readonly bodyBytes: number
  /** Of the body as it came, in hexadecimal. */
  readonly bodySha256: string
  readonly status: number
  readonly code?: number
  /** In microseconds, as all that follow. */
  readonly arrival: number
  readonly work: number
  readonly queue?: number
  readonly behind?: number
  readonly batch?: string
  readonly platform?: string
  readonly body: string
  readonly answer: string
}

/** Of body, answer and head, in front of each record. */
export const LENGTHS_BYTES = 12
const US_PER_MS = 1_000
/** Stands between two fields; no field holds one, see `replaceNul`. */
const NUL = '\0'

export interface RecordNames {
  readonly at: number
  readonly player: string
  readonly betId: string
  readonly requestId: string
}

/** The place of the player among the fields. */
const PLAYER_FIELD = 4

/** `sha256` is empty when the body is kept as it came: who reads it can ask the body itself. */
export function formatHead(call: AnsweredCall, { at, player, betId, requestId }: RecordNames, sha256: string): string {
  const { source, operation, outcome, secret = '', body, status, batch = '', platform = '' } = call
  const times = `${toMicroseconds(call.arrivalMs)}\0${toMicroseconds(call.workMs)}\0${toMicroseconds(call.queueMs)}\0${toMicroseconds(call.behindMs)}`
  const facts = `${source}\0${operation}\0${outcome}\0${player}\0${betId}\0${requestId}\0${secret}`
  return `${at}\0${facts}\0${body.length}\0${sha256}\0${status}\0${times}\0${batch}\0${platform}`
}

function toMicroseconds(milliseconds: number | undefined): number | '' {
  return milliseconds === undefined ? '' : Math.trunc(milliseconds * US_PER_MS)
}

export function writeLengths(bytes: Buffer, from: number, ...lengths: readonly [number, number, number]): void {
  const [body, answer, head] = lengths
  bytes.writeUInt32LE(body, from)
  bytes.writeUInt32LE(answer, from + 4)
  bytes.writeUInt32LE(head, from + 8)
}

/** The calls of a chunk, in the order in which they were added. */
export function parseRecords(bytes: Buffer): StoredCall[] {
  const calls: StoredCall[] = []
  for (let from = 0; from < bytes.length; ) {
    const body = from + LENGTHS_BYTES
    const answer = body + bytes.readUInt32LE(from)
    const head = answer + bytes.readUInt32LE(from + 4)
    const end = head + bytes.readUInt32LE(from + 8)
    calls.push(
      parseRecord(
        bytes.toString('utf8', head, end),
        bytes.subarray(body, answer),
        bytes.toString('utf8', answer, head),
      ),
    )
    from = end
  }
  return calls
}

/** Each record as it stands in a chunk, and its player; empty: none is known. */
export function parseRecordPlayers(bytes: Buffer): { player: string; raw: Buffer }[] {
  const records: { player: string; raw: Buffer }[] = []
  for (let from = 0; from < bytes.length; ) {
    const head = from + LENGTHS_BYTES + bytes.readUInt32LE(from) + bytes.readUInt32LE(from + 4)
    const end = head + bytes.readUInt32LE(from + 8)
    const player = bytes.toString('utf8', head, end).split(NUL)[PLAYER_FIELD] ?? ''
    records.push({ player, raw: bytes.subarray(from, end) })
    from = end
  }
  return records
}

function parseRecord(head: string, body: Buffer, answer: string): StoredCall {
  const [at = '', source = '', operation = '', outcome = '', player, betId, requestId, secret, ...more] =
    head.split(NUL)
  const [bodyBytes = '', sha256, status = '', arrival = '', work = '', queue, upstream, batch, platform] = more
  const code = parseAnswerCode(parseInteger(status), answer)
  return {
    at: parseInteger(at),
    ...{ source, operation, outcome },
    ...(player && { player }),
    ...(betId && { betId }),
    ...(requestId && { requestId }),
    ...(secret && { secret: parseInteger(secret) }),
    bodyBytes: parseInteger(bodyBytes),
    bodySha256: sha256 || hash('sha256', body),
    status: parseInteger(status),
    ...(code !== undefined && { code }),
    arrival: parseInteger(arrival),
    work: parseInteger(work),
    ...(queue && { queue: parseInteger(queue) }),
    ...(upstream && { behind: parseInteger(upstream) }),
    ...(batch && { batch }),
    ...(platform && { platform }),
    body: body.toString('utf8'),
    answer,
  }
}

function parseInteger(text: string): number {
  return Number.parseInt(text, 10)
}

const CODE = /^\s*\{\s*"code"\s*:\s*(\d{1,4})\b/
const MAX_CODE = 9_999

/** Of an answer that is none of the good ones. Ours begin with it, and so do most of others. */
export function parseAnswerCode(status: number, answer: string): number | undefined {
  if (status === 200) return undefined
  const [, first] = CODE.exec(answer) ?? []
  const code = first === undefined ? parseJsonObject(answer)?.code : parseInteger(first)
  return Number.isInteger(code) && 0 <= (code as number) && (code as number) <= MAX_CODE ? (code as number) : undefined
}

export function replaceNul(text: string): string {
  return text.includes(NUL) ? text.replaceAll(NUL, '\uFFFD') : text
}
