/**
 * The platform rejects connection settings with headers that cannot be sent or with unreadable PEM
 * certificates (O-20).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'

let platform: TestPlatform
let wallet: ScriptedWallet
beforeAll(async () => {
  platform = await startPlatform()
  wallet = await startScriptedWallet()
})
afterAll(async () => {
  await platform.stop()
  await wallet.stop()
})

const save = (connection: unknown, baseUrl = wallet.url) =>
  platform.api.request('POST', '/partners', { partnerId: 'acme', baseUrl, secret: wallet.secret, connection } as object)

const NO_PEM = 'has no readable certificate in PEM'
const headers = (name: string, value = 'a-value') => ({ headers: { [name]: value } })
const REFUSED: readonly (readonly [connection: object, pointer: string, detail: string])[] = [
  ...[
    'Host',
    'content-length',
    'Content-Type',
    'x-sign-jws',
    'User-Agent',
    'connection',
    'transfer-encoding',
    'expect',
  ].map((name) => [headers(name), `/connection/headers/${name}`, 'is set by the program for each call'] as const),
  [headers('webhook-id'), '/connection/headers/webhook-id', 'is set by the program for each call'],
  [headers('accept-encoding'), '/connection/headers/accept-encoding', 'is set by the program for each call'],
  [headers('a name'), '/connection/headers/a name', 'is not a valid header'],
  [headers('x-key', 'a\r\nb: c'), '/connection/headers/x-key', 'is not a valid header'],
  [headers('x-key', ''), '/connection/headers/x-key', 'is not a valid header'],
  [{ headers: { 'x-key': 'a', 'X-Key': 'b' } }, '/connection/headers', 'contains a header twice'],
  [headers('x-key', 'k'.repeat(6_001)), '/connection/headers', 'is longer than 6000 characters'],
  [{ ca: 'no PEM' }, '/connection/ca', NO_PEM],
  [{ ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }, '/connection/ca', NO_PEM],
  [{ certificate: 'no PEM', key: 'no PEM' }, '/connection/certificate', NO_PEM],
  [{ key: 'no PEM' }, '/connection/key', 'is not a private key in PEM'],
  [{ key: '-----BEGIN ENCRYPTED PRIVATE KEY-----' }, '/connection/key', 'has a passphrase'],
]
test.each(REFUSED)('the connection settings %j are rejected with a pointer', async (connection, pointer, detail) => {
  const { status, body } = await save(connection)
  expect(status).toBe(400)
  expect(body).toMatchObject({ errors: [{ pointer, detail: expect.stringContaining(detail) }] })
})

test('headers are sent with each call, and the list and the log show their names and never their values', async () => {
  expect((await save(headers('X-Api-Key', 'value-1'))).body).toMatchObject({ connection: { headers: ['x-api-key'] } })
  expect(wallet.tries.at(-1)?.headers['x-api-key']).toBe('value-1')
  expect((await save(undefined)).body).toMatchObject({ connection: { headers: ['x-api-key'] } })
  expect((await save(headers('X-Api-Key', 'value-2'))).status).toBe(201)
  await platform.api.loadFrame('acme')
  expect(wallet.of('profile').at(-1)?.headers['x-api-key']).toBe('value-2')
  const list = await platform.api.request('GET', '/partners')
  expect(list.body).toMatchObject({ data: [{ connection: { headers: ['x-api-key'] } }] })
  const log = await platform.api.request('GET', '/actions?on=acme')
  const text = JSON.stringify([list.body, log.body])
  expect(text).toContain('"values":{"secret":"***"}')
  expect(text).not.toMatch(/value-[12]/)
  expect((await save(null)).body).not.toHaveProperty('connection')
  expect(wallet.tries.at(-1)?.headers).not.toHaveProperty('x-api-key')
})
