/**
 * Interface of tracing. Without tracing no span exists, and no work is done for it.
 * opentelemetry.ts implements it.
 */

/** Ids, codes and numbers: never a player, a token or a body. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export type TraceHeaders = Readonly<Record<string, string>>
export type CallerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface SpanStart {
  readonly kind?: 'server' | 'client'
  /** From `environment.monotonicNow()`; by default now. */
  readonly at?: number
  /** Related spans that are no parents. */
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
  /**
   * Headers for an outgoing call of this span: `traceparent`, and `tracestate` if the caller sent
   * one (W3C).
   */
  headers(): TraceHeaders
  /** False when the span is not exported. */
  readonly isSampled: boolean
  child(name: string, begin?: SpanStart): Span
  end(end?: SpanEnd): void
}

export interface Tracing {
  /** Continues the trace in the caller's headers. Without valid headers, a new trace begins. */
  begin(name: string, begin: SpanStart, headers?: CallerHeaders): Span
}
