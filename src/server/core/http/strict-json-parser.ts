/**
 * What a request of our own APIs says is read as it was sent, or refused. Decoders put U+FFFD in the place of bytes that are
 * no UTF-8, and two references that differ in such a byte would become one (I-7).
 */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isTooDeep, MAX_DEPTH, wouldRound } from '../../../protocol/values/exact-json.ts'
import { escapePointerToken, invalid, Problem } from './api/problem-details.ts'

/** A body that may be left out may be left out with a JSON content type too. */
export function addStrictJsonParser(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'ignore')
  api.removeAllContentTypeParsers() // plain text too: a body of another type is a 415
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, null)
    if (!isUtf8(bytes)) return done(invalid('', 'is not UTF-8'))
    const text = bytes.toString('utf8')
    parse(request, text, (error, body) => {
      if (error !== null) return done(error)
      if (wouldRound(text)) return done(invalid('', 'has a number that would be rounded: send fewer digits'))
      const found = findTooDeep(body)
      if (found === undefined) done(null, body)
      else done(invalid(found, 'is nested too deeply'))
    })
  })
}

/** The JSON pointer of the member that is nested too deeply. */
function findTooDeep(body: unknown): string | undefined {
  if (!isTooDeep(body)) return undefined
  const found = Object.entries(body as object).find(([, member]) => isTooDeep(member, MAX_DEPTH - 1))
  return `/${escapePointerToken(found?.[0] ?? '')}`
}

/** Fastify keeps a value of the query as it stands, percent signs and all, when it cannot decode it. */
export function requireDecodableUrl({ url }: FastifyRequest): void {
  try {
    decodeURIComponent(url)
  } catch {
    throw new Problem(400, 'invalid_request', 'the URL is not valid percent-encoding')
  }
}
