/** The calls of our own API, counted. A label is a route or a status: as many as there are routes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Measured } from '../runtime/metric-text.ts'
import type { Tracing } from '../runtime/tracing.ts'
import { createCounts } from './counts.ts'
import { createDurations } from './durations.ts'
import { beginSpan, endSpan } from './span.ts'

export interface ApiCalls extends Measured {
  begun(request: FastifyRequest): void
  answered(request: FastifyRequest, reply: FastifyReply): void
}

export function createApiCalls(tracing?: Tracing): ApiCalls {
  const durations = createDurations(
    'purser_api_call_duration_seconds',
    'Calls of our own API, from the head of the request to the end of the answer',
    'route',
  )
  const counts = createCounts('purser_api_calls_total', 'Calls of our own API', ['route', 'status'])
  return {
    begun(request) {
      if (tracing !== undefined) request.span = beginSpan(tracing, request, request.routeOptions.url)
    },
    answered(request, { statusCode, elapsedTime }) {
      if (request.span !== undefined) endSpan(request.span, statusCode)
      const route = routeOf(request)
      counts.count(route, `${statusCode}`)
      durations.observe(elapsedTime / 1_000, route)
    },
    text: () => counts.text() + durations.text(),
  }
}

/** `GET /operator/players/:userId`; never the path that was asked for, which names players. */
export function routeOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? 'none' : `${method} ${routeOptions.url}`
}
