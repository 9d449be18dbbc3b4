/**
 * The operator API creates a player once, reads the player, and changes each member of the profile
 * separately.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperatorReply, untilFree } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, rowsOf } from './answers.ts'

let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_CURRENCIES: 'USD:4,GOLD:0' } })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const create = (body: object) => untilFree(() => ask('POST', '/operator/players', body))
const read = (userId: string) => ask('GET', pathOf(userId))
const change = (userId: string, body: object) => ask('PATCH', pathOf(userId), body)
const pathOf = (userId: string) => `/operator/players/${encodeURIComponent(userId)}`
const newId = () => `player-${randomUUID()}`

async function ask(method: string, path: string, sent?: object): Promise<OperatorReply> {
  const { status, body } = await wallet.operator.request(method, path, sent)
  return { status, body }
}

async function created(over: object = {}): Promise<string> {
  const { userId } = await wallet.operator.createPlayer({ ...over })
  return userId
}

describe('the creation of a player', () => {
  test('answers 201 with all fields, and reading answers the same', async () => {
    const customFields = { nickname: 'Ada', birthday: '1815-12-10', isVIP: 1, favouriteTeam: { name: 'Brann' } }
    const body = {
      userId: newId(),
      currency: 'EUR',
      currencies: ['EUR', 'BTC', 'GOLD'],
      isTest: true,
      operatorUser: 'op-7',
      customFields,
    }
    const reply = await create(body)
    expect(reply).toEqual({
      status: 201,
      body: { ...body, status: 'active', limits: {}, createdAt: expect.any(String) },
    })
    expect(await read(body.userId)).toEqual({ status: 200, body: reply.body })
  })

  test('requires only an id and a currency', async () => {
    const userId = newId()
    const { status, body } = await create({ userId, currency: 'EUR' })
    const expected = { userId, currency: 'EUR', currencies: ['EUR'], status: 'active', isTest: false, limits: {} }
    expect({ status, body }).toEqual({ status: 201, body: { ...expected, createdAt: expect.any(String) } })
  })

  test('answers 200 with the first player when repeated with the same data, and 409 with other data', async () => {
    const body = { userId: newId(), currency: 'EUR', currencies: ['EUR', 'USD'], customFields: { nickname: 'A' } }
    const first = await create(body)
    wallet.clock.advance(60_000)
    expect(await create(body)).toEqual({ status: 200, body: first.body })
    expectProblem(await create({ ...body, currency: 'USD' }), 409, 'player_differs')
    expectProblem(await create({ ...body, customFields: { nickname: 'B' } }), 409, 'player_differs')
    expectProblem(await create({ ...body, isTest: true }), 409, 'player_differs')
    expect(await read(body.userId)).toEqual({ status: 200, body: first.body })
  })

  test('answers the first player when the currencies come in another order', async () => {
    const body = { userId: newId(), currency: 'EUR', currencies: ['USD', 'EUR', 'BTC'] }
    const first = await create(body)
    expect(await create({ ...body, currencies: ['BTC', 'EUR', 'USD'] })).toEqual({ status: 200, body: first.body })
    expectProblem(await create({ ...body, currencies: ['EUR', 'USD'] }), 409, 'player_differs')
  })

  test('makes one player of ten concurrent requests: one 201, nine 200', async () => {
    const body = { userId: newId(), currency: 'EUR' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => create(body)))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201])
  })

  test('opens an empty account in each currency', async () => {
    const userId = await created({ currency: 'EUR', currencies: ['USD', 'EUR', 'BTC', 'GOLD'] })
    const amounts = { BTC: '0.00000000', EUR: '0.00', GOLD: '0', USD: '0.0000' }
    const balances = Object.entries(amounts).map(([currency, amount]) => ({ currency, amount }))
    expect(await ask('GET', `${pathOf(userId)}/balances`)).toEqual({
      status: 200,
      body: { balances },
    })
  })

  test.each(['a', 'ø'.repeat(64), 'with space', 'a/b?c#d%', '..', "'; drop table purser.player; --", 'x'.repeat(64)])(
    'accepts the id %s unchanged',
    async (prefix) => {
      const userId = prefix.length < 20 ? `${prefix}${randomUUID().slice(0, 8)}` : prefix
      expect((await create({ userId, currency: 'EUR' })).status).toBe(201)
      expect((await read(userId)).body).toMatchObject({ userId })
    },
  )

  const valid = { userId: 'somebody-else', currency: 'EUR' }
  const faulty: [string, object, string[]][] = [
    ['no members', {}, ['']],
    ['an empty id', { ...valid, userId: '' }, ['/userId']],
    ['an id of 65 characters', { ...valid, userId: 'x'.repeat(65) }, ['/userId']],
    ['an id that the wire could not name', { ...valid, userId: '😀'.repeat(33) }, ['/userId']],
    ['an id with a NUL', { ...valid, userId: 'a\u0000b' }, ['/userId']],
    ['an id with half a character', { ...valid, userId: 'a\ud83d' }, ['/userId']],
    ['a number for an id', { ...valid, userId: 7 }, ['/userId']],
    ['an unknown member', { ...valid, name: 'Ada' }, ['/name']],
    ['an unknown currency', { ...valid, currency: 'ABC' }, ['/currency']],
    ['a currency in small letters', { ...valid, currency: 'eur' }, ['/currency']],
    ['an unknown one among the currencies', { ...valid, currencies: ['EUR', 'ABC'] }, ['/currencies/1']],
    ['currencies without the currency', { ...valid, currencies: ['USD'] }, ['/currencies']],
    ['no currencies', { ...valid, currencies: [] }, ['/currencies']],
    ['a currency twice', { ...valid, currencies: ['EUR', 'EUR'] }, ['/currencies']],
    ['an operatorUser with a space', { ...valid, operatorUser: 'a b' }, ['/operatorUser']],
    [
      'a profile field of the wrong type',
      { ...valid, customFields: { isVerified: 'yes' } },
      ['/customFields/isVerified'],
    ],
    ['a country that is no code', { ...valid, customFields: { userCountry: 'Norway' } }, ['/customFields/userCountry']],
    ['two faults', { ...valid, isTest: 'no', customFields: [] }, ['/isTest', '/customFields']],
  ]
  test.each(faulty)('is 400 with %s and creates no player', async (_name, body, pointers) => {
    expectProblem(await create(body), 400, 'invalid_request', pointers)
    expectProblem(await read('somebody-else'), 404, 'not_found')
  })
})

describe('a change of a player', () => {
  /** The members that the patch changed. */
  async function effectOf(userId: string, patch: object): Promise<JsonObject> {
    const before = (await read(userId)).body as JsonObject
    const reply = await change(userId, patch)
    expect(reply.status).toBe(200)
    expect(await read(userId)).toEqual(reply)
    const after = reply.body as JsonObject
    const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const changed = members.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
  }

  test('changes the named members and nothing else', async () => {
    const userId = await created({ customFields: { nickname: 'Ada' }, operatorUser: 'op-1', isTest: true })
    expect(await effectOf(userId, {})).toEqual({})
    expect(await effectOf(userId, { status: 'blocked' })).toEqual({ status: 'blocked' })
    expect(await effectOf(userId, { verified: false })).toEqual({ verified: false })
    expect(await effectOf(userId, { birthday: '2000-02-29' })).toEqual({ birthday: '2000-02-29' })
    const until = '2031-05-16T10:00:00.000Z'
    expect(await effectOf(userId, { selfExcludedUntil: '2031-05-16T12:00:00+02:00' })).toEqual({
      selfExcludedUntil: until,
    })
    expect(await effectOf(userId, { operatorUser: 'op-2', isTest: false })).toEqual({
      operatorUser: 'op-2',
      isTest: false,
    })
    expect(await effectOf(userId, { status: 'active' })).toEqual({ status: 'active' })
  })

  test('removes an optional member with null', async () => {
    const userId = await created({ operatorUser: 'op-1', isTest: true, customFields: { nickname: 'Ada' } })
    await change(userId, { verified: true, birthday: '2000-01-01', selfExcludedUntil: '2031-05-16T12:00:00Z' })
    for (const member of ['verified', 'birthday', 'selfExcludedUntil', 'operatorUser', 'customFields']) {
      expect(await effectOf(userId, { [member]: null })).toEqual({ [member]: null })
    }
    expect(await effectOf(userId, { isTest: null })).toEqual({ isTest: false })
  })

  test('merges limits member by member', async () => {
    const userId = await created()
    expect(await effectOf(userId, { limits: { stake: '100.00', betCount: 5 } })).toEqual({
      limits: { stake: '100.00', betCount: 5 },
    })
    expect(await effectOf(userId, { limits: { loss: '50' } })).toEqual({
      limits: { stake: '100.00', betCount: 5, loss: '50' },
    })
    expect(await effectOf(userId, { limits: { stake: null, betCount: 0 } })).toEqual({
      limits: { betCount: 0, loss: '50' },
    })
    expect(await effectOf(userId, { limits: { betCount: null, loss: null } })).toEqual({ limits: {} })
  })

  test('merges profile fields member by member, unknown ones too', async () => {
    const userId = await created({ customFields: { nickname: 'Ada', phone: '1' } })
    const merged = { nickname: 'Ada', phone: '2', favouriteTeam: 'Brann' }
    expect(await effectOf(userId, { customFields: { phone: '2', favouriteTeam: 'Brann' } })).toEqual({
      customFields: merged,
    })
    expect(await effectOf(userId, { customFields: { phone: null, favouriteTeam: null } })).toEqual({
      customFields: { nickname: 'Ada' },
    })
  })

  test('adds currencies with an account each, and keeps the money of a removed currency', async () => {
    const userId = await created({ currency: 'EUR', currencies: ['EUR', 'USD'] })
    await wallet.operator.deposit(userId, '5.00', 'USD')
    expect(await effectOf(userId, { currencies: ['EUR', 'BTC'] })).toEqual({ currencies: ['EUR', 'BTC'] })
    expect(await wallet.operator.balance(userId, 'BTC')).toBe('0.00000000')
    expect(await wallet.operator.balance(userId, 'USD')).toBe('5.0000')
  })

  test('appears in the profile at once, which contains only what the operator stored', async () => {
    const userId = await created()
    const token = await wallet.operator.session(userId)
    await change(userId, { customFields: { nickname: 'Ada', isVerified: true }, isTest: true })
    const { body } = await wallet.wire.profile(token)
    const customFields = { nickname: 'Ada', isVerified: true }
    expect(body).toEqual({ userId, currency: 'EUR', currencies: ['EUR', 'USD'], isTest: true, customFields })
  })

  test('is not lost when twenty are concurrent', async () => {
    const userId = await created()
    const names = Array.from({ length: 20 }, (_, i) => `field${i}`)
    await Promise.all(names.map((name) => wallet.operator.patch(userId, { customFields: { [name]: true } })))
    const { customFields } = (await read(userId)).body as JsonObject
    expect(Object.keys(customFields as JsonObject).sort()).toEqual(names.sort())
  })

  const faulty: [string, object, string[]][] = [
    ['an unknown status', { status: 'asleep' }, ['/status']],
    ['a status of null', { status: null }, ['/status']],
    ['an unknown member', { currency: 'USD' }, ['/currency']],
    ['an unknown limit', { limits: { win: '1.00' } }, ['/limits/win']],
    ['a limit that is a number', { limits: { stake: 100 } }, ['/limits/stake']],
    ['a negative limit', { limits: { loss: '-1' } }, ['/limits/loss']],
    ['half a bet', { limits: { betCount: 1.5 } }, ['/limits/betCount']],
    ['a day that does not exist', { birthday: '2001-02-29' }, ['/birthday']],
    ['a time without a zone', { selfExcludedUntil: '2031-05-16T12:00:00' }, ['/selfExcludedUntil']],
    ['a leap second', { selfExcludedUntil: '2031-06-30T23:59:60Z' }, ['/selfExcludedUntil']],
    ['the year 0', { selfExcludedUntil: '0000-01-01T00:00:00Z' }, ['/selfExcludedUntil']],
    ['an unknown currency', { currencies: ['EUR', 'ABC'] }, ['/currencies/1']],
    ['currencies without the active one', { currencies: ['USD'] }, ['/currencies']],
    ['a profile field of the wrong type', { customFields: { avgBet: 'much' } }, ['/customFields/avgBet']],
  ]
  test.each(faulty)('to %s is 400 and changes nothing', async (_name, patch, pointers) => {
    const userId = await created()
    const before = await read(userId)
    expectProblem(await change(userId, { verified: true, ...patch }), 400, 'invalid_request', pointers)
    expect(await read(userId)).toEqual(before)
  })
})

test('is refused with one sentence that names the correct form', async () => {
  const { body } = await create({
    userId: 'x',
    currency: 'EUR',
    customFields: { gender: 'x', userSessionIp: 'here' },
    age: 7,
  })
  expect(rowsOf(body, 'errors')).toEqual([
    { pointer: '/age', detail: 'is not a member of this request' },
    { pointer: '/customFields/gender', detail: 'must be one of female, male, no data' },
    { pointer: '/customFields/userSessionIp', detail: 'must match format "ipv4" or must match format "ipv6"' },
  ])
})

test('keeps texts that databases and browsers often break', async () => {
  const customFields = {
    nickname: "<script>alert('x')</script>",
    firstName: 'Zoë 💶 \u202e',
    lastName: 'a\u0000b',
    email: 'a"b\\c',
  }
  const userId = newId()
  expect((await create({ userId, currency: 'EUR', customFields })).status).toBe(201)
  expect((await read(userId)).body).toMatchObject({ customFields })
})
