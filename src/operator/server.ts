/** The operator's own API over HTTP: authentication, validation, errors. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Logger } from '../logger.ts'
import { notFound, Problem, sendProblem, toFaults, toProblem } from './problem.ts'
import { addRoutes, type RouteDeps } from './routes.ts'

export interface OperatorServerDeps extends RouteDeps {
  readonly apiKey: string
  readonly log: Logger
}

/** Registers every route of the operator API, encapsulated: its hooks reach no other route. */
export async function registerOperator(app: FastifyInstance, deps: OperatorServerDeps): Promise<void> {
  await app.register(
    async (api) => {
      api.setErrorHandler((error: Parameters<typeof toProblem>[0], request, reply) => {
        const problem = toProblem(error)
        if (problem.status >= 500) deps.log.error({ err: error, requestId: request.id }, 'an operator request failed')
        return sendProblem(reply, problem, request)
      })
      api.setNotFoundHandler((request, reply) => sendProblem(reply, notFound('this path'), request))
      api.setValidatorCompiler(({ schema, httpPart }) => createValidator(schema as TSchema, httpPart ?? 'body'))
      api.setSerializerCompiler(() => (data) => JSON.stringify(data))
      api.addHook('onRequest', async (request, reply) => {
        reply.header('x-request-id', request.id).header('cache-control', 'no-store')
        requireKey(request, deps.apiKey)
      })
      addRoutes(api, deps)
    },
    { prefix: '/operator' },
  )
}

function requireKey(request: FastifyRequest, apiKey: string): void {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (given === '' || !timingSafeEqual(digest(given), digest(apiKey)))
    throw new Problem(401, 'unauthorized', 'send Authorization: Bearer <OPERATOR_API_KEY>')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** One compiled check per schema; its faults become JSON pointers. Fastify hands on null for a body that was left out. */
function createValidator(schema: TSchema, part: string) {
  const validator = Compile(schema)
  const prefix = part === 'body' ? '' : part === 'params' ? '/path' : '/query'
  const mayBeAbsent = Type.IsOptional(schema)
  return (value: unknown): { value?: unknown; error?: Error } => {
    if (validator.Check(value) || (value === null && mayBeAbsent)) return { value }
    const faults = toFaults(validator.Errors(value), prefix)
    return { error: new Problem(400, 'invalid_request', 'the request is not valid', faults) }
  }
}
