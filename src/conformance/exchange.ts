/** One request and its answer, kept as they were on the wire, and the command line that sends the request again. */

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact text; empty when there was no body. */
  readonly body: string
}

export type ReceivedAnswer =
  | {
      readonly kind: 'some'
      readonly status: number
      readonly contentType: string
      readonly body: string
    }
  | { readonly kind: 'none'; readonly why: string }

export interface Exchange {
  /** What it was for, in a word or two: 'Place bet X'. */
  readonly what: string
  /** The kit looked at a balance; no step of the case. */
  readonly isLook?: true
  readonly request: SentRequest
  readonly answer: ReceivedAnswer
  readonly startedAt: Date
  readonly durationMs: number
}

/** A command for a POSIX shell that sends the very same bytes. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`)
  const data = body === '' ? [] : [`--data-binary ${shellQuoted(body)}`]
  return ['curl -sS -i', `-X ${method}`, shellQuoted(url), ...given, ...data].join(' ')
}

/** As one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** An address without the name and password that it may hold. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@\s]*@/, '$1')
}
