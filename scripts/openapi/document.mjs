/**
 * An OpenAPI document: the routes as they are registered (heard by @fastify/swagger), with the examples that a server
 * answered a moment ago. Nothing here is used when a server runs.
 */
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import { Type } from 'typebox'
import { recordForbidden, recordUnread, withFixedKeys } from './key-story.mjs'

/**
 * `frame`: the hand-written part; `schemas`: those that get a name; `start(beforeRoutes)`: a server with `app` and
 * `close`; `describe(document)`: what routes cannot say of themselves; `keys`: where keys are made, and the first one;
 * `record(server)`: the examples.
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
 * An empty schema would take the place of every other empty one. It is the sign of an import
 * that has another name by now, and that JavaScript answers with undefined.
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
 * Of a member of a query, which is text to a server: what clients are to make of it
 * (src/server/core/http/api/query-parameters.ts).
 */
const SHOWN = 'x-shown-as'

/** Says the type of an enum, which few tools guess; leaves out the examples of schemas, since recorded ones stand beside them. */
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

/** From then on every question is answered as by a database that is down. */
export async function closeForGood(db) {
  await db.close()
  const refuse = () => Promise.reject(Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' }))
  Object.assign(db, { query: refuse, people: { query: refuse }, transaction: refuse, snapshot: refuse })
}

export function listOperations(document) {
  return Object.values(document.paths).flatMap((path) => Object.values(path))
}

/** With where they are. */
function placedOperationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
}

/** What the routes of our APIs mean by a status of success; swagger says "Default Response". */
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

/** Swagger takes every body for required. */
function allowNoBody(document) {
  for (const operation of listOperations(document)) {
    if (operation[MAY_BE_ABSENT]) operation.requestBody.required = false
    delete operation[MAY_BE_ABSENT]
  }
}

/** Replaces every schema that has a name in `components` by a reference to it, the widest first. */
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

/** Puts each recorded example where it belongs; throws when the document does not know such an answer. */
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

/** As the schema of the parameter has it: recorded was the text of a URL. */
function typed({ schema }, text) {
  if (text === undefined || !['integer', 'boolean'].includes(schema?.type)) return text
  return JSON.parse(text)
}

/** Of the type that was asked for, or the only one. */
function addExample({ content }, name, summary, value, type) {
  const media = type === undefined ? Object.values(content)[0] : content[type]
  media.examples = { ...media.examples, [name]: { summary, value } }
}
