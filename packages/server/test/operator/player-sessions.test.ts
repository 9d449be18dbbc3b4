/**
 * A player's session has a token with a fixed form, a currency and an end. A switch of the currency
 * starts a session with a new token (P-1).
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type JsonObject, replyCode } from '../support/wire.ts'
import { expectProblem } from './answers.ts'

describe.each(['1', '4'])('the sessions of a player with %s buckets', (buckets) => {
  let wallet: TestWallet
  let sql: pg.Client

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
    sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
  })
  afterAll(async () => {
    await sql.end()
    await wallet.stop()
  })

  const start = (userId: string, body?: object) =>
    wallet.operator.request('POST', `/operator/players/${userId}/sessions`, body)
  const endAll = (userId: string) => wallet.operator.request('DELETE', `/operator/players/${userId}/sessions`)
  const turn = (userId: string, body: object) =>
    wallet.operator.request('POST', `/operator/players/${userId}/currency`, body)
  const newPlayer = async () => (await wallet.operator.createPlayer()).userId
  const codeFor = async (token: string) => replyCode(await wallet.wire.profile(token))
  const place = (userId: string, token: string, currency: string) =>
    wallet.wire.place({ userId, token, currency, transactionId: randomUUID(), amount: 1 })

  test('begin with a token of 43 base64url characters that is valid for a day', async () => {
    const userId = await newPlayer()
    const before = wallet.clock.now().getTime()
    const { status, body } = await start(userId, {})
    const { token, expiresAt, ...rest } = body as { token: string; expiresAt: string }
    expect({ status, rest }).toEqual({ status: 201, rest: { userId, currency: 'EUR' } })
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(new Date(expiresAt).getTime() - before).toBeGreaterThanOrEqual(86_400_000)
    expect(new Date(expiresAt).getTime() - before).toBeLessThan(86_410_000)
    expect((await wallet.wire.profile(token)).body).toMatchObject({ userId, currency: 'EUR' })
  })

  test('can be started without a body', async () => {
    const userId = await newPlayer()
    expect((await start(userId)).status).toBe(201)
  })

  test('have tokens that never repeat and are stored only as a hash', async () => {
    const userId = await newPlayer()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => wallet.operator.session(userId)))
    expect(new Set(tokens).size).toBe(20)
    const { rows } = await sql.query('select s::text as row from purser.session s where player = $1', [userId])
    expect(rows).toHaveLength(20)
    const stored = rows.map(({ row }) => row).join('\n')
    expect(tokens.filter((token) => stored.includes(token))).toEqual([])
  })

  test('exist side by side, each bound to its currency', async () => {
    const userId = await newPlayer()
    const [euro, dollar] = [
      await wallet.operator.session(userId),
      await wallet.operator.session(userId, { currency: 'USD' }),
    ]
    expect((await wallet.wire.profile(euro)).body).toMatchObject({ currency: 'EUR' })
    expect((await wallet.wire.profile(dollar)).body).toMatchObject({ currency: 'USD' })
    await wallet.operator.deposit(userId, '5.00', 'USD')
    expect(replyCode(await place(userId, euro, 'USD'))).toBe(5)
    expect((await place(userId, dollar, 'USD')).status).toBe(200)
  })

  test('keep their origin in the profile, as it was given', async () => {
    const userId = await newPlayer()
    const token = await wallet.operator.session(userId, { ip: '2001:db8::7', country: 'NO' })
    const { body } = await wallet.wire.profile(token)
    expect((body as JsonObject).customFields).toEqual({ userSessionIp: '2001:db8::7', userSessionCountry: 'NO' })
  })

  test('expire at their time, to the second', async () => {
    const userId = await newPlayer()
    const token = await wallet.operator.session(userId, { ttlSeconds: 600 })
    wallet.clock.advance(599_000)
    expect(await codeFor(token)).toBeUndefined()
    wallet.clock.advance(1_000)
    expect(await codeFor(token)).toBe(4)
  })

  test('are listed newest first with their start, end and persons, and without a token', async () => {
    const userId = await newPlayer()
    const path = `/operator/players/${userId}/sessions`
    const tokens: string[] = []
    const begin = async (body?: Record<string, unknown>) => tokens.push(await wallet.operator.session(userId, body))
    await begin({ ttlSeconds: 60, ip: '203.0.113.9' })
    wallet.clock.advance(60_000)
    await begin()
    wallet.clock.advance(1_000)
    const named = { 'x-purser-person': 'maria', 'x-purser-reason': 'lost the phone' }
    await fetch(wallet.url + path, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${wallet.operatorKey}`, ...named },
    })
    await begin()
    wallet.clock.advance(1_000)
    expect((await turn(userId, { currency: 'USD' })).status).toBe(200)
    const { body } = await wallet.operator.request('GET', path)
    const { data } = body as { data: JsonObject[] }
    const by = { key: 'OPERATOR_API_KEY' }
    expect(data).toMatchObject([
      { status: 'live', currency: 'USD', begunBy: { operation: 'switchCurrency', ...by } },
      { status: 'ended', currency: 'EUR', endedBy: { operation: 'switchCurrency', ...by } },
      { status: 'ended', endedBy: { operation: 'endSessions', person: 'maria', reason: 'lost the phone', ...by } },
      { status: 'expired', begunBy: { operation: 'startSession', ...by }, ip: '203.0.113.9' },
    ])
    expect(data[3]).not.toHaveProperty('endedAt')
    expect(tokens.filter((token) => JSON.stringify(body).includes(token))).toEqual([])
    const pages: unknown[] = []
    for (let after = ''; pages.length < 4; ) {
      const page = (await wallet.operator.request('GET', `${path}?limit=1${after}`)).body as JsonObject
      pages.push(...(page.data as unknown[]))
      after = `&after=${page.next}`
    }
    expect(pages).toEqual(data)
    expectProblem(await wallet.operator.request('GET', `${path}?after=yesterday`), 400, 'invalid_request')
  })

  test('are all ended by one call, and a new one can be started', async () => {
    const [userId, other] = [await newPlayer(), await newPlayer()]
    const tokens = [await wallet.operator.session(userId), await wallet.operator.session(userId, { currency: 'USD' })]
    const untouched = await wallet.operator.session(other)
    expect((await endAll(userId)).status).toBe(204)
    expect((await endAll(userId)).status).toBe(204)
    expect(await Promise.all(tokens.map(codeFor))).toEqual([4, 4])
    expect(await codeFor(untouched)).toBeUndefined()
    expect(await codeFor(await wallet.operator.session(userId))).toBeUndefined()
  })

  test('of the old currency end at a switch, which returns a token of the new currency', async () => {
    const userId = await newPlayer()
    const old = [await wallet.operator.session(userId), await wallet.operator.session(userId, { currency: 'USD' })]
    const { status, body } = await turn(userId, { currency: 'USD', ttlSeconds: 60 })
    const { token, expiresAt, ...rest } = body as { token: string; expiresAt: string }
    expect({ status, rest }).toEqual({ status: 200, rest: { userId, currency: 'USD' } })
    expect(new Date(expiresAt).getTime() - wallet.clock.now().getTime()).toBeLessThanOrEqual(60_000)
    expect(await Promise.all(old.map(codeFor))).toEqual([4, 4])
    expect((await wallet.wire.profile(token)).body).toMatchObject({
      userId,
      currency: 'USD',
      currencies: ['EUR', 'USD'],
    })
    const player = await wallet.operator.request('GET', `/operator/players/${userId}`)
    expect(player.body).toMatchObject({ currency: 'USD' })
    expect((await start(userId)).body).toMatchObject({ currency: 'USD' })
  })

  test('leave exactly one valid token, the last one, after concurrent switches', async () => {
    const userId = await newPlayer()
    const currencies = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? 'EUR' : 'USD'))
    const tokens = await Promise.all(currencies.map((currency) => wallet.operator.switchCurrency(userId, currency)))
    const codes = await Promise.all(tokens.map(codeFor))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === 4)).toHaveLength(7)
    const { currency } = (await wallet.operator.request('GET', `/operator/players/${userId}`)).body as JsonObject
    expect(currencies[codes.indexOf(undefined)]).toBe(currency)
  })

  test('of another currency keep the money and bets of the old currency', async () => {
    const userId = await newPlayer()
    await wallet.operator.deposit(userId, '10.00', 'EUR')
    const transactionId = randomUUID()
    await wallet.wire.place({ userId, token: await wallet.operator.session(userId), transactionId, amount: 4 })
    await turn(userId, { currency: 'USD' })
    expect((await wallet.wire.rollback({ userId, transactionId, amount: 4 })).status).toBe(200)
    expect(await wallet.operator.balance(userId, 'EUR')).toBe('10.00')
    await wallet.auditIsClean()
  })

  const faulty: [string, object, number, string[] | undefined][] = [
    ['a currency that is not hers', { currency: 'SEK' }, 409, undefined],
    ['a currency that nobody has', { currency: 'ABC' }, 400, ['/currency']],
    ['an unknown member', { currency: 'USD', ttl: 5 }, 400, ['/ttl']],
    ['no time at all', { currency: 'USD', ttlSeconds: 0 }, 400, ['/ttlSeconds']],
    ['half a second', { currency: 'USD', ttlSeconds: 0.5 }, 400, ['/ttlSeconds']],
    ['more than a year', { currency: 'USD', ttlSeconds: 31_536_001 }, 400, ['/ttlSeconds']],
    ['an address that is none', { currency: 'USD', ip: '1.2.3' }, 400, ['/ip']],
    ['a country that is no code', { currency: 'USD', country: 'no' }, 400, ['/country']],
  ]
  test.each(faulty)(
    'refuse %s at a start and at a switch, which then ends no session',
    async (_name, body, status, pointers) => {
      const userId = await newPlayer()
      const token = await wallet.operator.session(userId)
      const code = status === 409 ? 'currency_not_available' : 'invalid_request'
      expectProblem(await start(userId, body), status, code, pointers)
      expectProblem(await turn(userId, body), status, code, pointers)
      expect(await codeFor(token)).toBeUndefined()
    },
  )

  test('require a currency for a switch', async () => {
    expectProblem(await turn(await newPlayer(), {}), 400, 'invalid_request', [''])
  })
})
