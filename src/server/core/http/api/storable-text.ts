/** What a request says must be stored and sent exactly as it was received: no text that Postgres or UTF-8 would change. */
import type { FastifyInstance } from 'fastify'
import { isPathSafe, NOT_PATH_SAFE } from '../../../../protocol/values/path-segment.ts'
import { isStorable } from '../../../../protocol/wire-ids.ts'
import { escapePointerToken, invalid } from './problem-details.ts'

/** The parts of a request, with where JSON pointers into them begin. */
const PARTS = [
  ['body', ''],
  ['params', '/path'],
  ['query', '/query'],
  ['headers', '/headers'],
] as const

/** For every route of an API: what any part of a request says may reach the database. */
export function refuseUnstorable(api: FastifyInstance): void {
  api.addHook('preHandler', async (request) => {
    for (const [part, pointer] of PARTS) {
      const found = findUnstorable(request[part], pointer)
      if (found !== undefined) throw toUnstorableProblem(found)
    }
  })
}

const toUnstorableProblem = (pointer: string) => invalid(pointer, 'contains characters that cannot be stored')

/** Throws a 400 that names the place of the text. */
export function requireStorable(text: string, pointer: string): void {
  if (!isStorable(text)) throw toUnstorableProblem(pointer)
}

/**
 * For an id that is new: one that is here already is read, and written in a path as
 * `encodePathSegment` has it (I-8).
 */
export function requirePathSafe(id: string, pointer: string): void {
  if (!isPathSafe(id)) throw invalid(pointer, NOT_PATH_SAFE)
}

/** Of a player: kept as JSON text, in which every character that Postgres refuses is escaped. */
const STORED_AS_JSON = '/customFields'

/** The JSON pointer of the first such text, names of members included. */
function findUnstorable(value: unknown, pointer: string): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null || pointer === STORED_AS_JSON) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = isStorable(name) ? findUnstorable(member, `${pointer}/${escapePointerToken(name)}`) : pointer
    if (found !== undefined) return found
  }
  return undefined
}
