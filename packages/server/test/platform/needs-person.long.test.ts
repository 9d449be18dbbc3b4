/**
 * The platform lists deliveries that need a user's attention (C-9), with their money, filters and
 * metrics. A bulk retry sends them again (W-16).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DeliveryView } from '../support/platform.ts'
import { refusal, status } from '../support/scripted-wallet.ts'
import type { Json } from '../support/wire.ts'
import { type Scene, startScene } from './scene.ts'

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

/** Each test has its own partner and thus its own list. */
beforeEach(async () => {
  const { wallet, partnerId } = await scene.platform.partner()
  Object.assign(scene, { wallet, partnerId, frame: await scene.api.loadFrame(partnerId) })
})

async function aBetOf(over: Record<string, unknown> = {}): Promise<string> {
  return (await scene.api.place(scene.frame, over)).betId
}

const list = (query = '') => scene.api.deliveries(`?needsAttention=true&partnerId=${scene.partnerId}&limit=500${query}`)
const betsOf = (deliveries: DeliveryView[]) => deliveries.map(({ betId }) => betId)
const line = ({ betId, operation, status, code, amount, currency }: DeliveryView) =>
  [betId, operation, status, code, amount, currency] as const

async function retry(body: object = {}): Promise<Record<string, Json>> {
  const reply = await scene.api.request('POST', '/deliveries/retry', { partnerId: scene.partnerId, ...body })
  expect(reply.status).toBe(200)
  return reply.body as Record<string, Json>
}

/** A bet whose settle is rejected with this code. */
async function settledBet(code: number, payout = '21.00'): Promise<string> {
  const betId = await aBetOf()
  scene.wallet.next('settle', refusal(code))
  await scene.api.settle(betId, 'won', payout)
  await scene.time.advance(SECOND_MS / 2)
  return betId
}

/** A bet of each kind, in the order of the faults. */
async function oneOfEach(): Promise<Record<'refused' | 'owed' | 'unsettle' | 'rollback' | 'stuck', string>> {
  const { api, wallet, time } = scene
  const stuck = await aBetOf({ amount: '12.00' })
  const failures = Array.from({ length: 10 }, () => status(500))
  wallet.next('rollback', ...failures)
  await api.cancel(stuck, 32)
  await time.advance(7 * MINUTE_MS)
  wallet.next('settle', refusal(20))
  const refused = await aBetOf()
  await api.settle(refused, 'won', '21.00')
  await time.advance(SECOND_MS)
  const unsettle = await aBetOf()
  await api.settle(unsettle, 'won', '19.50')
  await time.advance(SECOND_MS)
  wallet.next('unsettle', refusal(21))
  await api.unsettle(unsettle)
  await time.advance(SECOND_MS)
  const rollback = await aBetOf({ amount: '11.00' })
  wallet.next('rollback', refusal(100))
  await api.cancel(rollback, 32)
  await time.advance(SECOND_MS)
  wallet.always('settle', refusal(1))
  const owed = await aBetOf()
  await api.settle(owed, 'won', '30.00')
  await time.advance(SECOND_MS)
  return { refused, owed, unsettle, rollback, stuck }
}

test('the list contains rejected, stuck, and owed deliveries in retry, newest fault first, each with its money', async () => {
  scene.wallet.next('place', refusal(7), status(500))
  await aBetOf() // an ordinary decline
  await aBetOf() // unknown outcome, rolled back
  await scene.time.advance(SECOND_MS) // otherwise that rollback may use an answer for the stuck one
  expect(scene.wallet.of('rollback')).toHaveLength(1)
  const bets = await oneOfEach()
  expect((await list()).map(line)).toEqual([
    [bets.owed, 'settle', 'pending', 1, '30.00', 'EUR'],
    [bets.rollback, 'rollback', 'refused', 100, '11.00', 'EUR'],
    [bets.unsettle, 'unsettle', 'refused', 21, '19.50', 'EUR'],
    [bets.refused, 'settle', 'refused', 20, '21.00', 'EUR'],
    [bets.stuck, 'rollback', 'stuck', undefined, '12.00', 'EUR'],
  ])
  expect(betsOf(await list('&status=stuck,pending'))).toEqual([bets.owed, bets.stuck])
  expect(betsOf(await list('&status=refused&operation=rollback'))).toEqual([bets.rollback])
  expect(betsOf(await list('&operation=settle'))).toEqual([bets.owed, bets.refused])
  expect(betsOf(await list('&code=21'))).toEqual([bets.unsettle])
  expect(await list('&code=22')).toEqual([])
  expect(betsOf(await list('&code=none'))).toEqual([bets.stuck])
  expect(await scene.api.deliveries(`?needsAttention=true&partnerId=${randomUUID()}`)).toEqual([])
})

