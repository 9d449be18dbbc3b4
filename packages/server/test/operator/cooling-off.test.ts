/**
 * A request that lifts an exclusion or raises a limit takes effect after hours, or when a second
 * person agrees (W-50).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asking, asking } from '../people/audited-calls.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FAR = '2099-01-01T00:00:00.000Z'
const PROTECTED = { status: 'blocked', selfExcludedUntil: FAR, limits: { stake: '100.00', betCount: 5 } }
let made = 0

const first = (wallet: TestWallet) => asking(wallet.url, wallet.operatorKey, '/operator/actions')
const patch = (by: Asking, userId: string, body: object, headers?: Record<string, string>) =>
  by.send('PATCH', `/operator/players/${userId}`, body, headers)
const read = (by: Asking, userId: string) => by.must('GET', `/operator/players/${userId}`)
const historyOf = async (by: Asking, userId: string, limit: number) =>
  (await by.must('GET', `/operator/players/${userId}/history?limit=${limit}`)).data

/** The player is blocked, excluded and limited. */
async function newPlayer(wallet: TestWallet): Promise<string> {
  const userId = `player-${++made}`
  await first(wallet).must('POST', '/operator/players', { userId, currency: 'EUR' })
  await first(wallet).must('PATCH', `/operator/players/${userId}`, PROTECTED)
  return userId
}

async function keyOf(wallet: TestWallet, name: string): Promise<Asking> {
  const { key } = await first(wallet).must('POST', '/operator/keys', { name, role: 'support' })
  return asking(wallet.url, String(key), '/operator/actions')
}

/** Each row has a request and the resulting member of the player. */
const LIFTS: readonly (readonly [string, object, string, unknown])[] = [
  ['the end of a block', { status: 'active' }, 'status', 'active'],
  ['the end of a self-exclusion', { selfExcludedUntil: null }, 'selfExcludedUntil', null],
  ['an earlier end', { selfExcludedUntil: '2090-01-01T00:00:00Z' }, 'selfExcludedUntil', '2090-01-01T00:00:00.000Z'],
  ['a higher limit', { limits: { stake: '100.001' } }, 'limits.stake', '100.001'],
  ['more bets', { limits: { betCount: 6 } }, 'limits.betCount', 6],
  ['a limit that is taken away', { limits: { stake: null } }, 'limits.stake', null],
]

describe('with hours of cooling off', () => {
  let wallet: TestWallet
  let anna: Asking
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_COOLING_OFF: '24h' } })
    anna = await keyOf(wallet, 'anna')
  })
  afterAll(() => wallet.stop())

  test.each(LIFTS)(
    '%s is applied by the same request after the hours, and not earlier',
    async (_, body, member, value) => {
      const userId = await newPlayer(wallet)
      const before = await read(anna, userId)
      const asked = await patch(anna, userId, body)
      const askedBy = { key: 'anna', person: 'anna' }
      expect(asked).toMatchObject({ status: 202, body: { ...before, waiting: [{ member, value, askedBy }] } })
      const [{ askedAt, from }] = (asked.body as { waiting: [{ askedAt: string; from: string }] }).waiting
      expect(Date.parse(from) - Date.parse(askedAt)).toBe(DAY_MS)
      wallet.clock.advance(DAY_MS - HOUR_MS)
      const early = await patch(anna, userId, body)
      expect(early, 'the hours count from the first request').toMatchObject({ status: 202, body: asked.body as object })
      expect(await read(anna, userId)).toEqual(asked.body)
      wallet.clock.advance(HOUR_MS)
      const done = await patch(anna, userId, body)
      expect(done.status).toBe(200)
      expect(done.body).not.toHaveProperty('waiting')
      expect(await read(anna, userId)).toEqual(done.body)
      expect(done.body).not.toEqual(before)
    },
  )

  test.each([
    ['a lower limit', { limits: { stake: '99.99' } }],
    ['a first limit', { limits: { loss: '10' } }],
    ['a later end of the self-exclusion', { selfExcludedUntil: '2100-01-01T00:00:00Z' }],
    ['the same limit with other digits', { limits: { stake: '100.0' } }],
    ['a member that protects nothing', { verified: true, isTest: true }],
  ])('%s is applied at once', async (_what, body) => {
    const answer = await patch(anna, await newPlayer(wallet), body)
    expect(answer.status).toBe(200)
    expect(answer.body).not.toHaveProperty('waiting')
  })

  test('a block and a self-exclusion are applied at once, and one whose time is over ends at once', async () => {
    const { userId } = await first(wallet).must('POST', '/operator/players', { userId: 'soon', currency: 'EUR' })
    const inAnHour = new Date(wallet.clock.now().getTime() + HOUR_MS).toISOString()
    for (const body of [{ status: 'blocked' }, { selfExcludedUntil: inAnHour }])
      expect((await patch(anna, String(userId), body)).status).toBe(200)
    wallet.clock.advance(2 * HOUR_MS)
    expect((await patch(anna, String(userId), { selfExcludedUntil: null })).status).toBe(200)
  })

  test('the stricter part of a request is applied at once, and the rest waits', async () => {
    const userId = await newPlayer(wallet)
    const body = { limits: { stake: '200', betCount: 4, loss: '50' }, verified: false }
    const answer = await patch(anna, userId, body)
    expect(answer).toMatchObject({
      ...{ status: 202 },
      body: { limits: { stake: '100.00', betCount: 4, loss: '50' }, verified: false },
    })
    expect((answer.body as { waiting: object[] }).waiting).toMatchObject([{ member: 'limits.stake', value: '200' }])
    wallet.clock.advance(DAY_MS)
    expect(await patch(anna, userId, body)).toMatchObject({ status: 200, body: { limits: { stake: '200' } } })
  })

  test('each member waits separately, and another value begins new hours', async () => {
    const userId = await newPlayer(wallet)
    await patch(anna, userId, { limits: { stake: '200' } })
    wallet.clock.advance(DAY_MS - HOUR_MS)
    expect((await patch(anna, userId, { status: 'active', limits: { betCount: null } })).status).toBe(202)
    wallet.clock.advance(HOUR_MS)
    const one = await patch(anna, userId, { limits: { stake: '200.00' } })
    expect(one).toMatchObject({ status: 200, body: { limits: { stake: '200.00', betCount: 5 } } })
    expect((one.body as { waiting: object[] }).waiting).toMatchObject([
      { member: 'status', value: 'active' },
      { member: 'limits.betCount', value: null },
    ])
    wallet.clock.advance(DAY_MS)
    expect((await patch(anna, userId, { limits: { betCount: 9 } })).status).toBe(202)
  })

  test('a request is withdrawn by the present value, by a stricter value, and after seven days', async () => {
    const userId = await newPlayer(wallet)
    const raise = { limits: { stake: '200' } }
    for (const [end, after] of [
      [{ limits: { stake: '100.00' } }, DAY_MS],
      [{ limits: { stake: '90' } }, DAY_MS],
      [{}, 8 * DAY_MS],
    ] as const) {
      expect((await patch(anna, userId, raise)).status).toBe(202)
      await patch(anna, userId, end)
      wallet.clock.advance(after)
      expect((await patch(anna, userId, raise)).status).toBe(202)
    }
  })

  test('the request and the change are in the history and the feed', async () => {
    const userId = await newPlayer(wallet)
    await patch(anna, userId, { limits: { stake: '200' } })
    await patch(anna, userId, { limits: { stake: '200' } })
    wallet.clock.advance(DAY_MS)
    await patch(anna, userId, { limits: { stake: '200' } })
    const waiting = { 'limits.stake': '200' }
    expect(await historyOf(anna, userId, 2)).toMatchObject([
      { before: { limits: { stake: '100.00' }, waiting }, after: { limits: { stake: '200' } } },
      { operation: 'changePlayer', key: { name: 'anna' }, before: {}, after: { waiting } },
    ])
    const { data } = await first(wallet).must('GET', '/operator/changes?limit=500')
    const events = (data as { player?: { userId: string; changed?: string[] } }[]).map(({ player }) => player)
    const ofPlayer = events.filter((player) => player?.userId === userId).map((player) => player?.changed)
    expect(ofPlayer.slice(-2)).toEqual([['waiting'], ['limits', 'waiting']])
  })
})

