/** One request and its answer, byte for byte. */
import type { CurlRequest } from '@purser/runtime/text/curl-command'

export type SentRequest = CurlRequest

export type ReceivedAnswer =
  | {
      readonly kind: 'some'
      readonly status: number
      readonly contentType: string
      readonly body: string
      /** The body has replacement characters for bytes that are not UTF-8. */
      readonly isNotUtf8?: true
    }
  | { readonly kind: 'none'; readonly why: string }

export interface Exchange {
  /** A short label: 'Place bet X'. */
  readonly what: string
  /** The kit read a balance; the call is no step of the case. */
  readonly isLook?: true
  /** The verdict names this call. */
  readonly isBlamed?: true
  readonly request: SentRequest
  readonly answer: ReceivedAnswer
  readonly startedAt: Date
  readonly durationMs: number
}

/** Removes the user name and password from a URL. */
export function stripCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@\s]*@/, '$1')
}
