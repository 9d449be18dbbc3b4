/**
 * Bodies and answers of many calls, one behind the other: what the journal keeps of them is copied once, as it comes, so that no call keeps
 * the memory in which its request arrived.
 */
import { hash } from 'node:crypto'
import { maskedBody, maskToken } from './masked.ts'

/** Where body and answer of a call stand. */
export interface Place {
  readonly from: number
  readonly bodyKept: number
  readonly answerKept: number
}

/** Bytes that a chunk begins with; it grows. */
const FIRST_BYTES = 16 * 1024
/** Bytes of a full chunk. */
const CHUNK_BYTES = 1024 * 1024
/** Bytes of a body that are kept. Longer ones are cut; the hash is over all of it. */
const MAX_BODY_BYTES = 8_192

export class Chunk {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES)
  private length = 0

  /** `answer`: as it is kept. */
  add(body: Buffer, answer: string): Place {
    const from = this.length
    this.writeBody(body)
    const bodyKept = this.length - from
    this.writeText(answer)
    return { from, bodyKept, answerKept: this.length - from - bodyKept }
  }

  isFull(): boolean {
    return this.length >= CHUNK_BYTES
  }

  /** What has been added. The chunk takes nothing more. */
  end(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  private writeBody(body: Buffer): void {
    const token = plainTokenIn(body)
    if (token === undefined) this.writeText(maskedBody(body.toString('utf8')))
    else {
      this.writeBytes(body.subarray(0, token.from))
      this.writeText(maskToken(body.toString('latin1', token.from, token.to)))
      this.writeBytes(body.subarray(token.to))
    }
  }

  private writeText(text: string): void {
    const size = Buffer.byteLength(text)
    this.makeRoom(size)
    this.length += this.bytes.write(text, this.length)
  }

  private writeBytes(bytes: Buffer): void {
    this.makeRoom(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  private makeRoom(size: number): void {
    if (this.length + size <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.length + size))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}

const NAMES = ['oken', 'OKEN'].map((text) => Buffer.from(text))
const MEMBER = Buffer.from('"token":"')
const QUOTE = '"'.charCodeAt(0)
const ESCAPE = '\\'.charCodeAt(0)
const FIRST_ASCII = 0x20
const LAST_ASCII = 0x7e

/** Where the value of the only token stands, in a body as platforms write it. All others are masked as texts. */
function plainTokenIn(body: Buffer): { readonly from: number; readonly to: number } | undefined {
  if (body.length > MAX_BODY_BYTES || body.includes(ESCAPE)) return undefined
  const member = body.indexOf(MEMBER)
  if (member === -1 || NAMES.some((name) => body.subarray(0, member).includes(name))) return undefined
  const from = member + MEMBER.length
  const to = body.indexOf(QUOTE, from)
  if (to === -1 || NAMES.some((name) => body.includes(name, to))) return undefined
  const isAscii = body.subarray(from, to).every((byte) => byte >= FIRST_ASCII && byte <= LAST_ASCII)
  return isAscii ? { from, to } : undefined
}

/** In hexadecimal. */
export function sha256(body: Buffer): string {
  return hash('sha256', body)
}
