/**
 * openapi/wallet.json: the routes as they are registered (heard by @fastify/swagger), with the examples that a wallet
 * answered a moment ago. Nothing here is used when a wallet runs.
 */
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import { Type } from 'typebox'
import { readConfig } from '../dist/config.js'
import { migrate } from '../dist/db/migrate.js'
import { openDb } from '../dist/db/open.js'
import { createLogger } from '../dist/logger.js'
import { REPLY_CODES } from '../dist/protocol/codes.js'
import { createApp } from '../dist/serve.js'
import { OPERATOR_KEY, recordExamples, SECRET } from './openapi-examples.mjs'
import { NAMED_SCHEMAS, OPENAPI } from './openapi-frame.mjs'
import { CALL_NAMES, REPLY_CODE_GUIDE } from './reply-code-guide.mjs'

export async function makeOpenApi() {
  const { db, app } = await startWallet()
  try {
    const document = structuredClone(app.swagger())
    addWireReplies(document)
    allowNoBody(document)
    referToNamedSchemas(document)
    addExamples(document, await recordExamples(app, db))
    return `${JSON.stringify(document, null, 2)}\n`
  } finally {
    await app.close()
  }
}

async function startWallet() {
  const secrets = { PARTNER_SECRET: SECRET, OPERATOR_API_KEY: OPERATOR_KEY }
  const config = readConfig({ PURSER_DATA_DIR: 'memory://', ...secrets })
  const db = await openDb(config.store)
  await migrate(db)
  const deps = { db, clock: steppingClock(), buckets: 1, log: createLogger('silent') }
  const app = await createApp(config, { ...deps, beforeRoutes: (server) => server.register(swagger, swaggerOptions()) })
  await app.ready()
  return { db, app }
}

/** Each look at it is a second later, so that a document made tomorrow is the same. */
function steppingClock() {
  let time = Date.parse('2031-05-16T17:00:00.000Z')
  return {
    now() {
      time += 1_000
      return new Date(time)
    },
  }
}

function swaggerOptions() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const schemas = Object.fromEntries(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [name, forReaders(schema)]))
  return {
    openapi: { ...OPENAPI, info: { ...OPENAPI.info, version }, components: { ...OPENAPI.components, schemas } },
    transform: ({ schema, url }) => ({ schema: describedBy(schema), url }),
  }
}

/** Only routes with an `operationId` belong to an API. Swagger keeps members that begin with x-. */
function describedBy(schema) {
  if (!schema?.operationId) return { hide: true }
  return { ...forReaders(schema), ...(schema.body && Type.IsOptional(schema.body) && { [MAY_BE_ABSENT]: true }) }
}

const MAY_BE_ABSENT = 'x-body-may-be-absent'

/** Says the type of an enum, which few tools guess; leaves out the examples of schemas, since recorded ones stand beside them. */
function forReaders(value) {
  if (Array.isArray(value)) return value.map(forReaders)
  if (typeof value !== 'object' || value === null) return value
  const isTextEnum = value.type === undefined && value.enum?.every((choice) => typeof choice === 'string')
  const members = Object.entries(isTextEnum ? { type: 'string', ...value } : value)
  return Object.fromEntries(
    members.filter(([name]) => name !== 'examples').map(([name, member]) => [name, forReaders(member)]),
  )
}

function operationsOf(document) {
  return Object.values(document.paths).flatMap((path) => Object.values(path))
}

const CALLS = {
  placeBet: ['place'],
  changeBet: ['settle', 'unsettle', 'rollback'],
  readProfile: ['profile'],
  readBalance: ['balance'],
  checkBet: ['check'],
}

/** The 400 of a wire operation lists its codes; the 500 says what it means. */
function addWireReplies(document) {
  for (const { operationId, responses } of operationsOf(document)) {
    const calls = CALLS[operationId]
    if (calls === undefined) continue
    responses[200].description =
      calls.length > 1 || operationId === 'placeBet' ? 'Done, now or by an earlier call (R-2).' : 'The answer.'
    responses[400].description = `Refused, with one of these codes (R-1, R-3).\n\n${codesOf(calls)}`
    if (responses[500])
      responses[500].description = 'The wallet itself failed, code 100: the call is to be tried again (R-4).'
  }
}

function codesOf(calls) {
  const lines = Object.entries(REPLY_CODES).flatMap(([name, { code, message }]) => {
    const answers = REPLY_CODE_GUIDE[name].answers.filter((call) => calls.includes(call))
    const isOther = name === 'system_error' && !calls.includes('place') // that one is a 500
    if (answers.length === 0 || isOther) return []
    const who = answers.length === calls.length ? '' : ` (${answers.map((call) => CALL_NAMES[call]).join(', ')} only)`
    return [`- \`${code}\` ${message}${who}`]
  })
  return lines.join('\n')
}

/** Swagger takes every body for required. */
function allowNoBody(document) {
  for (const operation of operationsOf(document)) {
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
  const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]))
  for (const { operationId, name, summary, request, status, answer, parameters } of recorded) {
    const operation = operations.get(operationId)
    const response = operation?.responses[status]
    if (response === undefined) throw new Error(`${operationId} is not described to answer ${status} (${name})`)
    if (answer !== undefined) addExample(response, name, summary, answer)
    if (status >= 300) continue
    if (request !== undefined) addExample(operation.requestBody, name, summary, request)
    for (const parameter of operation.parameters ?? []) parameter.example ??= parameters[parameter.name]
  }
}

function addExample({ content }, name, summary, value) {
  const [media] = Object.values(content)
  media.examples = { ...media.examples, [name]: { summary, value } }
}
