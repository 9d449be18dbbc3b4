/** Calls of the partner wire as they came: the signature is over the bytes, so a body stays bytes until it is verified (S-2). */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../protocol/limits.ts'

export interface WireRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

const NO_BODY = Buffer.alloc(0)

export function toWire({ method, headers, body }: FastifyRequest): WireRequest {
  return { method, headers, body: Buffer.isBuffer(body) ? body : NO_BODY }
}

const BYTES = 'application/octet-stream'

/** the content type is not looked at, so an unparsable one must not get as far as Fastify's 415. */
export function acceptAnyBody(wire: FastifyInstance): void {
  wire.removeAllContentTypeParsers()
  wire.addContentTypeParser(BYTES, { parseAs: 'buffer', bodyLimit: LIMITS.bodyBytes }, (_request, body, done) =>
    done(null, body),
  )
  wire.addHook('onRequest', (request, _reply, done) => {
    request.raw.headers['content-type'] = BYTES
    done()
  })
}