test('the pages of the list follow each other while owed deliveries are retried', async () => {
  scene.wallet.always('settle', refusal(100))
  const bets = []
  for (let i = 0; i < 5; i++) {
    bets.unshift(await aBetOf())
    await scene.api.settle(bets[0] as string, 'won', '21.00')
    await scene.time.advance(SECOND_MS)
  }
  const found = []
  for (let after = ''; ; ) {
    const path = `/deliveries?needsAttention=true&partnerId=${scene.partnerId}&limit=2${after}`
    const page = (await scene.api.request('GET', path)).body as unknown as {
      data: DeliveryView[]
      next: string | null
    }
    found.push(...betsOf(page.data))
    if (page.next === null) break
    after = `&after=${encodeURIComponent(page.next)}`
    await scene.time.advance(MINUTE_MS)
  }
  expect(found).toEqual(bets)
})

test('the list has no delivery that a later one replaced, that withdrew itself, or that was acknowledged', async () => {
  const { api, wallet, time } = scene
  const overtaken = await settledBet(20)
  const cashedOut = await aBetOf()
  wallet.next('settle', refusal(4))
  await api.settle(cashedOut, 'cashout', '7.00')
  await time.advance(SECOND_MS)
  await settledBet(100)
  // a transport failure is no answer of the partner, and is retried
  wallet.next('settle', status(500))
  await api.settle(await aBetOf(), 'won', '21.00')
  await time.settle()
  expect(betsOf(await list())).toHaveLength(2)
  await api.settle(overtaken, 'refund', '10.00')
  await time.advance(2 * MINUTE_MS)
  expect(await list()).toEqual([])
})

test('a result without an answer for six minutes is in the list until it has one (W-48)', async () => {
  const { api, wallet, time } = scene
  const betId = await aBetOf()
  wallet.always('settle', status(500))
  await api.settle(betId, 'won', '21.00')
  await time.advance(6 * MINUTE_MS - SECOND_MS)
  expect(await list()).toEqual([])
  await time.advance(MINUTE_MS + SECOND_MS) // its next attempt
  expect((await list()).map(line)).toEqual([[betId, 'settle', 'pending', undefined, '21.00', 'EUR']])
  expect(betsOf(await list('&code=none'))).toEqual([betId])
  wallet.always('settle', {})
  await time.advance(MINUTE_MS)
  expect(await list()).toEqual([])
})

test('a delivery that was answered 400 stays in its place when the next attempts have no answer', async () => {
  const { api, wallet, time } = scene
  const betId = await settledBet(100)
  wallet.always('settle', status(500))
  const [first] = await list()
  const later = await aBetOf()
  wallet.next('settle', refusal(20))
  await api.settle(later, 'won', '21.00')
  await time.advance(2 * SECOND_MS)
  const now = await list()
  expect(betsOf(now)).toEqual([later, betId])
  expect(now[1]?.needsAttentionSince).toBe(first?.needsAttentionSince)
})

test('a delivery that was answered 400 with an unstorable code, or without one, is in the list', async () => {
  const betIds = [await aBetOf(), await aBetOf()]
  scene.wallet.next('settle', refusal(2 ** 40), { status: 400, body: '<html>no</html>' })
  for (const betId of betIds) {
    await scene.api.settle(betId, 'won', '21.00')
    await scene.time.settle()
  }
  expect(betsOf(await list()).sort()).toEqual([...betIds].sort())
})

test('GET /deliveries filters by operation and code, and omits declined Place bets unless they are requested', async () => {
  scene.wallet.next('place', refusal(7))
  const declined = await aBetOf()
  const betId = await settledBet(20)
  const of = (query: string) => scene.api.deliveries(`?partnerId=${scene.partnerId}${query}`)
  expect(betsOf(await of('&status=refused'))).toEqual([betId])
  expect(betsOf(await of(''))).toEqual([betId, betId])
  expect(betsOf(await of('&status=refused&operation=place'))).toEqual([declined])
  expect(betsOf(await of('&status=done,refused&operation=place'))).toEqual([betId, declined])
  expect(betsOf(await of('&operation=settle&code=20'))).toEqual([betId])
  expect(betsOf(await of('&code=21'))).toEqual([])
})

test('a dry run counts the deliveries to retry, with their money, and changes nothing', async () => {
  const bets = await oneOfEach()
  const before = await list()
  const calls = scene.wallet.requests.length
  expect(await retry({ dryRun: true })).toEqual({
    dryRun: true,
    count: 4,
    money: [{ currency: 'EUR', amount: '63.50', takeBack: '19.50' }],
    taken: 0,
    notTaken: { stillTried: 1, changed: 0 },
  })
  expect(await retry({ dryRun: true, code: 20 })).toMatchObject({ count: 1, money: [{ amount: '21.00' }] })
  expect(await retry({ dryRun: true, status: 'done' })).toMatchObject({ count: 0, money: [] })
  expect(await retry({ dryRun: true, operation: 'rollback' })).toMatchObject({ count: 2 })
  expect(await retry({ dryRun: true, operation: 'rollback', code: null })).toMatchObject({
    count: 1,
    money: [{ amount: '12.00' }],
  })
  expect(await list()).toEqual(before)
  expect(scene.wallet.requests.length).toBe(calls)
  expect(betsOf(before)).toContain(bets.stuck)
})

