/**
 * Every call of the platform is signed over its exact bytes (P15) and follows the interface's field
 * rules. It keeps the currency, token and player ids of the placement (P17, C-7).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { newToken, startPlatform, type TestPlatform } from '../support/platform.ts'
import { refusal, type ScriptedWallet, startScriptedWallet, status } from '../support/scripted-wallet.ts'
import { partnerWire, placeMessage, rollbackMessage } from '../support/wire.ts'

let time: FakeTime
let platform: TestPlatform
let wallet: ScriptedWallet
let partnerId: string

beforeAll(async () => {
  time = fakeTime()
  platform = await startPlatform({ time })
  const partner = await platform.partner()
  wallet = partner.wallet
  partnerId = partner.partnerId
})
afterAll(() => platform.stop())

async function frameWith(profile: Record<string, unknown>, token = newToken()): Promise<string> {
  wallet.profile = profile
  const frame = await platform.api.loadFrame(partnerId, token)
  wallet.profile = {}
  return frame
}

const callsOf = (betId: string) => wallet.requests.filter(({ body }) => body.transactionId === betId)

async function wholeLife(betId: string): Promise<void> {
  await platform.api.settle(betId, 'won', '25')
  await platform.api.settle(betId, 'refund', '10')
  await platform.api.unsettle(betId)
  await platform.api.settle(betId, 'cashout', '7')
  await platform.api.unsettle(betId)
  await platform.api.cancel(betId, 50)
  await time.advance(10_000)
}

test('each bet keeps the currency, token, userId and operatorUser of its placement when the profile changes (P17)', async () => {
  const before = await frameWith({ userId: 'ada', currency: 'EUR', operatorUser: 'op.ada' }, 'token-of-ada-in-eur')
  const inEuro = await platform.api.place(before)
  const after = await frameWith({ userId: 'ada', currency: 'USD', operatorUser: 'op.ada2' }, 'token-of-ada-in-usd')
  const inDollar = await platform.api.place(after)
  for (const { betId } of [inEuro, inDollar]) await wholeLife(betId)
  const operations = ['place', 'settle', 'settle', 'unsettle', 'settle', 'unsettle', 'rollback']
  for (const [{ betId }, identity, token] of [
    [inEuro, { currency: 'EUR', userId: 'ada', operatorUser: 'op.ada' }, 'token-of-ada-in-eur'],
    [inDollar, { currency: 'USD', userId: 'ada', operatorUser: 'op.ada2' }, 'token-of-ada-in-usd'],
  ] as const) {
    const calls = callsOf(betId)
    expect(calls.map((call) => call.operation)).toEqual(operations)
    for (const { body } of calls) expect(body).toMatchObject(identity)
    expect(calls.filter(({ body }) => 'token' in body).map(({ body }) => body.token)).toEqual([token, token, token])
  }
})

test('a bet in an old frame session keeps the old currency (P17)', async () => {
  const old = await frameWith({ currency: 'EUR' })
  await frameWith({ currency: 'USD' })
  const { betId } = await platform.api.place(old)
  expect(wallet.of('place', betId)[0]?.body.currency).toBe('EUR')
})

test.each([
  ['a member of the profile', { operatorUser: 'real.player~1' }],
  ['a member of customFields', { customFields: { operatorUser: 'real.player~1' } }],
])('operatorUser from %s is sent in every payload (P-5)', async (_where, profile) => {
  const { betId } = await platform.api.place(await frameWith({ userId: 'internal-7', ...profile }))
  await wholeLife(betId)
  const users = callsOf(betId).map(({ body }) => [body.userId, body.operatorUser])
  expect(users).toEqual(Array(7).fill(['internal-7', 'real.player~1']))
})

test('no payload contains an operatorUser that the profile does not have (P-5)', async () => {
  const { betId } = await platform.api.place(await frameWith({}))
  await wholeLife(betId)
  expect(callsOf(betId).filter(({ body }) => 'operatorUser' in body)).toEqual([])
})

test.each(['with space', 'x'.repeat(65), 'ö', ''])(
  'the operatorUser "%s" makes the profile invalid (P-5)',
  async (operatorUser) => {
    wallet.profile = { operatorUser }
    const reply = await platform.api.request('POST', '/frame-sessions', { partnerId, token: newToken() })
    wallet.profile = {}
    expect([reply.status, reply.body]).toEqual([502, expect.objectContaining({ code: 'partner_failed' })])
  },
)

test.each([
  ['EUR', '10.10', '10.10'],
  ['EUR', '0.01', '0.01'],
  ['JPY', '1500', '1500'],
  ['KWD', '1.125', '1.125'],
  ['BTC', '0.00000001', '0.00000001'],
  ['USDT', '0.1', '0.100000'],
])('an amount in %s is sent with the decimals of the currency: %s as %s (P15)', async (currency, amount, written) => {
  const { betId } = await platform.api.place(await frameWith({ currency }), { amount })
  expect(wallet.of('place', betId)[0]?.text).toContain(`"amount":${written},`)
})

test('rollbacks and results carry the stake, the payout, and the payout taken back (P15)', async () => {
  const frame = await frameWith({})
  const { betId } = await platform.api.place(frame, { amount: '12.10' })
  await wholeLife(betId)
  expect(callsOf(betId).map(({ operation, body }) => [operation, body.amount])).toEqual([
    ['place', 12.1],
    ['settle', 25],
    ['settle', 10],
    ['unsettle', 10],
    ['settle', 7],
    ['unsettle', 7],
    ['rollback', 12.1],
  ])
})

test('text that JSON must escape arrives unchanged, with a signature of the sent bytes (P15)', async () => {
  const info = 'quote " backslash \\ newline \n ünïcödé ☃ 𝄞 \u2028 </script>'
  const selections = [{ eventId: 'e"1\\', outcomeId: 'ø', coefficient: 1.5, event: info }]
  const { betId } = await platform.api.place(await frameWith({ userId: 'Zoë "the" 𝄞' }), { info, selections })
  const [place] = wallet.of('place', betId)
  expect(place?.body).toMatchObject({ info, userId: 'Zoë "the" 𝄞', metadata: selections })
  expect(wallet.faults).toEqual([])
})

test('every delivery has its own requestId, and every attempt of it has the same one (P15)', async () => {
  const { betId } = await platform.api.place(await frameWith({}))
  wallet.next('settle', status(500), status(500))
  wallet.next('unsettle', status(500))
  wallet.next('rollback', status(500))
  await wholeLife(betId)
  await time.advance(60_000)
  expect(new Set(callsOf(betId).map(({ text }) => text)).size).toBe(7)
  expect(new Set(callsOf(betId).map(({ body }) => body.requestId)).size).toBe(7)
  expect(callsOf(betId)).toHaveLength(11)
})

test('the frame requests the profile with token and requestId, and stores it', async () => {
  const customFields = { nickname: 'Ada', isCashOutAllowed: true, somethingNew: { a: 1 } }
  wallet.profile = { userId: 'ada', currency: 'USD', isTest: true, customFields, unknownMember: 1 }
  const reply = await platform.api.request('POST', '/frame-sessions', { partnerId, token: 'token-of-ada' })
  wallet.profile = {}
  expect(reply.status).toBe(201)
  expect(reply.body).toMatchObject({ profile: { userId: 'ada', currency: 'USD', isTest: true, customFields } })
  expect(wallet.of('profile').at(-1)?.body).toMatchObject({ token: 'token-of-ada' })
})

test.each(['a\u0000b', 'a\ud800', ''])(
  'the frame of a player whose userId is %j, which cannot be stored, returns 502',
  async (userId) => {
    wallet.next('profile', { body: { userId, currency: 'EUR' } })
    const { status, body } = await platform.api.request('POST', '/frame-sessions', { partnerId, token: newToken() })
    expect([status, body]).toEqual([502, expect.objectContaining({ code: 'partner_failed' })])
  },
)

test('the frame returns 422 for a player that the partner rejects, and 502 without an answer', async () => {
  const load = () => platform.api.request('POST', '/frame-sessions', { partnerId, token: newToken() })
  wallet.next(
    'profile',
    refusal(3),
    refusal(4),
    status(500),
    { body: '{}' },
    { body: { userId: 'x', currency: 'XXXXX' } },
  )
  const replies = [await load(), await load(), await load(), await load(), await load()]
  expect(replies.map((reply) => reply.status)).toEqual([422, 422, 502, 502, 502])
})

test('the scripted wallet detects calls that break the interface, so this suite can fail', async () => {
  const strict = await startScriptedWallet()
  const wire = partnerWire(strict.url, strict.secret)
  const bet = placeMessage({})
  await wire.call('POST', '/payment/bet', bet)
  expect(strict.faults).toEqual([])
  const broken: [string, string, Record<string, unknown>, string][] = [
    ['POST', 'amount', placeMessage({ amount: '10' }), 'schema'],
    ['POST', 'ip', placeMessage({ ip: 'here' }), 'schema'],
    ['POST', 'bonusId', placeMessage({ bonusId: undefined }), 'bonusId is missing'],
    ['POST', 'uuid', placeMessage({ transactionId: 'not-a-uuid' }), 'no uuid'],
    ['PUT', 'currency', rollbackMessage({ ...bet, type: 3, currency: 'USD' }), 'currency differs'],
    ['PUT', 'errorCode', rollbackMessage({ errorCode: 7 }), 'errorCode is not listed'],
    ['PUT', 'ip', rollbackMessage({ ip: '203.0.113.7' }), 'belongs to Place bet'],
    ['PUT', 'type', { type: 4 }, 'no call of the interface'],
  ]
  for (const [method, , message, fault] of broken) {
    strict.faults.length = 0
    await wire.call(method, '/payment/bet', message)
    expect(strict.faults.join(' ')).toContain(fault)
  }
  strict.faults.length = 0
  await wire.call('POST', '/payment/bet', placeMessage({}), { secret: 'another' })
  expect(strict.faults.join(' ')).toContain('signature')
  await expect(strict.stop()).rejects.toThrow('broke the interface')
})
