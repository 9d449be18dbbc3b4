/**
 * The committed OpenAPI documents are complete, their references have targets, and their examples
 * match their schemas.
 */
import { describe, expect, test } from 'vitest'
import { ROLES } from '../src/core/http/api/principal.ts'
import {
  faultsOf,
  mediaOf,
  type Node,
  nodesIn,
  type Operation,
  operationsOf,
  readDocument,
  referencesIn,
  target,
} from './openapi/document.ts'

const keysOf = (prefix: string) => [
  ...[`GET ${prefix}/keys`, `POST ${prefix}/keys`],
  ...[`POST ${prefix}/keys/{name}/rotate`, `DELETE ${prefix}/keys/{name}`],
]
const NUMBERS_OR_FLAGS = /^(true|false|\\d|\d|[^a-z])+$/i
const PLAYER = '/operator/players/{userId}'
const WALLET = [
  ...['POST /payment/bet', 'PUT /payment/bet', 'POST /user/profile', 'POST /user/balance', 'POST /payment/check'],
  ...[
    'POST /operator/players',
    'GET /operator/players',
    'GET /operator/reports/daily',
    'GET /operator/reports/players',
    'GET /operator/transfers',
    `GET ${PLAYER}`,
    `PATCH ${PLAYER}`,
  ],
  ...['GET', 'POST', 'DELETE'].map((method) => `${method} ${PLAYER}/sessions`),
  ...[`POST ${PLAYER}/currency`, `GET ${PLAYER}/personal-data`, `POST ${PLAYER}/personal-data`],
  ...[
    `POST ${PLAYER}/deposits`,
    `POST ${PLAYER}/withdrawals`,
    `POST ${PLAYER}/adjustments`,
    ...['approve', 'refuse'].map((what) => `POST ${PLAYER}/adjustments/${what}`),
    'GET /operator/adjustments',
    `GET ${PLAYER}/history`,
    `GET ${PLAYER}/balances`,
    `GET ${PLAYER}/statement`,
  ],
  ...[
    'GET /operator/bets',
    `GET ${PLAYER}/bets/{transactionId}`,
    'GET /operator/anomalies',
    'GET /operator/audit',
    'GET /operator/calls',
    'GET /operator/now',
    ...['POST /operator/conformance', 'GET /operator/conformance', 'GET /operator/conformance/{runId}'],
    ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /operator/webhooks/{webhookId}`),
    ...['test', 'replay', 'rotate'].map((what) => `POST /operator/webhooks/{webhookId}/${what}`),
    ...['GET /operator/webhooks', 'GET /operator/webhooks/{webhookId}/attempts'],
    'GET /operator/changes',
    'GET /operator/show/{id}',
    'GET /operator/changes/stream',
    'GET /operator/live',
    'GET /operator/ledger',
    'GET /operator/actions',
  ],
  ...[`PUT ${PLAYER}/bets/{transactionId}/lock`, `DELETE ${PLAYER}/bets/{transactionId}/lock`],
  ...keysOf('/operator'),
]

const PLATFORM = [
  ...[
    'POST /partners',
    'GET /partners',
    'PUT /partners/{partnerId}',
    'POST /frame-sessions',
    'POST /bets',
    'GET /bets',
    'GET /bets/{betId}',
  ],
  ...['POST /bets/{betId}/settle', 'POST /bets/{betId}/unsettle', 'POST /bets/{betId}/cancel'],
  ...['PUT /events/{eventId}', 'POST /events/{eventId}/result', 'PUT /limits'],
  ...['GET /deliveries', 'POST /deliveries/retry', 'POST /deliveries/{deliveryId}/retry'],
  'POST /deliveries/{deliveryId}/acknowledge',
  ...['GET /deliveries/retries', 'GET /deliveries/retries/{retryId}', 'GET /show/{id}'],
  ...['GET /changes', 'GET /changes/stream', 'GET /live', 'GET /actions', 'GET /now'],
  ...keysOf(''),
]

const GATEWAY = [
  ...['GET /operators', 'POST /operators', 'PUT /operators/{operatorId}'],
  ...['GET /operators/actions', 'GET /operators/calls', 'POST /operators/{operatorId}/sessions'],
  ...keysOf('/operators'),
]

describe.each([
  ['wallet', WALLET],
  ['platform', PLATFORM],
  ['gateway', GATEWAY],
] as const)('the document of the %s', (server, surface) => {
  const document = readDocument(server)
  const operations = operationsOf(document)

  test('is OpenAPI 3.1 with a title and a version', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
    expect(document.info).toMatchObject({ title: `Purser ${server}`, version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  })

  test('describes exactly the calls of the server', () => {
    expect(operations.map(({ name }) => name).sort()).toEqual([...surface].sort())
  })

  test('has no dangling reference and no unused named schema', () => {
    const references = referencesIn(document)
    expect(references.filter((reference) => target(document, reference) === undefined)).toEqual([])
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(named.filter((name) => !references.includes(name))).toEqual([])
  })

  test('names no empty schema, which would stand for every other empty one', () => {
    const empty = Object.entries(document.components.schemas).filter(([, schema]) => Object.keys(schema).length === 0)
    expect(empty).toEqual([])
  })

  test('gives every operation a unique id', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('uses only the types of JSON', () => {
    const schemas = [document.components.schemas, operations.flatMap(mediaOf).map(([, { schema }]) => schema)]
    const types = nodesIn(schemas).flatMap(({ type }) => (typeof type === 'string' ? [type] : []))
    const known = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
    const others = [...new Set(types)].filter((type) => !known.includes(type))
    expect(others).toEqual([])
  })

  describe.each(operations)('$name', (operation) => {
    test('has a summary, a tag and a security scheme that exist', () => {
      expect(operation.summary).not.toBe('')
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags))
      const schemes = operation.security.flatMap((requirement) => Object.keys(requirement))
      expect(schemes).toHaveLength(1)
      expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining(schemes))
    })

    test('takes the person and the reason (O-4) when it changes something, and only then', () => {
      const said = (operation.parameters ?? []).filter(({ name }) => name.startsWith('x-purser-'))
      const changes = !operation.tags.includes('Partner wire') && !operation.name.startsWith('GET ')
      expect(said.map((parameter) => [parameter.in, parameter.name])).toEqual(
        changes ? ['x-purser-person', 'x-purser-reason'].map((name) => ['header', name]) : [],
      )
    })

    test('names the lowest role that may call it, and how other roles are refused (W-25)', () => {
      if (operation.tags.includes('Partner wire')) return
      const [least] = operation.security.flatMap((requirement) => Object.values(requirement)).flat()
      expect(ROLES).toContain(least)
      expect(operation.description).toContain(`role \`${least}\``)
      expect('403' in operation.responses).toBe(least !== 'read')
    })

    test('declares exactly the parameters of its path as required', () => {
      const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(inPath)
      expect(declared.every(({ required }) => required === true)).toBe(true)
    })

    test('declares numbers and flags of its query as such', () => {
      const isText = ({ in: part, schema }: { in: string; schema: Node }) =>
        part === 'query' && schema.type === 'string' && NUMBERS_OR_FLAGS.test(`${schema.pattern ?? schema.enum}`)
      expect((operation.parameters ?? []).filter(isText).map(({ name }) => name)).toEqual([])
    })

    test('has an example of each body that its own schema accepts', () => {
      for (const [where, { schema, examples = {} }] of mediaOf(operation)) {
        expect(Object.keys(examples), `examples of ${where}`).not.toHaveLength(0)
        for (const [name, { value }] of Object.entries(examples)) {
          expect(faultsOf(document, schema, value), `example ${name} of ${where}`).toEqual([])
        }
      }
      for (const { name, schema, example } of operation.parameters ?? []) {
        if (example !== undefined) expect(faultsOf(document, schema, example), `example of ${name}`).toEqual([])
      }
    })

    test('has schemas that refuse the example of another body', () => {
      for (const [where, { schema }] of mediaOf(operation))
        expect(faultsOf(document, schema, ['not', 'a', 'body']), where).not.toEqual([])
    })
  })
})

