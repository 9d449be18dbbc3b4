/** What a route of our own APIs says of itself: validation reads its parts, the API reference all of it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import { type Static, type TOptional, type TSchema, Type } from 'typebox'
import type {} from '../../observability/request-span.ts' // which a request has
import type { Role } from './principal.ts'
import { ProblemSchema } from './problem-schema.ts'

/** What a handler reads has the type of the schema that it was held against; null is a body that was left out. */
interface SchemaTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TOptional
    ? Static<this['schema']> | null
    : this['schema'] extends TSchema
      ? Static<this['schema']>
      : unknown
}

export type Routes = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, SchemaTypes>

/** An answer in a form that the caller's `Accept` chooses. */
interface NegotiatedResponse {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: TSchema }>>
}

export const CSV = 'text/csv'
export const NDJSON = 'application/x-ndjson'

/** JSON, or a table for spreadsheets. */
export function jsonOrCsv(schema: TSchema): NegotiatedResponse {
  return toNegotiatedResponse({ 'application/json': schema, [CSV]: Type.String() })
}

/** A page as JSON; or all of it as a table, or as a JSON object a line. */
export function jsonOrFile(schema: TSchema): NegotiatedResponse {
  return toNegotiatedResponse({ 'application/json': schema, [CSV]: Type.String(), [NDJSON]: Type.String() })
}

function toNegotiatedResponse(forms: Readonly<Record<string, TSchema>>): NegotiatedResponse {
  const content = Object.fromEntries(Object.entries(forms).map(([type, schema]) => [type, { schema }]))
  return { description: 'The format follows the `Accept` header.', content }
}

/** The file that `Accept` asks for, if it asks for one. */
export function parseAcceptedFileType(accept = ''): typeof CSV | typeof NDJSON | undefined {
  return [CSV, NDJSON].find((type) => accept.includes(type)) as typeof CSV | typeof NDJSON | undefined
}

export interface RouteShape {
  /** The least one that may call it (W-25). */
  readonly role: Role
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly ok: Readonly<Record<number, TSchema | NegotiatedResponse>>
  /** The `code`s of the problems that are this route's own, by status; null: one that others have and it has not. */
  readonly problems?: Readonly<Record<number, string | null>>
}

export interface RouteName {
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  /** The security scheme of the API. */
  readonly key: string
}

export function describeRoute<S extends RouteShape>({ operationId, tag, summary, key }: RouteName, shape: S) {
  const { role, ok, problems, ...schema } = shape
  const takesSomething = schema.params ?? schema.querystring ?? schema.body
  const commonProblems = {
    ...(takesSomething && { 400: 'invalid_request' }),
    401: 'unauthorized',
    ...(role !== 'read' && { 403: 'forbidden' }),
    ...(schema.params && { 404: 'not_found' }),
    ...(schema.body && { 413: 'invalid_request', 415: 'invalid_request' }),
    503: 'unavailable or busy',
  }
  const refusals = Object.entries({ ...commonProblems, ...problems }).flatMap(([status, codes]) =>
    codes === null ? [] : [[status, toProblemResponse(codes)] as const],
  )
  const response = { ...ok, ...Object.fromEntries(refusals) }
  const description = `Needs a key of the role \`${role}\`${role === 'admin' ? '' : ' or more'}.`
  const names = { operationId, summary, description, tags: [tag], security: [{ [key]: [role] }] }
  return { config: { role }, schema: { ...names, ...schema, response } }
}

function toProblemResponse(codes: string) {
  return { description: `Code ${codes}.`, content: { 'application/problem+json': { schema: ProblemSchema } } }
}
