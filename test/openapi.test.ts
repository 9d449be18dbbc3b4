/** The committed OpenAPI document is sound: it is complete, its references lead somewhere, its examples are true to it. */
import { readFileSync } from 'node:fs'
import { Compile } from 'typebox/schema'
import { describe, expect, test } from 'vitest'

type Node = { [member: string]: unknown }
interface Media {
  schema: Node
  examples?: Record<string, { summary: string; value: unknown }>
}
interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema: Node; example?: unknown }[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
}
interface Document {
  openapi: string
  info: Node
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Node>; securitySchemes: Record<string, Node> }
}

const DOCUMENT: Document = JSON.parse(readFileSync(new URL('../openapi/wallet.json', import.meta.url), 'utf8'))
const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    ...operation,
  })),
)
const onWire = OPERATIONS.filter(({ tags }) => tags.includes('Partner wire'))
const ofOperator = OPERATIONS.filter(({ path }) => path.startsWith('/operator/'))

const PLAYER = '/operator/players/{userId}'
const SURFACE = [
  ...['POST /payment/bet', 'PUT /payment/bet', 'POST /user/profile', 'POST /user/balance', 'POST /payment/check'],
  ...['POST /operator/players', `GET ${PLAYER}`, `PATCH ${PLAYER}`],
  ...[`POST ${PLAYER}/sessions`, `DELETE ${PLAYER}/sessions`, `POST ${PLAYER}/currency`],
  ...[`POST ${PLAYER}/deposits`, `POST ${PLAYER}/withdrawals`, `GET ${PLAYER}/balances`, `GET ${PLAYER}/statement`],
  ...['GET /operator/bets', `GET ${PLAYER}/bets/{transactionId}`, 'GET /operator/anomalies', 'GET /operator/audit'],
  ...[`PUT ${PLAYER}/bets/{transactionId}/lock`, `DELETE ${PLAYER}/bets/{transactionId}/lock`],
]

/** Every object and array inside, the value itself first. */
function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Node, ...Object.values(value).flatMap(nodesIn)]
}

function referencesIn(value: unknown): string[] {
  return nodesIn(value).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
}

function target(reference: string): unknown {
  const steps = reference.replace('#/', '').split('/')
  return steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], DOCUMENT)
}

