/**
 * The gateway's audit log (O-4, W-24) records each change to an operator or an API key, and each
 * token that a member of staff exchanges by hand.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../operator/answers.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { newToken } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { type Asking, asking, asMaria, changesOf, expectAction, keyCases, keyOf, storedText } from './audited-calls.ts'

let gateway: TestGateway
let wallet: ScriptedWallet
let asked: Asking

beforeAll(async () => {
  gateway = await startGateway()
  wallet = await startScriptedWallet({ secret: 'secret-of-acme' })
  asked = asking(gateway.url, gateway.key, '/operators/actions')
})
afterAll(async () => {
  await gateway.stop()
  await wallet.stop()
})

const KEYS = keyCases(() => asked, '/operators')

test('the cases of the gateway’s action log cover each call that changes something', () => {
  expect(changesOf('gateway')).toEqual(['changeOperator', 'exchangeToken', 'saveOperator', ...Object.keys(KEYS)].sort())
})

test.each(Object.entries(KEYS))('%s writes an action with its person', async (operation, told) => {
  await expectAction(asked, keyOf('GATEWAY_API_KEY', gateway.key), operation, await told())
})

test('an operator that is added or changed writes an action, and a repeated change writes none', async () => {
  const key = keyOf('GATEWAY_API_KEY', gateway.key)
  const acme = { operatorId: 'acme', baseUrl: wallet.url, secret: 'the-first-secret' }
  const on = { operatorId: 'acme' }
  const save = (over: object) => ['POST', '/operators', { ...acme, ...over }] as const
  const after = { baseUrl: wallet.url, secret: '***' }
  await expectAction(asked, key, 'saveOperator', { call: save({}), on, before: {}, after })
  const masked = { secret: '***' }
  await expectAction(asked, key, 'saveOperator', {
    call: save({ secret: wallet.secret }),
    on,
    before: masked,
    after: masked,
  })
  await asked.must(...save({ secret: wallet.secret }))
  expect((await asked.log('?on=acme')).data).toHaveLength(2)
  expectProblem(await asked.send('GET', '/operators/actions?operator=acme'), 400, 'invalid_request')
})

test('a change that is tested writes an action without its secrets', async () => {
  wallet.accepts = [wallet.secret]
  await asked.must('POST', '/operators', { operatorId: 'other', baseUrl: wallet.url, secret: wallet.secret })
  await expectAction(asked, keyOf('GATEWAY_API_KEY', gateway.key), 'changeOperator', {
    call: ['PUT', '/operators/other', { baseUrl: wallet.url, secrets: ['the-second-secret', wallet.secret] }],
    on: { operatorId: 'other' },
    before: { secret: '***' },
    after: { secret: '***' },
  })
  expect(await storedText(gateway.databaseUrl, 'gateway.action')).not.toContain('the-second-secret')
  await asked.must('PUT', '/operators/other', { baseUrl: wallet.url, secret: wallet.secret })
})

test('an exchange of a token for a user writes no action, and one by a person writes one, once', async () => {
  const exchange = (token: string, headers?: Record<string, string>) =>
    asked.must('POST', '/operators/acme/sessions', { token }, headers)
  const actions = async () =>
    (await asked.log('?on=acme')).data.filter(({ operation }) => operation === 'exchangeToken')
  const tokens = [newToken(), newToken()] as const
  await exchange(tokens[0])
  expect(await actions()).toEqual([])
  const { userId, operatorUser } = await exchange(tokens[1], asMaria)
  await exchange(tokens[1], asMaria)
  expect(await actions()).toMatchObject([
    { person: 'maria', after: { session: { userId, operatorUser, currency: 'EUR' } } },
  ])
  const text = await storedText(gateway.databaseUrl, 'gateway.action')
  for (const hidden of [...tokens, gateway.key, wallet.secret, 'the-first-secret']) expect(text).not.toContain(hidden)
})
