/** Spans over OTLP/HTTP, by the packages of OpenTelemetry. Imported only where tracing is on (tracing.ts): it costs memory and time to start. */
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
import { inTime } from '../runtime/in-time.ts'
import type { Begin, Span } from '../runtime/tracing.ts'
import { VERSION } from '../runtime/version.ts'
import { world } from '../runtime/world.ts'
import type { RunningTracing } from './tracing.ts'

/** Milliseconds for one export, and for the last one when the process ends. */
const EXPORT_MS = 2_000

const PROPAGATOR = new W3CTraceContextPropagator()

export interface Sending {
  /** The whole address that spans go to. */
  readonly url: string
  /** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before it. */
  readonly serviceName: string
  /** Told of each export that did not arrive. */
  onLost(error: unknown): void
}

export function startOpenTelemetry({ url, serviceName, onLost }: Sending): RunningTracing {
  const exporter = tellingOf(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }), onLost)
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
      return startSpan({ tracer, zero: world.wall() - world.elapsed(), context }, name, begin)
    },
    stop: () => inTime(provider.shutdown(), EXPORT_MS, () => undefined).catch(() => {}),
  }
}

function tellingOf(exporter: SpanExporter, onLost: Sending['onLost']): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onLost(result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

interface Place {
  readonly tracer: Tracer
  /** The time, in milliseconds, at which world.elapsed() was 0. One for all that is below one span: no part of it seems longer than the whole. */
  readonly zero: number
  readonly context: Context
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT }
const contexts = new WeakMap<Span, SpanContext>()

function startSpan(place: Place, name: string, { kind, at = world.elapsed(), links = [], attributes }: Begin): Span {
  const made = place.tracer.startSpan(
    name,
    {
      kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
      startTime: place.zero + at,
      links: links.flatMap((span) => contexts.get(span) ?? []).map((context) => ({ context })),
      ...(attributes && { attributes }),
    },
    place.context,
  )
  const span = toSpan(made, { ...place, context: trace.setSpan(ROOT_CONTEXT, made) })
  contexts.set(span, made.spanContext())
  return span
}

function toSpan(made: OtelSpan, below: Place): Span {
  const { traceId, spanId } = made.spanContext()
  return {
    ...{ traceId, spanId },
    headers() {
      const headers: Record<string, string> = {}
      PROPAGATOR.inject(below.context, headers, defaultTextMapSetter)
      return headers
    },
    isSeen: made.isRecording(),
    child: (name, begin = {}) => startSpan(below, name, begin),
    end({ at = world.elapsed(), attributes, failed } = {}) {
      if (attributes) made.setAttributes(attributes)
      if (failed) made.setStatus({ code: SpanStatusCode.ERROR })
      made.end(below.zero + at)
    },
  }
}
