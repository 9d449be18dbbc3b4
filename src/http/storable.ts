/** What a request says must be stored and sent exactly as it was received: no text that Postgres or UTF-8 would change. */
import type { FastifyInstance } from 'fastify'
import { isStorable } from '../protocol/ids.ts'
import { isCarried, WHY_NOT_CARRIED } from '../protocol/path-part.ts'
import { invalid } from './problem.ts'

/** Where JSON pointers into the parts of a request begin. */
const PARTS = { body: '', params: '/path', query: '/query' } as const

/** For every route of the API. A query is refused for every API (api.ts): what it names is looked for in the database. */
export function refuseUnstorable(api: FastifyInstance, parts: readonly (keyof typeof PARTS)[]): void {
  api.addHook('preHandler', async (request) => {
    for (const part of parts) {
      const found = findUnstorable(request[part], PARTS[part])
      if (found !== undefined) throw notStorable(found)
    }
  })
}

const notStorable = (pointer: string) => invalid(pointer, 'contains characters that cannot be stored')

/** Throws a 400 that names the place of the text. */
export function requireStorable(text: string, pointer: string): void {
  if (!isStorable(text)) throw notStorable(pointer)
}

/** For an id that is new: one that is here already is read, and written in a path as `pathPart` has it (I-8). */
export function requireCarried(id: string, pointer: string): void {
  if (!isCarried(id)) throw invalid(pointer, WHY_NOT_CARRIED)
}

/** The JSON pointer of the first such text, names of members included. */
function findUnstorable(value: unknown, pointer: string): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = isStorable(name) ? findUnstorable(member, `${pointer}/${name}`) : pointer
    if (found !== undefined) return found
  }
  return undefined
}
