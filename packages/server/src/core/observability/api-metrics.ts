/**
 * Metrics of requests to our own APIs. The labels are routes and statuses, so there are few series.
 */

import type { Tracing } from '@purser/runtime/tracing'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHistogram } from './histogram.ts'
import { createLabelledCounter } from './labelled-counter.ts'
import type { MetricSource } from './metrics-exposition.ts'
import { beginSpan, endSpan } from './request-span.ts'

export interface ApiMetrics extends MetricSource {
  recordStart(request: FastifyRequest): void
  recordAnswer(request: FastifyRequest, reply: FastifyReply): void
}

export function createApiMetrics(tracing?: Tracing): ApiMetrics {
  const durations = createHistogram(
    'purser_api_call_duration_seconds',
    'Duration of requests to our own API, from the head of the request to the end of the response',
    'route',
  )
  const counts = createLabelledCounter('purser_api_calls_total', 'Requests to our own API', ['route', 'status'])
  return {
    recordStart(request) {
      if (tracing !== undefined) request.span = beginSpan(tracing, request, request.routeOptions.url)
    },
    recordAnswer(request, { statusCode, elapsedTime }) {
      if (request.span !== undefined) endSpan(request.span, statusCode)
      const route = routeOf(request)
      counts.increment(route, `${statusCode}`)
      durations.observe(elapsedTime / 1_000, route)
    },
    text: () => counts.text() + durations.text(),
  }
}

/** The route's pattern and never the requested path, which contains the ids of players. */
export function routeOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? 'none' : `${method} ${routeOptions.url}`
}
