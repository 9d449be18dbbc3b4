/**
 * Exports spans over OTLP/HTTP with the packages of OpenTelemetry. This file is imported only when
 * tracing is on (tracing-startup.ts), because the packages cost memory and time.
 */
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { environment } from '@purser/runtime/environment'
import type { Span, SpanStart } from '@purser/runtime/tracing'
import { VERSION } from '@purser/runtime/version'
import type { RunningTracing } from './tracing-startup.ts'

/** Milliseconds for an export, and for the last one at the end of the process. */
const EXPORT_MS = 2_000

const PROPAGATOR = new W3CTraceContextPropagator()

export interface TraceExportOptions {
  /** The complete address for spans. */
  readonly url: string
  /** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it. */
  readonly serviceName: string
  onLost(error: unknown): void
}

export function startOpenTelemetry({ url, serviceName, onLost }: TraceExportOptions): RunningTracing {
  const exporter = reportExportFailures(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }), onLost)
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('purser', VERSION)
  return {
    begin(name, begin, headers = {}) {
      const context = PROPAGATOR.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      return startSpan({ tracer, zero: environment.now() - environment.monotonicNow(), context }, name, begin)
    },
    stop: () => withTimeout(provider.shutdown(), EXPORT_MS, () => undefined).catch(() => {}),
  }
}

function reportExportFailures(exporter: SpanExporter, onLost: TraceExportOptions['onLost']): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onLost(result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

interface SpanScope {
  readonly tracer: Tracer
  /**
   * Wall clock, in milliseconds, at which the monotonic clock was 0. All children of a span share
   * it, so no part seems longer than the whole.
   */
  readonly zero: number
  readonly context: Context
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT }
const contexts = new WeakMap<Span, SpanContext>()

function startSpan(
  scope: SpanScope,
  name: string,
  { kind, at = environment.monotonicNow(), links = [], attributes }: SpanStart,
): Span {
  const otelSpan = scope.tracer.startSpan(
    name,
    {
      kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
      startTime: scope.zero + at,
      links: links.flatMap((span) => contexts.get(span) ?? []).map((context) => ({ context })),
      ...(attributes && { attributes }),
    },
    scope.context,
  )
  const span = toSpan(otelSpan, { ...scope, context: trace.setSpan(ROOT_CONTEXT, otelSpan) })
  contexts.set(span, otelSpan.spanContext())
  return span
}

function toSpan(otelSpan: OtelSpan, childScope: SpanScope): Span {
  const { traceId, spanId } = otelSpan.spanContext()
  return {
    ...{ traceId, spanId },
    headers() {
      const headers: Record<string, string> = {}
      PROPAGATOR.inject(childScope.context, headers, defaultTextMapSetter)
      return headers
    },
    isSampled: otelSpan.isRecording(),
    child: (name, begin = {}) => startSpan(childScope, name, begin),
    end({ at = environment.monotonicNow(), attributes, failed } = {}) {
      if (attributes) otelSpan.setAttributes(attributes)
      if (failed) otelSpan.setStatus({ code: SpanStatusCode.ERROR })
      otelSpan.end(childScope.zero + at)
    },
  }
}