describe('the document of the wallet', () => {
  const document = readDocument('wallet')
  const operations = operationsOf(document)
  const onWire = operations.filter(({ tags }) => tags.includes('Partner wire'))
  const ofOperator = operations.filter(({ path }) => path.startsWith('/operator/'))

  test('signs calls of the wire, which refuse with 400 and a code and know no other error than 500', () => {
    expect(document.components.securitySchemes.partnerSignature).toMatchObject({
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

  test('describes PUT /payment/bet as exactly one of settle, unsettle and rollback, selected by type', () => {
    const change = onWire.find(({ operationId }) => operationId === 'changeBet')
    const { schema, examples = {} } = change?.requestBody?.content['application/json'] ?? {}
    const messages = ['Settle', 'Unsettle', 'Rollback']
    expect(schema).toEqual({ oneOf: messages.map((name) => ({ $ref: `#/components/schemas/${name}` })) })
    const types = Object.values(examples).map(({ value }) => (value as { type: number }).type)
    expect(new Set(types)).toEqual(new Set([1, 2, 3]))
  })

  test('requires a token in a settle that is a cashout, and not in another one (L-4)', () => {
    const change = onWire.find(({ operationId }) => operationId === 'changeBet')
    const settle = change?.requestBody?.content['application/json']?.examples?.settled?.value as Node
    const schema = document.components.schemas.Settle as Node
    expect(settle).not.toHaveProperty('token')
    expect(faultsOf(document, schema, settle)).toEqual([])
    expect(faultsOf(document, schema, { ...settle, resultType: 'cashout' })).not.toEqual([])
    expect(faultsOf(document, schema, { ...settle, resultType: 'cashout', token: 'a'.repeat(43) })).toEqual([])
  })

  test('requires the bearer key for calls of the operator, which answer errors as problems', () => {
    expectProblems(ofOperator, 'operatorKey')
  })

  test('allows no body for the start of a session and the rotation of a key, and requires every other body', () => {
    const optional = operations
      .filter(({ requestBody }) => requestBody?.required === false)
      .map(({ operationId }) => operationId)
    expect(optional.sort()).toEqual(['rotateKey', 'rotateWebhook', 'startSession'])
  })
})

describe('the document of the platform', () => {
  const document = readDocument('platform')
  const operations = operationsOf(document)
  const media = operations.flatMap((operation) => mediaOf(operation))

  test('requires the bearer key for every call, and errors are problems', () => {
    expect(document.components.securitySchemes.platformKey).toMatchObject({ type: 'http', scheme: 'bearer' })
    expectProblems(operations, 'platformKey')
  })

  test('writes money as decimal strings in requests and answers', () => {
    const values = media.flatMap(([, { examples = {} }]) => Object.values(examples).map(({ value }) => value as Node))
    const amounts = values
      // Deliveries are left out, since they show amounts as they were sent to the partner.
      .map(({ deliveries: _, delivery: _one, ...others }) => others)
      .flatMap((value) => nodesIn(value))
      .flatMap(({ amount, payout, maxStake }) => [amount, payout, maxStake])
    const written = amounts.filter((amount) => amount !== undefined)
    expect(written.length).toBeGreaterThan(10)
    expect(written.filter((amount) => typeof amount !== 'string' && amount !== 1_000)).toEqual([])
  })

  test('describes lists as pages with data and the cursor of the next page or null', () => {
    for (const { operationId, parameters = [], responses } of operations.filter((o) =>
      o.operationId.startsWith('list'),
    )) {
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['limit', 'after']))
      const { schema = {} } = responses['200']?.content?.['application/json'] ?? {}
      expect(faultsOf(document, schema, { data: [], next: null }), operationId).toEqual([])
      expect(faultsOf(document, schema, { data: [] }), operationId).not.toEqual([])
    }
  })

  test('takes the idempotency key of a bet as a member or a header, and describes 409 and 422', () => {
    const place = operations.find(({ operationId }) => operationId === 'placeBet')
    expect(place?.parameters?.map(({ in: where, name }) => [where, name])).toEqual([
      ['header', 'idempotency-key'],
      ['header', 'x-purser-person'],
      ['header', 'x-purser-reason'],
    ])
    expect(document.components.schemas.NewBet?.properties).toHaveProperty('idempotencyKey')
    const codes = ['409', '422'].map((status) => place?.responses[status]?.description)
    expect(codes).toEqual(['Code still_running.', 'Code idempotency_key_reused.'])
  })
})

function expectProblems(operations: readonly Operation[], scheme: string): void {
  for (const { name, security, responses } of operations) {
    expect(security, name).toEqual([{ [scheme]: [expect.stringMatching(/^(read|support|cash|admin)$/)] }])
    expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['401', '503']))
    for (const [status, { content }] of Object.entries(responses).filter(([code]) => code >= '400')) {
      expect(Object.keys(content ?? {}), `${name} ${status}`).toEqual(['application/problem+json'])
    }
  }
}
