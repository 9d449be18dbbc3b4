/** Errors of our own APIs as RFC 9457 problem details. The partner wire never uses them. */

import { QueueFullError } from '@purser/runtime/async/batcher'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

export interface FieldError {
  /** JSON pointer into the request. */
  readonly pointer: string
  readonly detail: string
}

/** An error of the schema's validator (TypeBox). */
interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: object
}

const MAX_FIELD_ERRORS = 10

/** Escapes a member's name for a JSON pointer (RFC 6901). */
export function escapePointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns one sentence for each pointer. Errors of a union's branches are joined with "or". */
export function toFieldErrors(schemaErrors: readonly SchemaError[], prefix: string): FieldError[] {
  const sentences = new Map<string, string[]>()
  for (const schemaError of schemaErrors) {
    const pointer = prefix + schemaError.instancePath
    const sentence = describeSchemaError(schemaError)
    if (sentence !== undefined) sentences.set(pointer, [...(sentences.get(pointer) ?? []), sentence])
  }
  return [...sentences].slice(0, MAX_FIELD_ERRORS).map(([pointer, parts]) => ({ pointer, detail: parts.join(' or ') }))
}

/** Undefined for an error that only summarizes others. */
function describeSchemaError({ keyword, message, params }: SchemaError): string | undefined {
  if (keyword === 'anyOf' || keyword === 'additionalProperties') return undefined
  if (keyword === 'boolean') return 'is not a member of this request'
  const choices = 'allowedValues' in params && Array.isArray(params.allowedValues) ? params.allowedValues : undefined
  return choices === undefined ? message : `must be one of ${choices.join(', ')}`
}

/** A handler throws it to answer with `status`. `code` is stable, for programs. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly errors: readonly FieldError[]
  constructor(status: number, code: string, detail: string, errors: readonly FieldError[] = []) {
    super(detail)
    this.status = status
    this.code = code
    this.errors = errors
  }
}

export const notFound = (resource: string) => new Problem(404, 'not_found', `${resource} does not exist`)
export const invalid = (pointer: string, detail: string) =>
  new Problem(400, 'invalid_request', 'the request is not valid', [{ pointer, detail }])
export const unavailable = new Problem(
  503,
  'unavailable',
  'the database does not answer, so it is unknown if anything was changed: repeat the request later',
)
/** Locks of other requests lasted longer than this request waits. */
export const busy = new Problem(
  503,
  'busy',
  'other requests are changing the same rows, so nothing was changed: repeat the request',
)
/** The server cancelled a query, which has no effect. */
export const tooSlow = new Problem(503, 'busy', 'the query took too long: ask for less, or repeat it later')
export const conflict = (code: string, detail: string) => new Problem(409, code, detail)

const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content too large',
  414: 'URI too long',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'Service unavailable',
}

export function sendProblem(reply: FastifyReply, problem: Problem, request: FastifyRequest): FastifyReply {
  const { status, code, message, errors } = problem
  const title = TITLES[status] ?? 'Error'
  const body = {
    type: 'about:blank',
    title,
    status,
    code,
    detail: message,
    requestId: request.id,
    ...(errors.length > 0 && { errors }),
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.code(status).header('content-type', 'application/problem+json').send(JSON.stringify(body))
}

/** An unexpected error is a 500 without details. */
export function toProblem(error: FastifyError | Problem | QueueFullError): Problem {
  if (error instanceof Problem) return error
  if (error instanceof QueueFullError) return busy
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new Problem(error.statusCode, 'invalid_request', error.message)
  return new Problem(500, 'internal_error', 'the server failed: its log has the error under this requestId')
}
