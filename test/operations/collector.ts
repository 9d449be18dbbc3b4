/**
 * Starts an OpenTelemetry collector on loopback that accepts OTLP over HTTP as JSON and keeps every
 * span.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'

export interface SeenSpan {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Span ids. */
  readonly links: readonly string[]
  readonly startsAt: bigint
  readonly endsAt: bigint
  readonly failed: boolean
}

export interface Collector {
  /** Environment of the traced process, which then exports spans after a short delay. */
  readonly env: Record<string, string>
  readonly endpoint: string
  readonly spans: readonly SeenSpan[]
  text(): string
  /** Waits for the only span that matches. */
  span(is: (span: SeenSpan) => boolean): Promise<SeenSpan>
  childrenOf(parent: SeenSpan): SeenSpan[]
  /** From now on, requests are read and never answered. */
  fallSilent(): void
  close(): Promise<void>
}

interface Attribute {
  readonly key: string
  readonly value: { stringValue?: string; intValue?: number | string; boolValue?: boolean }
}

interface RawSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes?: readonly Attribute[]
  readonly links?: readonly { readonly spanId: string }[]
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code?: number }
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[]
  }[]
}

export async function startCollector(): Promise<Collector> {
  const texts: string[] = []
  const spans: SeenSpan[] = []
  let isSilent = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    texts.push(text)
    if (request.url === '/v1/traces') spans.push(...spansIn(JSON.parse(text) as Request))
    if (!isSilent) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' },
    endpoint,
    spans,
    text: () => texts.join('\n'),
    span: (is) =>
      vi.waitFor(
        () => {
          const found = spans.filter(is)
          const [span] = found
          if (span === undefined || found.length > 1)
            throw new Error(`${found.length} of ${spans.map(({ name }) => name)}`)
          return span
        },
        { timeout: 60_000, interval: 50 },
      ),
    childrenOf: ({ spanId, traceId }) =>
      spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId),
    fallSilent: () => {
      isSilent = true
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spansIn({ resourceSpans }: Request): SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans).map((raw) => toSpan(service, raw))
  })
}

function toSpan(service: string, raw: RawSpan): SeenSpan {
  const { traceId, spanId, parentSpanId = '', name, links = [], status } = raw
  return {
    ...{ service, traceId, spanId, parentSpanId, name },
    attributes: valuesOf(raw.attributes ?? []),
    links: links.map((link) => link.spanId),
    startsAt: BigInt(raw.startTimeUnixNano),
    endsAt: BigInt(raw.endTimeUnixNano),
    failed: status?.code === 2,
  }
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue),
    ]),
  )
}
