/**
 * Makes an OpenAPI document from the registered routes (@fastify/swagger) and from examples that a
 * real server has just answered.
 */
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import { Type } from 'typebox'
import { recordForbidden, recordUnread, withFixedKeys } from './key-story.mjs'

/**
 * - `frame`: the hand-written part.
 * - `schemas`: schemas that get a name.
 * - `start(beforeRoutes)`: starts a server with `app` and `close`.
 * - `describe(document)`: adds descriptions that routes cannot contain.
 * - `keys`: the route that makes keys, and the first key.
 * - `record(server)`: records the examples.
 */
export async function makeDocument({ frame, schemas, start, describe = () => {}, keys, record }) {
  const server = await start((app) => app.register(swagger, swaggerOptions(frame, schemas)))
  try {
    const document = structuredClone(server.app.swagger())
    describeAnswers(document)
    describe(document)
    allowNoBody(document)
    referToNamedSchemas(document)
    const operations = placedOperationsOf(document)
    const unread = await recordUnread(operations, server.app, keys)
    const forbidden = await recordForbidden(operations, server.app, keys)
    addExamples(document, withFixedKeys([...(await record(server)), ...forbidden, ...unread]))
    return `${JSON.stringify(document, null, 2)}\n`
  } finally {
    await server.close()
  }
}

function swaggerOptions(frame, named) {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const schemas = Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, saying(name, schema)]))
  return {
    openapi: { ...frame, info: { ...frame.info, version }, components: { ...frame.components, schemas } },
    transform: ({ schema, url }) => ({ schema: describedBy(schema), url }),
  }
}

/**
 * An empty schema would replace every other empty one. It results from an import whose name has
 * changed, which JavaScript reads as undefined.
 */
function saying(name, schema) {
  if (schema === undefined || Object.keys(schema).length === 0)
    throw new Error(`the schema named ${name} is empty: name one that exists, or leave the name out`)
  return forReaders(schema)
}

/** Only routes with an `operationId` belong to an API. Swagger keeps members that begin with x-. */
function describedBy(schema) {
  if (!schema?.operationId) return { hide: true }
  return { ...forReaders(schema), ...(schema.body && Type.IsOptional(schema.body) && { [MAY_BE_ABSENT]: true }) }
}

const MAY_BE_ABSENT = 'x-body-may-be-absent'

/**
 * The schema that clients see for a query parameter, which is text to the server
 * (http/api/query-parameters.ts).
 */
const SHOWN = 'x-shown-as'

/**
 * Adds the type of an enum, which few tools infer. Recorded examples replace the examples of
 * schemas.
 */
function forReaders(value) {
  if (Array.isArray(value)) return value.map(forReaders)
  if (typeof value !== 'object' || value === null) return value
  const { [SHOWN]: shown, description } = value
  if (shown !== undefined) return { ...shown, description }
  const isTextEnum = value.type === undefined && value.enum?.every((choice) => typeof choice === 'string')
  const members = Object.entries(isTextEnum ? { type: 'string', ...value } : value)
  return Object.fromEntries(
    members.filter(([name]) => name !== 'examples').map(([name, member]) => [name, forReaders(member)]),
  )
}

/** From then on, every query fails as with a stopped database. */
export async function closeForGood(db) {
  await db.close()
  const refuse = () => Promise.reject(Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' }))
  Object.assign(db, { query: refuse, userQueries: { query: refuse }, transaction: refuse, snapshot: refuse })
}

export function listOperations(document) {
  return Object.values(document.paths).flatMap((path) => Object.values(path))
}

function placedOperationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
}

/** Meaning of the success codes in our APIs; swagger writes "Default Response". */
const SUCCESS = {
  200: 'The requested data.',
  201: 'Created by this call or by an earlier identical one.',
  202: 'The request is stored and takes effect later, completely or in part.',
  204: 'Done.',
}

function describeAnswers(document) {
  for (const { responses } of listOperations(document))
    for (const [status, response] of Object.entries(responses))
      if (response.description === 'Default Response') response.description = SUCCESS[status]
}

/** Swagger marks every body as required. */
function allowNoBody(document) {
  for (const operation of listOperations(document)) {
    if (operation[MAY_BE_ABSENT]) operation.requestBody.required = false
    delete operation[MAY_BE_ABSENT]
  }
}

/** Replaces every schema with a name in `components` by a reference, the largest first. */
function referToNamedSchemas(document) {
  const { schemas } = document.components
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  const refer = (value) => {
    if (typeof value !== 'object' || value === null) return value
    const name = names.get(JSON.stringify(value))
    return name === undefined ? referInside(value) : { $ref: `#/components/schemas/${name}` }
  }
  const referInside = (value) => {
    if (Array.isArray(value)) return value.map(refer)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, refer(member)]))
  }
  document.paths = referInside(document.paths)
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = referInside(schema)
}

/** Adds each recorded example to its response; throws when the document lacks this response. */
function addExamples(document, recorded) {
  const operations = new Map(listOperations(document).map((operation) => [operation.operationId, operation]))
  for (const { operationId, name, summary, request, status, answer, accept, parameters } of recorded) {
    const operation = operations.get(operationId)
    const response = operation?.responses[status]
    if (response === undefined) throw new Error(`${operationId} is not described to answer ${status} (${name})`)
    if (answer !== undefined) addExample(response, name, summary, answer, accept)
    if (status >= 300) continue
    if (request !== undefined) addExample(operation.requestBody, name, summary, request)
    for (const parameter of operation.parameters ?? [])
      parameter.example ??= typed(parameter, parameters[parameter.name])
  }
}

/** A recorded value is the text of a URL; the schema has its type. */
function typed({ schema }, text) {
  if (text === undefined || !['integer', 'boolean'].includes(schema?.type)) return text
  return JSON.parse(text)
}

/** Uses the requested media type, or the only one. */
function addExample({ content }, name, summary, value, type) {
  const media = type === undefined ? Object.values(content)[0] : content[type]
  media.examples = { ...media.examples, [name]: { summary, value } }
}
