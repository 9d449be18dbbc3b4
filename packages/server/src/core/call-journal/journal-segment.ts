/**
 * Segment of the journal: calls that are stored together, one after another as bytes. Each call is
 * copied when it is added, so that the memory of its request can be freed.
 */
import { hash } from 'node:crypto'
import { hashJournalKey } from './journal-keys.ts'
import {
  type AnsweredCall,
  formatHead,
  LENGTHS_BYTES,
  parseAnswerCode,
  replaceNul,
  writeLengths,
} from './journal-record.ts'
import { redactAnswer, redactBody, redactProfile, redactToken } from './journal-redaction.ts'
import { compressSegment } from './segment-compression.ts'

export interface ClosedSegment {
  /** Milliseconds since 1970: of the last answer, and of the first byte. */
  readonly at: number
  readonly since: number
  readonly calls: number
  readonly slowestMs: number
  readonly keys: Int32Array
  readonly bytes: Buffer
}

/** Limits of a segment; a search for one call reads all its calls. */
const MAX_CALLS = 256
const MAX_BYTES = 1024 * 1024
/** The buffer starts with this size and grows. */
const INITIAL_BYTES = 256 * 1024
/** Bytes of a stored body. A longer body is cut, but its hash covers the whole body. */
const MAX_BODY_BYTES = 8_192
/**
 * For a call without a valid signature. One per second is stored, so at most 200 MB a day per
 * process (W-30).
 */
const MAX_UNVERIFIED_BODY_BYTES = 2_048
/** Milliseconds from the first byte to the answer; no call takes longer. Searches rely on it. */
export const MAX_CALL_AGE_MS = 20_000
/** Milliseconds between the answers of a segment, even if the clock is changed. */
export const SEGMENT_SPAN_MS = 1_000
/** Maximum for a UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT = 3
/** Keys with few different names, so that a segment stores each name once. */
const KINDS_WITH_FEW_NAMES = ['operation', 'outcome', 'code', 'platform'] as const

/**
 * Builds one segment after another in the same memory. A new buffer for each would make V8 scan its
 * whole heap about once a second under load. That cost as much per call as the rest of the journal.
 */
