/**
 * The common part of our own HTTP APIs: bearer keys, validation with JSON pointers, problem
 * details, no caching.
 */

import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { isBusy, isOutage } from '../../database/database-errors.ts'
import type { ApiMetrics } from '../../observability/api-metrics.ts'
import { findOversized } from '../array-size-limits.ts'
import { addStrictJsonParser, requireDecodableUrl } from '../strict-json-parser.ts'
import type { Authenticator } from './authentication.ts'
import { enforceKeyScopes, type KeyScopes } from './key-scope.ts'
import { redactForRole } from './personal-data-redaction.ts'
import { CALLER } from './principal.ts'
import {
  busy,
  notFound,
  Problem,
  sendProblem,
  toFieldErrors,
  tooSlow,
  toProblem,
  unavailable,
} from './problem-details.ts'
import type { Routes } from './route-description.ts'
import { refuseUnstorable } from './storable-text.ts'

export interface Api {
  /** The first part of each path of the API; may be empty. */
  readonly prefix: string
  readonly admission: Authenticator
  /** Bytes; a larger request body is 413. */
  readonly bodyBytes: number
  readonly log: Logger
  readonly calls: ApiMetrics
  /** Absent: a key with a scope may call no operation. */
  readonly scopes?: KeyScopes
}

/** The API is encapsulated: its hooks apply to no other route. */
export async function registerApi(
  app: FastifyInstance,
  { prefix, admission, bodyBytes, log, calls, scopes }: Api,
  addRoutes: (api: Routes) => void,
): Promise<void> {
  await app.register(
    async (api) => {
      sendErrorsAsProblems(api, log)
      api.setNotFoundHandler((request, reply) => sendProblem(reply, notFound('this path'), request))
      api.setValidatorCompiler(({ schema, httpPart }) => createValidator(schema as TSchema, httpPart ?? 'body'))
      api.setSerializerCompiler(() => (data) => JSON.stringify(data))
      addStrictJsonParser(api)
      api.decorateRequest(CALLER)
      api.decorateRequest('span', undefined)
      api.addHook('onRoute', (route) => {
        if (route.config?.role === undefined)
          throw new Error(`${route.method} ${route.url} has no role (W-25): add a role to the route`)
        route.bodyLimit = bodyBytes
      })
      api.addHook('onRequest', async (request, reply) => {
        calls.recordStart(request)
        reply.header('x-request-id', request.id).header('cache-control', 'no-store')
        reply.header('x-content-type-options', 'nosniff')
        await admission.authenticate(request)
        requireDecodableUrl(request)
      })
      refuseUnstorable(api)
      if (scopes !== undefined) enforceKeyScopes(api, scopes)
      const methods = methodsByPath(api)
      api.addHook('preSerialization', async (request, _reply, answer) => redactForRole(request, answer))
      api.addHook('onResponse', async (request, reply) => calls.recordAnswer(request, reply))
      addRoutes(api.withTypeProvider())
      for (const [url, known] of methods()) refuseOtherMethods(api, url, known)
    },
    { prefix },
  )
}

/** Answers errors as problem details, and logs only our own failures (5xx). */
export function sendErrorsAsProblems(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: Parameters<typeof toProblem>[0], request, reply) => {
    const problem = isOutage(error) ? unavailable : isBusy(error) ? toBusyProblem(request) : toProblem(error)
    if (problem.status >= 500) log.error({ err: error, requestId: request.id }, 'a request failed')
    return sendProblem(reply, problem, request)
  })
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Collects routes that are added from now on. Paths have no prefix. */
function methodsByPath(api: FastifyInstance): () => ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  api.addHook('onRoute', ({ routePath, method }) => {
    found.set(routePath, new Set([...(found.get(routePath) ?? []), ...[method].flat()]))
  })
  return () => new Map(found)
}

/** 405 needs the supported methods in `Allow` (RFC 9110, 15.5.6). */
function refuseOtherMethods(api: FastifyInstance, url: string, known: ReadonlySet<string>): void {
  const method = METHODS.filter((candidate) => !known.has(candidate))
  const allow = [...known].join(', ')
  const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('allow', allow)
    throw new Problem(405, 'method_not_allowed', `this path supports only ${allow}`)
  }
  const config = { role: 'read', refusesMethod: true } as const
  api.route({ url, method, exposeHeadRoute: false, config, onRequest: refuse, handler: refuse })
}

function toBusyProblem({ method }: FastifyRequest): Problem {
  return method === 'GET' ? tooSlow : busy
}

/** The beginning of JSON pointers into each part of a request. */
const PARTS: Readonly<Record<string, string>> = {
  body: '',
  params: '/path',
  querystring: '/query',
  headers: '/headers',
}

/** Each schema is compiled once in a process, for all routes, APIs and servers. */
const COMPILED = new WeakMap<TSchema, ReturnType<typeof Compile<TSchema>>>()

function compiled(schema: TSchema) {
  const validator = COMPILED.get(schema) ?? Compile(schema)
  COMPILED.set(schema, validator)
  return validator
}

/** Turns schema errors into JSON pointers. Fastify passes null for an absent body. */
function createValidator(schema: TSchema, part: string) {
  const validator = compiled(schema)
  const prefix = PARTS[part] ?? `/${part}`
  const mayBeAbsent = Type.IsOptional(schema)
  return (value: unknown): { value?: unknown; error?: Error } => {
    const oversized = findOversized(schema, value, prefix)
    if (oversized === undefined && (validator.Check(value) || (value === null && mayBeAbsent))) return { value }
    const faults = oversized === undefined ? toFieldErrors(validator.Errors(value), prefix) : [oversized]
    return { error: new Problem(400, 'invalid_request', 'the request is not valid', faults) }
  }
}
