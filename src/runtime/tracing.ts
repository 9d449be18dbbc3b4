/**
 * Spans as the rest of the code sees them: what took how long, below what. Where tracing is off there are none, and nothing is made or
 * asked for them. What makes them: process/opentelemetry.ts.
 */

/** Ids, codes and numbers: never a player, a token or a body. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface Begin {
  readonly kind?: 'server' | 'client'
  /** As world.elapsed() gives it; now when absent. */
  readonly at?: number
  /** Spans that it has to do with, and is not below. */
  readonly links?: readonly Span[]
  readonly attributes?: Attributes
}

export interface End {
  readonly at?: number
  readonly attributes?: Attributes
  readonly failed?: boolean
}

export interface Span {
  /** For the header of a call that belongs to it (W3C Trace Context). */
  readonly traceparent: string
  /** False when it was not chosen: nobody will see it. */
  readonly isSeen: boolean
  child(name: string, begin?: Begin): Span
  end(end?: End): void
}

export interface Tracing {
  /** Goes on with the trace of the caller that sent this header, if it is one; else begins one. */
  begin(name: string, begin: Begin, traceparent?: string | string[]): Span
}