/** The schema with every reference replaced by what it names; no schema of this document contains itself. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') return resolved(target(value.$ref))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]))
}

function faultsOf(schema: Node, value: unknown): unknown[] {
  const [, faults] = Compile(resolved(schema) as Node).Errors(value)
  return faults
}

function mediaOf({ requestBody, responses }: Operation): [string, Media][] {
  const bodies = Object.entries(responses).map(([status, { content }]) => [status, content] as const)
  return [['request', requestBody?.content] as const, ...bodies].flatMap(([where, content]) =>
    Object.values(content ?? {}).map((media): [string, Media] => [where, media]),
  )
}

describe('the document', () => {
  test('is OpenAPI 3.1 with a title and a version', () => {
    expect(DOCUMENT.openapi).toMatch(/^3\.1\.\d$/)
    expect(DOCUMENT.info).toMatchObject({ title: 'Purser wallet', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  })

  test('describes every call of the two APIs, and no other', () => {
    expect(OPERATIONS.map(({ name }) => name).sort()).toEqual([...SURFACE].sort())
  })

  test('has no reference that leads nowhere, and no named schema that nothing refers to', () => {
    const references = referencesIn(DOCUMENT)
    expect(references.filter((reference) => target(reference) === undefined)).toEqual([])
    const named = Object.keys(DOCUMENT.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(named.filter((name) => !references.includes(name))).toEqual([])
  })

  test('gives every operation an id of its own', () => {
    const ids = OPERATIONS.map(({ operationId }) => operationId)
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('knows no type that JSON does not have', () => {
    const schemas = [DOCUMENT.components.schemas, OPERATIONS.flatMap(mediaOf).map(([, { schema }]) => schema)]
    const types = nodesIn(schemas).flatMap(({ type }) => (typeof type === 'string' ? [type] : []))
    const known = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
    const others = [...new Set(types)].filter((type) => !known.includes(type))
    expect(others).toEqual([])
  })
})

describe.each(OPERATIONS)('$name', (operation) => {
  test('says what it is, in a tag and with a security scheme that exist', () => {
    expect(operation.summary).not.toBe('')
    expect(DOCUMENT.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags))
    const schemes = operation.security.flatMap((requirement) => Object.keys(requirement))
    expect(schemes).toHaveLength(1)
    expect(Object.keys(DOCUMENT.components.securitySchemes)).toEqual(expect.arrayContaining(schemes))
  })

  test('declares exactly the parameters of its path, required', () => {
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(declared.map(({ name }) => name)).toEqual(inPath)
    expect(declared.every(({ required }) => required === true)).toBe(true)
  })

  test('has an example of each body, and each passes its own schema', () => {
    for (const [where, { schema, examples = {} }] of mediaOf(operation)) {
      expect(Object.keys(examples), `examples of ${where}`).not.toHaveLength(0)
      for (const [name, { value }] of Object.entries(examples)) {
        expect(faultsOf(schema, value), `example ${name} of ${where}`).toEqual([])
      }
    }
    for (const { name, schema, example } of operation.parameters ?? []) {
      if (example !== undefined) expect(faultsOf(schema, example), `example of ${name}`).toEqual([])
    }
  })

  test('has examples that another body would fail: its schemas say something', () => {
    for (const [where, { schema }] of mediaOf(operation))
      expect(faultsOf(schema, ['not', 'a', 'body']), where).not.toEqual([])
  })
})

test('calls of the wire are signed, refuse with 400 and a code, and know no other error than 500', () => {
  expect(DOCUMENT.components.securitySchemes.partnerSignature).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'x-sign-jws',
  })
  for (const { name, security, responses } of onWire) {
    expect(security, name).toEqual([{ partnerSignature: [] }])
    const errors = Object.keys(responses).filter((status) => status !== '200')
    expect(errors, name).toEqual(name === 'POST /payment/bet' ? ['400'] : ['400', '500'])
    for (const status of errors) {
      expect(responses[status]?.content?.['application/json']?.schema).toEqual({
        $ref: '#/components/schemas/ErrorReply',
      })
    }
  }
})

test('PUT /payment/bet is exactly one of settle, unsettle and rollback, told apart by type', () => {
  const change = onWire.find(({ operationId }) => operationId === 'changeBet')
  const { schema, examples = {} } = change?.requestBody?.content['application/json'] ?? {}
  const messages = ['Settle', 'Unsettle', 'Rollback']
  expect(schema).toEqual({ oneOf: messages.map((name) => ({ $ref: `#/components/schemas/${name}` })) })
  const types = Object.values(examples).map(({ value }) => (value as { type: number }).type)
  expect(new Set(types)).toEqual(new Set([1, 2, 3]))
})

test('a settle that is a cashout carries a token, another one need not (L-4)', () => {
  const change = onWire.find(({ operationId }) => operationId === 'changeBet')
  const settle = change?.requestBody?.content['application/json']?.examples?.settled?.value as Node
  const schema = DOCUMENT.components.schemas.Settle as Node
  expect(settle).not.toHaveProperty('token')
  expect(faultsOf(schema, settle)).toEqual([])
  expect(faultsOf(schema, { ...settle, resultType: 'cashout' })).not.toEqual([])
  expect(faultsOf(schema, { ...settle, resultType: 'cashout', token: 'a'.repeat(43) })).toEqual([])
})

test('calls of the operator need the bearer key and answer errors as problems', () => {
  expect(DOCUMENT.components.securitySchemes.operatorKey).toMatchObject({ type: 'http', scheme: 'bearer' })
  for (const { name, security, responses } of ofOperator) {
    expect(security, name).toEqual([{ operatorKey: [] }])
    expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['401', '503']))
    for (const [status, { content }] of Object.entries(responses).filter(([code]) => code >= '400')) {
      expect(Object.keys(content ?? {}), `${name} ${status}`).toEqual(['application/problem+json'])
    }
  }
})

test('a session can be started without a body; every other body is required', () => {
  const optional = OPERATIONS.filter(({ requestBody }) => requestBody?.required === false).map(
    ({ operationId }) => operationId,
  )
  expect(optional).toEqual(['startSession'])
})
