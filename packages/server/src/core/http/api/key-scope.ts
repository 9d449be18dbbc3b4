/**
 * Scope of a key (W-25): a brand of a wallet, a partner of a platform, or an operator of a gateway.
 *
 * Each server lists the operations that a key with a scope may call. For each operation it lists
 * the request member that names the brand, partner or operator, or an object that belongs to it.
 * Every other operation is rejected, so an unlisted operation shows nothing to such a key.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from './principal.ts'
import { notFound, Problem } from './problem-details.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The member of a request that names its owner. Absent: a key with a scope may not call it. */
    readonly owner?: ScopeOwner
  }
}

export interface ScopeOwner {
  readonly part: 'params' | 'query' | 'body'
  readonly member: string
  /**
   * Absent: the member is the scope itself. Otherwise the kind of object that belongs to a scope.
   */
  readonly resource?: string
}

export interface KeyScopes {
  /** By operation id. */
  readonly owners: Readonly<Record<string, ScopeOwner>>
  /** Undefined if the object does not exist. */
  findOwner(resource: string, id: string): Promise<string | null | undefined>
}

/** Applies to the routes that are added from now on. */
export function enforceKeyScopes(api: FastifyInstance, { owners, findOwner }: KeyScopes): void {
  api.addHook('onRoute', (route) => {
    const { operationId } = (route.schema ?? {}) as { operationId?: string }
    const owner = operationId === undefined ? undefined : owners[operationId]
    if (owner !== undefined) route.config = { ...route.config, owner }
  })
  api.addHook('preHandler', async (request) => {
    const { scope } = principalOf(request)
    if (scope !== undefined) await requireOwner(request, scope, findOwner)
  })
}

async function requireOwner(request: FastifyRequest, scope: string, findOwner: KeyScopes['findOwner']): Promise<void> {
  const { owner } = request.routeOptions.config
  if (owner === undefined) throw toOutOfScopeProblem(request, scope)
  const { part, member, resource } = owner
  const named = (request[part] as Readonly<Record<string, unknown>> | null)?.[member]
  if (typeof named !== 'string' || (resource === undefined && named !== scope))
    throw toOutOfScopeProblem(request, scope, member)
  if (resource !== undefined && (await findOwner(resource, named)) !== scope) throw notFound(`the ${resource}`)
}

function toOutOfScopeProblem(request: FastifyRequest, scope: string, member?: string): Problem {
  const { keyName } = principalOf(request)
  const remedy = member === undefined ? 'use another key' : `set ${member} to it, or use another key`
  return new Problem(403, 'forbidden', `${keyName} is limited to ${scope}: ${remedy}`)
}
