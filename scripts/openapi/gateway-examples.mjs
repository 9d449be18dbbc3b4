/**
 * Records the examples of packages/server/openapi/gateway.json from a real gateway with one
 * operator and its player.
 */

import { closeForGood } from './document.mjs'
import { keySteps } from './key-story.mjs'

const OPERATIONS = [
  ...['saveOperator', 'changeOperator', 'listOperators', 'listCalls', 'listActions', 'exchangeToken'],
  ...['makeKey', 'listKeys', 'rotateKey', 'revokeKey'],
]

/** One record per call: operation, name, request, status, answer, values of parameters. */
export async function recordGatewayExamples({ app, db, wallet, walletUrl, keys }) {
  const token = await makePlayer(wallet, keys)
  const records = []
  for (const { before, call, key = keys.GATEWAY_API_KEY, ...names } of story({
    db,
    walletUrl,
    secret: keys.PARTNER_SECRET,
    token,
  })) {
    await before?.()
    const [method, url, request] = call
    const headers = { authorization: `Bearer ${key}`, ...(request && { 'content-type': 'application/json' }) }
    const reply = await app.inject({ method, url, headers, ...(request && { payload: JSON.stringify(request) }) })
    if (reply.statusCode !== names.status)
      throw new Error(`${names.name} was answered ${reply.statusCode} ${reply.body}`)
    records.push({
      ...names,
      request,
      answer: reply.body === '' ? undefined : JSON.parse(reply.body),
      parameters: {
        operatorId: 'acme',
        on: 'acme',
        limit: '50',
        'x-purser-person': 'maria',
        'x-purser-reason': 'a new contract',
        name: 'support-desk',
      },
    })
  }
  return withoutChance(records, walletUrl, token)
}

function story({ db, walletUrl: baseUrl, secret, token }) {
  const save = (over) => ['POST', '/operators', { operatorId: 'acme', baseUrl, secret, ...over }]
  const change = (over, operatorId = 'acme') => ['PUT', `/operators/${operatorId}`, { baseUrl, ...over }]
  const list = (query = '') => ['GET', `/operators${query}`]
  const exchange = (given, operatorId = 'acme') => ['POST', `/operators/${operatorId}/sessions`, { token: given }]
  const unknown = 'a-token-that-the-operator-never-gave-out'
  const step = (operationId, status, name, summary, call, key) => ({ operationId, status, name, summary, call, key })
  return [
    step(
      'saveOperator',
      201,
      'closed',
      'No server listens at the address',
      save({ operatorId: 'closed', baseUrl: 'http://127.0.0.1:1' }),
    ),
    step('saveOperator', 201, 'saved', 'A new or changed entry', save()),
    step('saveOperator', 400, 'invalid', 'An invalid URL', save({ baseUrl: 'acme' })),
    step('saveOperator', 401, 'unauthorized', 'Another key', save(), 'wrong'),
    step(
      'changeOperator',
      200,
      'changed',
      'The wallet accepts both secrets and rejects only the token',
      change({ secret }),
    ),
    step('changeOperator', 400, 'invalid', 'An address with a query', change({ baseUrl: 'https://acme.example/?a' })),
    step('changeOperator', 401, 'unauthorized', 'Another key', change(), 'wrong'),
    step('changeOperator', 404, 'unknown', 'An unknown operator', change({}, 'nobody')),
    step('listOperators', 200, 'all', 'All entries', list()),
    step('listOperators', 400, 'invalid', 'An invalid cursor', list('?after=x')),
    step('listOperators', 401, 'unauthorized', 'Another key', list(), 'wrong'),
    step('listCalls', 200, 'none', 'Calls about an unknown bet', [
      'GET',
      '/operators/calls?transactionId=never-placed-1',
    ]),
    step('listCalls', 400, 'invalid', 'An invalid cursor', ['GET', '/operators/calls?after=x']),
    step('listCalls', 401, 'unauthorized', 'Another key', ['GET', '/operators/calls'], 'wrong'),
    step('listActions', 200, 'page', 'Entries about one operator', ['GET', '/operators/actions?on=acme']),
    step('listActions', 400, 'invalid', 'An invalid cursor', ['GET', '/operators/actions?after=x']),
    step('listActions', 401, 'unauthorized', 'Another key', ['GET', '/operators/actions'], 'wrong'),
    ...keySteps('/operators').map((parts) => step(...parts)),
    ...['makeKey', 'listKeys', 'rotateKey', 'revokeKey'].map((operationId) =>
      step(operationId, 401, 'unauthorized', 'Another key', list(), 'wrong'),
    ),
    step('exchangeToken', 201, 'exchanged', 'The operator knows the token', exchange(token)),
    step('exchangeToken', 400, 'invalid', 'A token that is too short', exchange('short')),
    step('exchangeToken', 401, 'unauthorized', 'Another key', exchange(token), 'wrong'),
    step('exchangeToken', 404, 'unknown', 'An unknown operator', exchange(token, 'nobody')),
    step('exchangeToken', 422, 'refused', "The operator's answer is a rejection", exchange(unknown)),
    step('exchangeToken', 502, 'failed', 'No server listens at the address', exchange(unknown, 'closed')),
    ...OPERATIONS.map((operationId, at) => ({
      ...step(operationId, 503, 'unavailable', 'The database is down', list()),
      ...(at === 0 && { before: () => closeForGood(db) }),
    })),
  ]
}

async function makePlayer(wallet, keys) {
  const ask = async (url, payload) => {
    const headers = { authorization: `Bearer ${keys.OPERATOR_API_KEY}`, 'content-type': 'application/json' }
    return (await wallet.inject({ method: 'POST', url: `/operator/players${url}`, headers, payload })).json()
  }
  await ask('', { userId: 'alice', currency: 'EUR' })
  return (await ask('/alice/sessions', {})).token
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const GIVEN = 'example-token-of-acme-'.padEnd(43, '0')
const EXCHANGED = 'example-token-of-the-gateway-'.padEnd(43, '0')

/** Ids, tokens and ports differ in each run. */
function withoutChance(records, walletUrl, token) {
  const text = JSON.stringify(records, (member, value) =>
    member === 'token' && value.length === 43 && value !== token ? EXCHANGED : value,
  )
  const id = '5f0c7d1e-3b52-4c1a-9e44-000000000001'
  return JSON.parse(
    text.replaceAll(walletUrl, 'https://wallet.acme.example').replaceAll(token, GIVEN).replace(UUID, id),
  )
}
