/**
 * Description of a route of our own APIs. Every member appears in the API reference, and the
 * validation of requests uses some.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import { type Static, type TOptional, type TSchema, Type } from 'typebox'
import type {} from '../../observability/request-span.ts' // adds `span` to each request
import type { Role } from './principal.ts'

/** A handler's types follow from the schemas; null is an absent body. */
interface SchemaTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TOptional
    ? Static<this['schema']> | null
    : this['schema'] extends TSchema
      ? Static<this['schema']>
      : unknown
}

export type Routes = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, SchemaTypes>

/** The caller's `Accept` header chooses the format. */
interface NegotiatedResponse {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: TSchema }>>
}

export const CSV = 'text/csv'
export const NDJSON = 'application/x-ndjson'

export function jsonOrCsv(schema: TSchema): NegotiatedResponse {
  return toNegotiatedResponse({ 'application/json': schema, [CSV]: Type.String() })
}

/** JSON returns one page; CSV and NDJSON return all rows. */
export function jsonOrFile(schema: TSchema): NegotiatedResponse {
  return toNegotiatedResponse({ 'application/json': schema, [CSV]: Type.String(), [NDJSON]: Type.String() })
}

function toNegotiatedResponse(forms: Readonly<Record<string, TSchema>>): NegotiatedResponse {
  const content = Object.fromEntries(Object.entries(forms).map(([type, schema]) => [type, { schema }]))
  return { description: 'The format follows the `Accept` header.', content }
}

/** Undefined: JSON. */
export function parseAcceptedFileType(accept = ''): typeof CSV | typeof NDJSON | undefined {
  return [CSV, NDJSON].find((type) => accept.includes(type)) as typeof CSV | typeof NDJSON | undefined
}

export interface RouteShape {
  /** The least role that may call the route (W-25). */
  readonly role: Role
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly ok: Readonly<Record<number, TSchema | NegotiatedResponse>>
  /**
   * The codes of the route's own problems, by HTTP status. Null removes a common problem that
   * cannot occur here.
   */
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

/**
 * Schema of a problem-details body. It is separate from problem-details.ts, so that a command that
 * throws problems does not load TypeBox.
 */
export const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.Optional(Type.String()),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))),
})

function toProblemResponse(codes: string) {
  return { description: `Code ${codes}.`, content: { 'application/problem+json': { schema: ProblemSchema } } }
}
