/**
 * Rejects request text that cannot be stored and sent exactly as received, because Postgres or
 * UTF-8 would change it.
 */

import { isPathSafe, NOT_PATH_SAFE } from '@purser/protocol/values/path-segment'
import { isStorable } from '@purser/protocol/wire-ids'
import type { FastifyInstance } from 'fastify'
import { escapePointerToken, invalid } from './problem-details.ts'

/** Each part of a request, with the beginning of its JSON pointers. */
const PARTS = [
  ['body', ''],
  ['params', '/path'],
  ['query', '/query'],
  ['headers', '/headers'],
] as const

/** Applies to every route, because any part of a request may reach the database. */
export function refuseUnstorable(api: FastifyInstance): void {
  api.addHook('preHandler', async (request) => {
    for (const [part, pointer] of PARTS) {
      const found = findUnstorable(request[part], pointer)
      if (found !== undefined) throw toUnstorableProblem(found)
    }
  })
}

const toUnstorableProblem = (pointer: string) => invalid(pointer, 'contains characters that cannot be stored')

/** Throws a 400 with the pointer. */
export function requireStorable(text: string, pointer: string): void {
  if (!isStorable(text)) throw toUnstorableProblem(pointer)
}

/**
 * Only for new ids. Existing ids are accepted, and paths contain them as `encodePathSegment` writes
 * them (I-8).
 */
export function requirePathSafe(id: string, pointer: string): void {
  if (!isPathSafe(id)) throw invalid(pointer, NOT_PATH_SAFE)
}

/** Stored as JSON text, which escapes the characters that Postgres rejects. */
const STORED_AS_JSON = '/customFields'

/** Returns the JSON pointer of the first such text. Names of members are checked too. */
function findUnstorable(value: unknown, pointer: string): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null || pointer === STORED_AS_JSON) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = isStorable(name) ? findUnstorable(member, `${pointer}/${escapePointerToken(name)}`) : pointer
    if (found !== undefined) return found
  }
  return undefined
}
