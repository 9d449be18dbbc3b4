/**
 * Strict parser for requests of our own APIs: a body is read exactly as sent, or rejected.
 *
 * Ordinary decoders replace bytes that are not UTF-8 with U+FFFD. Two references that differ in
 * such a byte would then be equal (I-7).
 */
import { isUtf8 } from 'node:buffer'
import { isTooDeep, MAX_DEPTH, wouldRound } from '@purser/protocol/values/exact-json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { escapePointerToken, invalid, Problem } from './api/problem-details.ts'

/** An optional body may be absent even with a JSON content type. */
export function addStrictJsonParser(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'ignore')
  api.removeAllContentTypeParsers() // also removes plain text, so a body of another type is a 415
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

function findTooDeep(body: unknown): string | undefined {
  if (!isTooDeep(body)) return undefined
  const found = Object.entries(body as object).find(([, member]) => isTooDeep(member, MAX_DEPTH - 1))
  return `/${escapePointerToken(found?.[0] ?? '')}`
}

/** Fastify returns a query value undecoded if its percent-encoding is invalid. */
export function requireDecodableUrl({ url }: FastifyRequest): void {
  try {
    decodeURIComponent(url)
  } catch {
    throw new Problem(400, 'invalid_request', 'the URL is not valid percent-encoding')
  }
}
