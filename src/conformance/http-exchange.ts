/** One request and its answer, kept as they were on the wire. */
import type { CurlRequest } from '../runtime/text/curl-command.ts'

export type SentRequest = CurlRequest

export type ReceivedAnswer =
  | {
      readonly kind: 'some'
      readonly status: number
      readonly contentType: string
      readonly body: string
      /** The body has replacement characters in the place of some bytes. */
      readonly isNotUtf8?: true
    }
  | { readonly kind: 'none'; readonly why: string }

export interface Exchange {
  /** What it was for, in a word or two: 'Place bet X'. */
  readonly what: string
  /** The kit looked at a balance; no step of the case. */
  readonly isLook?: true
  /** The verdict names this call. */
  readonly isBlamed?: true
  readonly request: SentRequest
  readonly answer: ReceivedAnswer
  readonly startedAt: Date
  readonly durationMs: number
}

/** An address without the name and password that it may hold. */
export function stripCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@\s]*@/, '$1')
}
