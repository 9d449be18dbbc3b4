/**
 * Starts a server for tests in which a reader disconnects while its request is authenticated or its
 * event stream opens.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { registerApi } from '../../src/core/http/api/api.ts'
import { CALLER } from '../../src/core/http/api/principal.ts'
import type { Routes } from '../../src/core/http/api/route-description.ts'
import { createApiMetrics } from '../../src/core/observability/api-metrics.ts'
import { signal } from './signal.ts'

export interface LeavingServer {
  readonly url: string
  /** Resolves when a reader has disconnected. */
  readonly gone: Promise<void>
  close(): Promise<void>
}

/** Serves an API to a caller named `who`; `admit` delays the admission. */
export async function serveWhoLeaves(
  addRoutes: (api: Routes) => void,
  admit: () => Promise<void> = async () => {},
): Promise<LeavingServer> {
  const app = Fastify({ forceCloseConnections: true })
  const gone = signal()
  app.addHook('onRequest', async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.raw.once('close', gone.give)
  })
  const admission = {
    async authenticate(request: FastifyRequest) {
      request.setDecorator(CALLER, { keyName: 'who', keyHash: '0'.repeat(16), role: 'read' })
      await admit()
    },
    isStillAllowed: async () => true,
  }
  const log = { error: () => {} } as never
  await registerApi(app, { prefix: '', admission, calls: createApiMetrics(), bodyBytes: 1024, log } as never, addRoutes)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, gone: gone.given, close: () => app.close() }
}
