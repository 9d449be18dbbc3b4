/**
 * Each possible answer to a Place bet leads to the right state of the bet (C-2), over real HTTP.
 */
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { type PlacedBet, startPlatform, type TestPlatform } from '../support/platform.ts'
import { refusal, type Script, type ScriptedWallet, status } from '../support/scripted-wallet.ts'

let time: FakeTime
let platform: TestPlatform
let wallet: ScriptedWallet
let frame: string

beforeAll(async () => {
  time = fakeTime()
  platform = await startPlatform({ time })
  const partner = await platform.partner()
  wallet = partner.wallet
  frame = await platform.api.loadFrame(partner.partnerId)
})
afterAll(() => platform.stop())

async function placeAgainst(script: Script): Promise<PlacedBet> {
  wallet.next('place', script)
  const placed = await platform.api.place(frame)
  await time.settle()
  return placed
}

async function expectRollback(betId: string, errorCode: number): Promise<void> {
  const rollbacks = wallet.of('rollback', betId)
  expect(rollbacks.map(({ body }) => [body.errorCode, body.amount, body.transactionId])).toEqual([
    [errorCode, 10, betId],
  ])
  const { status, deliveries } = await platform.api.bet(betId)
  expect([status, ...deliveries.map((d) => [d.operation, d.status])]).toEqual([
    'cancelled',
    ['place', 'unknown'],
    ['rollback', 'done'],
  ])
}

test('status 200 accepts the bet, and no rollback follows (P1)', async () => {
  const { betId, status } = await placeAgainst({})
  await time.advance(60_000)
  expect(status).toBe('accepted')
  expect(wallet.requests.filter(({ body }) => body.transactionId === betId)).toHaveLength(1)
  const { deliveries } = await platform.api.bet(betId)
  expect(deliveries.map((d) => [d.operation, d.status])).toEqual([['place', 'done']])
})

test.each([3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 1, 99, 101, 0, -1])(
  'status 400 with code %i declines the bet, and no rollback follows (P2)',
  async (code) => {
    const { betId, status, reason } = await placeAgainst(refusal(code))
    await time.advance(20_000)
    expect([status, reason]).toEqual(['declined', `partner code ${code}`])
    expect(wallet.of('rollback', betId)).toEqual([])
    const { deliveries } = await platform.api.bet(betId)
    expect(deliveries.map((d) => [d.operation, d.status, d.code])).toEqual([['place', 'refused', code]])
  },
)

test('status 400 with code 100 is rolled back with errorCode 52 (P3)', async () => {
  const { betId, status } = await placeAgainst(refusal(100))
  expect(status).toBe('cancelled')
  await expectRollback(betId, 52)
  const { deliveries } = await platform.api.bet(betId)
  expect(deliveries[0]?.attemptList.map((a) => [a.httpStatus, a.code])).toEqual([[400, 100]])
})

test.each([401, 403, 404, 429, 500, 503, 302, 201, 202, 204, 304, 402, 409, 422, 502, 504])(
  'status %i is rolled back with errorCode 52 (P4)',
  async (code) => {
    const { betId } = await placeAgainst({ ...status(code), headers: { location: `${wallet.url}/elsewhere` } })
    await expectRollback(betId, 52)
    expect(wallet.of('place', betId)).toHaveLength(1)
  },
)

const good = (betId: unknown) => ({ transactionId: betId, transactionTime: '2031-05-16T12:00:00Z' })
const bodies: [string, Script][] = [
  ['an empty body', { body: '' }],
  ['a broken body', { body: '{"transactionId":' }],
  ['a page', { body: '<html>OK</html>', headers: { 'content-type': 'text/html' } }],
  ['null', { body: 'null' }],
  ['an array', { body: ({ body }) => [good(body.transactionId)] }],
  ['a text', { body: '"OK"' }],
  ['an empty object', { body: {} }],
  ['another transactionId', { body: good('5a3ff0f3-61f5-4f2e-8a0c-1d2b3c4d5e6f') }],
  ['the transactionId in capitals', { body: ({ body }) => good(String(body.transactionId).toUpperCase()) }],
  ['no transactionTime', { body: ({ body }) => ({ transactionId: body.transactionId }) }],
  ['a transactionTime that is none', { body: ({ body }) => ({ ...good(body.transactionId), transactionTime: 'now' }) }],
  ['an error in it', { body: { code: 7, message: 'Not enough money' } }],
  ['the code of a refusal beside a yes (D-5)', { body: ({ body }) => ({ ...good(body.transactionId), code: 7 }) }],
  ['more than 64 KiB', { body: ({ body }) => ({ ...good(body.transactionId), more: 'x'.repeat(70_000) }) }],
]
test.each(bodies)('200 with %s is rolled back with errorCode 52 (P7)', async (_what, script) => {
  const { betId } = await placeAgainst(script)
  await expectRollback(betId, 52)
})

test.each([
  ['no body', ''],
  ['no code', { message: 'no' }],
  ['a code as text', { code: '7', message: 'no' }],
  ['a code that is not whole', { code: 7.5, message: 'no' }],
  ['a page', '<html>Bad Request</html>'],
])('status 400 with %s is ambiguous and is rolled back with errorCode 52 (P7)', async (_what, body) => {
  const { betId } = await placeAgainst({ status: 400, body })
  await expectRollback(betId, 52)
})

test.each([
  ['after the request', { fault: 'reset' }],
  ['within the answer', { fault: 'reset_in_body' }],
] as [string, Script][])('a connection reset %s is rolled back with errorCode 52 (P6)', async (_when, script) => {
  const { betId } = await placeAgainst(script)
  await expectRollback(betId, 52)
})

/** Moves the partner to this address for the Place bet, and back for the rollback. */
async function placeAt(url: string): Promise<PlacedBet> {
  const partnerId = await platform.api.savePartner(wallet)
  const session = await platform.api.loadFrame(partnerId)
  await platform.api.savePartner({ url, secret: wallet.secret }, partnerId)
  const placed = await platform.api.place(session)
  await platform.api.savePartner(wallet, partnerId)
  await time.advance(10_000)
  return placed
}

async function expectRollbackAfterAll(betId: string): Promise<void> {
  expect(wallet.of('place', betId)).toEqual([])
  expect(wallet.of('rollback', betId).map(({ body }) => body.errorCode)).toEqual([52])
  const { status, deliveries } = await platform.api.bet(betId)
  expect([status, deliveries[0]?.status, deliveries[1]?.status]).toEqual(['cancelled', 'unknown', 'done'])
  expect(deliveries[0]?.error).toMatch(/^network: /)
}

test('a refused connection is rolled back with errorCode 52 (P6)', async () => {
  const { betId } = await placeAt(`http://127.0.0.1:${await closedPort()}`)
  await expectRollbackAfterAll(betId)
})

test('a TLS error is rolled back with errorCode 52 (P6)', async () => {
  const { betId } = await placeAt(wallet.url.replace('http:', 'https:'))
  await expectRollbackAfterAll(betId)
})

test('a name that does not resolve is rolled back with errorCode 52 (P6)', async () => {
  const { betId } = await placeAt('http://wallet.invalid')
  await expectRollbackAfterAll(betId)
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
