// Common part of the servers that the benches bring: Fastify with the raw bytes of the body, and a
// clean stop on SIGTERM.
import Fastify, { type FastifyInstance } from 'fastify'

export const BODY_LIMIT_BYTES = 256 * 1024

export function createRawBodyServer(): FastifyInstance {
  const server = Fastify({ logger: false, bodyLimit: BODY_LIMIT_BYTES })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return server
}

export async function listenUntilTerminated(server: FastifyInstance): Promise<void> {
  process.once('SIGTERM', () => void server.close())
  await server.listen({ host: '127.0.0.1', port: Math.trunc(+requireVariable('PORT')) })
}

export function requireVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}