describe('with a second person for cooling off', () => {
  let wallet: TestWallet
  let anna: Asking
  let ben: Asking
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_COOLING_OFF: 'second-person' } })
    ;[anna, ben] = [await keyOf(wallet, 'anna'), await keyOf(wallet, 'ben')]
  })
  afterAll(() => wallet.stop())

  test('a lift is applied only by the same request of another person', async () => {
    const userId = await newPlayer(wallet)
    const body = { limits: { stake: '200' }, selfExcludedUntil: null }
    const asked = await patch(anna, userId, body)
    expect(asked.status).toBe(202)
    expect((asked.body as { waiting: object[] }).waiting[0]).not.toHaveProperty('from')
    wallet.clock.advance(6 * DAY_MS)
    expect((await patch(anna, userId, body)).status).toBe(202)
    expect((await patch(anna, userId, body, { 'x-purser-person': 'ben' })).status, 'one key is one person').toBe(202)
    expect((await patch(ben, userId, body, { 'x-purser-person': 'ANNA' })).status, 'one name is one person').toBe(202)
    expect((await patch(ben, userId, { limits: { stake: '300' } })).status, 'another value is a new request').toBe(202)
    const done = await patch(anna, userId, { limits: { stake: '300' } })
    expect(done).toMatchObject({ status: 200, body: { limits: { stake: '300' }, selfExcludedUntil: FAR } })
    const last = await patch(ben, userId, { selfExcludedUntil: null })
    expect(last.status).toBe(200)
    expect(last.body).not.toHaveProperty('selfExcludedUntil')
  })

  test('concurrent requests are applied in turn: two persons make the change, one person does not', async () => {
    const [byTwo, byOne] = [await newPlayer(wallet), await newPlayer(wallet)]
    const body = { limits: { stake: '200' } }
    const two = await Promise.all([anna, ben].map((by) => patch(by, byTwo, body)))
    expect(two.map(({ status }) => status).sort()).toEqual([200, 202])
    expect(await read(anna, byTwo)).toMatchObject({ limits: { stake: '200' } })
    const one = await Promise.all(Array.from({ length: 4 }, () => patch(anna, byOne, body)))
    expect(one.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    expect(await read(anna, byOne)).toMatchObject({ limits: { stake: '100.00' } })
    expect(await historyOf(anna, byOne, 5), 'created, protected, and asked for once').toHaveLength(3)
  })
})
