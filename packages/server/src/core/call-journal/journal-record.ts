/**
 * Stored form of a call in a journal segment (calls that are stored together): three lengths, then
 * the body and the answer as bytes, and a head with all other data as text.
 *
 * The head is NUL-separated text and not JSON, because the journal must cost only a few
 * microseconds per call.
 */
import { hash } from 'node:crypto'
import { parseJsonObject } from '@purser/protocol/values/exact-json'

export interface AnsweredCall {
  /** Milliseconds since the first byte. */
  readonly ageMs: number
  /** The source address (O-16). */
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string | undefined
  readonly betId?: string | undefined
  readonly requestId?: string | undefined
  /** The index of the secret that verified the signature; undefined: none did. */
  readonly secret?: number | undefined
  /** The name of the secret's platform (W-43). */
  readonly platform?: string | undefined
  readonly body: Buffer
  readonly status: number
  readonly answer: string | Buffer
  /** The call's token; an operator's answer may contain it, and is redacted. */
  readonly token?: string | undefined
  /** Milliseconds from the first byte to the complete body, and from there to the answer. */
  readonly arrivalMs: number
  readonly workMs: number
  /**
   * Parts of the work in milliseconds: the wait for the batch or operator, and the execution there.
   * `batch` is the id of the batch.
   */
  readonly queueMs?: number | undefined
  readonly executionMs?: number | undefined
  readonly batch?: string | undefined
}

/** A call as it is stored. An absent member was unknown to the process. */
export interface StoredCall {
  /** The time of the first byte, in milliseconds since 1970. */
  readonly at: number
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string
  readonly betId?: string
  readonly requestId?: string
  readonly secret?: number
  readonly bodyBytes: number
  /** The hexadecimal hash of the received body. */
  readonly bodySha256: string
  readonly status: number
  readonly code?: number
  /** `arrival` to `execution` are in microseconds. */
  readonly arrival: number
  readonly work: number
  readonly queue?: number
  readonly execution?: number
  readonly batch?: string
  readonly platform?: string
  readonly body: string
  readonly answer: string
}

/** Bytes of the lengths of body, answer and head, at the start of each record. */
export const LENGTHS_BYTES = 12
const US_PER_MS = 1_000
/** Separates the fields of a head. `replaceNul` removes it from the fields themselves. */
const NUL = '\0'

export interface RecordNames {
  readonly at: number
  readonly player: string
  readonly betId: string
  readonly requestId: string
}

/** Index of the player among the fields of a head. */
const PLAYER_FIELD = 4

/** `sha256` is empty if the body is stored unchanged, because a reader can then compute it. */
export function formatHead(call: AnsweredCall, { at, player, betId, requestId }: RecordNames, sha256: string): string {
  const { source, operation, outcome, secret = '', body, status, batch = '', platform = '' } = call
  const times = `${toMicroseconds(call.arrivalMs)}\0${toMicroseconds(call.workMs)}\0${toMicroseconds(call.queueMs)}\0${toMicroseconds(call.executionMs)}`
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

/** Returns the calls in the order in which they were added. */
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

/** The raw bytes and the player of each record; an unknown player is empty. */
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
  const [bodyBytes = '', sha256, status = '', arrival = '', work = '', queue, execution, batch, platform] = more
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
    ...(execution && { execution: parseInteger(execution) }),
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

/** Undefined for 200. Our own answers begin with the code, and so do most others. */
export function parseAnswerCode(status: number, answer: string): number | undefined {
  if (status === 200) return undefined
  const [, first] = CODE.exec(answer) ?? []
  const code = first === undefined ? parseJsonObject(answer)?.code : parseInteger(first)
  return Number.isInteger(code) && 0 <= (code as number) && (code as number) <= MAX_CODE ? (code as number) : undefined
}

export function replaceNul(text: string): string {
  return text.includes(NUL) ? text.replaceAll(NUL, '\uFFFD') : text
}
