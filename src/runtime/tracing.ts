/**
 * Spans as the rest of the code sees them: what took how long, below what. Where tracing is off there are none, and nothing is made or
 * asked for them. What makes them: process/opentelemetry.ts.
 */

/** Ids, codes and numbers: never a player, a token or a body. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export type TraceHeaders = Readonly<Record<string, string>>
export type CallerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface SpanStart {
  readonly kind?: 'server' | 'client'
  /** As world.elapsed() gives it; now when absent. */
  readonly at?: number
  /** Spans that it has to do with, and is not below. */
  readonly links?: readonly Span[]
  readonly attributes?: Attributes
}

export interface SpanEnd {
  readonly at?: number
  readonly attributes?: Attributes
  readonly failed?: boolean
}

export interface Span {
  /** Hexadecimal, as log lines name them. */
  readonly traceId: string
  readonly spanId: string
  /** For a call that belongs to it: `traceparent`, and `tracestate` if the caller sent one (W3C). */
  headers(): TraceHeaders
  /** False when it was not chosen: nobody will see it. */
  readonly isSampled: boolean
  child(name: string, begin?: SpanStart): Span
  end(end?: SpanEnd): void
}

export interface Tracing {
  /** Continues the trace that the caller's headers name; without a valid one, a trace begins. */
  begin(name: string, begin: SpanStart, headers?: CallerHeaders): Span
}
