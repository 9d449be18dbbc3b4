/** What a request says must be stored and sent exactly as it was received: no text that Postgres or UTF-8 would change. */
import type { FastifyInstance } from 'fastify'
import { invalid } from '../../http/problem.ts'
import { isStorable } from '../../protocol/ids.ts'

/** For every route of the API: body, path and query. */
export function refuseUnstorable(api: FastifyInstance): void {
  api.addHook('preHandler', async ({ body, params, query }) => {
    for (const [value, pointer] of [
      [body, ''],
      [params, '/path'],
      [query, '/query'],
    ] as const) {
      const found = findUnstorable(value, pointer)
      if (found !== undefined) throw invalid(found, 'contains characters that cannot be stored')
    }
  })
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