test('the deliveries that match the filters are retried with the same bytes, and leave the list (W-16)', async () => {
  const bets = await oneOfEach()
  expect(await retry({ operation: 'rollback' })).toMatchObject({ count: 2, taken: 2, notTaken: { stillTried: 0 } })
  await scene.time.advance(SECOND_MS)
  expect(betsOf(await list())).toEqual([bets.owed, bets.unsettle, bets.refused])
  expect(new Set(scene.wallet.of('rollback', bets.stuck).map(({ text }) => text)).size).toBe(1)
  scene.wallet.always('settle', {})
  expect(await retry()).toMatchObject({ count: 2, taken: 2, notTaken: { stillTried: 1, changed: 0 } })
  await scene.time.advance(2 * MINUTE_MS)
  expect(await list()).toEqual([])
  const { deliveries } = await scene.api.bet(bets.unsettle)
  expect(deliveries.map((d) => d.status)).toEqual(['done', 'done', 'done'])
})

test('a delivery that fails again is in the list again', async () => {
  const betId = await settledBet(20)
  scene.wallet.next('settle', refusal(21))
  expect(await retry()).toMatchObject({ taken: 1 })
  await scene.time.advance(SECOND_MS)
  expect((await list()).map(line)).toEqual([[betId, 'settle', 'refused', 21, '21.00', 'EUR']])
})

const read = async (path: string) => (await scene.api.request('GET', path)).body as Record<string, Json>

test('a bulk retry shows its progress and the outcome of each delivery (C-16)', async () => {
  const [first, second] = [await settledBet(20), await settledBet(20)]
  scene.wallet.next('settle', refusal(21))
  const { retryId } = await retry({ code: 20 })
  expect(await read(`/deliveries/retries/${retryId}`)).toMatchObject({ state: 'finished', count: 2, taken: 2 })
  await scene.time.advance(SECOND_MS)
  const retried = await read(`/deliveries/retries/${retryId}`)
  expect(retried).toMatchObject({
    ...{ key: 'PLATFORM_API_KEY', chosen: { partnerId: scene.partnerId, code: '20' } },
    ...{ stillTried: 0, states: { done: 1, refused: 1 }, next: null },
  })
  const found = retried.data as unknown as DeliveryView[]
  expect(new Set(betsOf(found))).toEqual(new Set([first, second]))
  const refused = await read(`/deliveries/retries/${retryId}?status=refused`)
  expect(refused.data).toEqual(found.filter(({ status }) => status === 'refused'))
  const [latest] = (await read('/deliveries/retries?limit=1')).data as Json[]
  expect(latest).toMatchObject({ retryId, taken: 2 })
  const page = await read(`/deliveries/retries/${retryId}?limit=1`)
  const rest = await read(`/deliveries/retries/${retryId}?limit=1&after=${page.next}`)
  expect([page.data, rest.data].flat()).toEqual(found)
  expect((await scene.api.request('GET', `/deliveries/retries/${randomUUID()}`)).status).toBe(404)
})

test('a bulk retry whose process died is shown as interrupted (C-16)', async () => {
  await settledBet(20)
  const { retryId } = await retry({ code: 20 })
  await scene.platform.sql('update platform.retry set finished_at = null where retry_id = $1', [retryId])
  expect(await read(`/deliveries/retries/${retryId}`)).toMatchObject({ state: 'running' })
  await scene.time.advance(2 * MINUTE_MS)
  expect(await read(`/deliveries/retries/${retryId}`)).toMatchObject({ state: 'cut_short' })
})

test('the gauges count rejected and owed deliveries, and the money by currency', async () => {
  const read = async () => {
    await scene.time.advance(6 * SECOND_MS) // a count is cached for 5 s
    const text = await (await fetch(`${scene.platform.url}/metrics`)).text()
    const names = ['platform_deliveries_refused', 'platform_bets_owed', 'platform_owed_amount{currency="EUR"}']
    return names.map((name) =>
      Number(
        text
          .split('\n')
          .find((found) => found.startsWith(`${name} `))
          ?.split(' ')[1] ?? 0,
      ),
    )
  }
  const before = await read()
  await oneOfEach()
  const then = await read()
  expect(then.map((value, i) => value - (before[i] ?? 0))).toEqual([3, 5, 93.5])
})