export class JournalSegment {
  calls = 0
  private bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES)
  private length = 0
  private begunAt = 0
  private at = 0
  private since = Number.POSITIVE_INFINITY
  private slowestMs = 0
  private keys: number[] = []
  private readonly names = {
    operation: new Set<string>(),
    outcome: new Set<string>(),
    code: new Set<string>(),
    platform: new Set<string>(),
  }

  /** `now` is in milliseconds since 1970. If it throws, nothing is added. */
  add(call: AnsweredCall, now: number): void {
    const from = this.length
    const at = Math.trunc(now - Math.min(call.ageMs, MAX_CALL_AGE_MS))
    try {
      this.write(call, at)
    } catch (error) {
      this.length = from
      throw error
    }
    if (this.calls === 0) this.begunAt = now
    this.calls += 1
    this.at = Math.max(this.at, now)
    this.since = Math.min(this.since, at)
    this.slowestMs = Math.max(this.slowestMs, call.ageMs)
  }

  isFull(): boolean {
    return this.calls >= MAX_CALLS || this.length >= MAX_BYTES
  }

  isExpired(now: number): boolean {
    return this.calls > 0 && Math.abs(now - this.begunAt) > SEGMENT_SPAN_MS
  }

  /** Returns the added calls and starts the next segment. */
  close(): ClosedSegment {
    const { at, since, calls, slowestMs, names } = this
    const keys = this.keys.concat(
      ...KINDS_WITH_FEW_NAMES.map((kind) => Array.from(names[kind], (name) => hashJournalKey(kind, name))),
    )
    const bytes = compressSegment(this.raw())
    this.clear()
    return { at, since, calls, slowestMs, keys: Int32Array.from(keys), bytes }
  }

  /** Releases a buffer that has grown. */
  private clear(): void {
    if (this.bytes.length > INITIAL_BYTES) this.bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES)
    this.calls = 0
    this.length = 0
    this.at = 0
    this.since = Number.POSITIVE_INFINITY
    this.slowestMs = 0
    this.keys = []
    for (const kind of KINDS_WITH_FEW_NAMES) this.names[kind].clear()
  }

  /** The added calls, for `parseRecords`. */
  raw(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  private write(call: AnsweredCall, at: number): void {
    const { body, status, operation, outcome, platform } = call
    const from = this.length
    this.ensureCapacity(LENGTHS_BYTES)
    this.length += LENGTHS_BYTES
    const isWhole = call.secret === undefined ? this.writeUnverifiedBody(body) : this.writeBody(body)
    const answerFrom = this.length
    const answer = redactCallAnswer(call)
    this.writeText(answer)
    const headFrom = this.length
    const [player, betId, requestId] = [truncateId(call.player), truncateId(call.betId), truncateId(call.requestId)]
    this.writeText(formatHead(call, { at, player, betId, requestId }, isWhole ? '' : hash('sha256', body)))
    writeLengths(this.bytes, from, answerFrom - from - LENGTHS_BYTES, headFrom - answerFrom, this.length - headFrom)
    if (player !== '') this.keys.push(hashJournalKey('player', player))
    if (betId !== '') this.keys.push(hashJournalKey('bet', betId))
    if (requestId !== '') this.keys.push(hashJournalKey('request', requestId))
    this.names.operation.add(operation)
    this.names.outcome.add(outcome)
    if (platform !== undefined && platform !== '') this.names.platform.add(platform)
    const code = parseAnswerCode(status, answer)
    if (code !== undefined) this.names.code.add(`${code}`)
  }

  /** True: unchanged. */
  private writeBody(body: Buffer): boolean {
    const token = body.length > MAX_BODY_BYTES ? 'odd' : findToken(body.toString('latin1'))
    if (token === 'none') this.writeBytes(body, 0, body.length)
    else if (token === 'odd') this.writeText(redactBody(body.toString('utf8')))
    else {
      this.writeBytes(body, 0, token.from)
      this.writeText(redactToken(token.value))
      this.writeBytes(body, token.from + token.value.length, body.length)
    }
    return token === 'none'
  }

  private writeUnverifiedBody(body: Buffer): boolean {
    if (body.length <= MAX_UNVERIFIED_BODY_BYTES) return this.writeBody(body)
    this.writeBody(body.subarray(0, MAX_UNVERIFIED_BODY_BYTES))
    this.writeText('…')
    return false
  }

  private writeText(text: string): void {
    this.ensureCapacity(text.length * BYTES_PER_UNIT)
    this.length += this.bytes.write(text, this.length, 'utf8')
  }

  private writeBytes(bytes: Buffer, from: number, to: number): void {
    this.ensureCapacity(to - from)
    this.length += bytes.copy(this.bytes, this.length, from, to)
  }

  private ensureCapacity(size: number): void {
    if (this.length + size <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.length + size))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}

/** A longer text is no valid id, and is complete in the body. */
const MAX_ID = 64

function truncateId(id: string | undefined): string {
  return id === undefined ? '' : replaceNul(id.slice(0, MAX_ID))
}

function redactCallAnswer({ answer, operation, token }: AnsweredCall): string {
  const mask = operation === 'profile' ? redactProfile : redactAnswer
  return mask(typeof answer === 'string' ? answer : answer.toString('utf8'), token)
}

interface TokenSpan {
  readonly from: number
  readonly value: string
}

const TOKEN_NAME = /token/gi
const MEMBER = '"token":"'
const TO_NAME = 1
const PRINTABLE = /^[\x20-\x7e]*$/

/**
 * The only token of a body in the usual spelling, each character a byte. `odd`: redact the body as
 * text.
 */
function findToken(text: string): TokenSpan | 'none' | 'odd' {
  if (text.includes('\\')) return 'odd'
  const name = findNextTokenName(text, 0)
  if (name === -1) return 'none'
  if (!text.startsWith(MEMBER, name - TO_NAME)) return 'odd'
  const from = name - TO_NAME + MEMBER.length
  const to = text.indexOf('"', from)
  const value = text.slice(from, to)
  return to === -1 || !PRINTABLE.test(value) || findNextTokenName(text, to) !== -1 ? 'odd' : { from, value }
}

function findNextTokenName(text: string, from: number): number {
  TOKEN_NAME.lastIndex = from
  return TOKEN_NAME.exec(text)?.index ?? -1
}
