/** Results that a partner does not accept at once are retried (C-5) and stay in order (C-6). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { type BetDetail, startPlatform, type TestPlatform } from '../support/platform.ts'
import { hang, refusal, reset, type ScriptedWallet, status } from '../support/scripted-wallet.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let time: FakeTime
let platform: TestPlatform
let wallet: ScriptedWallet
let frame: string
let giveBack: () => void

beforeAll(async () => {
  time = fakeTime()
  giveBack = time.takeOverTimeOuts()
  platform = await startPlatform({ time })
})
afterAll(async () => {
  giveBack()
  await platform.stop()
})
beforeEach(async () => {
  const partner = await platform.partner()
  wallet = partner.wallet
  frame = await platform.api.loadFrame(partner.partnerId)
})

async function acceptedBet(): Promise<string> {
  const { betId, status } = await platform.api.place(frame)
  expect(status).toBe('accepted')
  return betId
}

type Delivery = BetDetail['deliveries'][number]
async function deliveriesOf(betId: string): Promise<Delivery[]> {
  return (await platform.api.bet(betId)).deliveries.slice(1)
}

async function onlyDeliveryOf(betId: string): Promise<Delivery> {
  const [delivery, ...others] = await deliveriesOf(betId)
  expect(others).toEqual([])
  if (delivery === undefined) throw new Error('the bet has no delivery')
  return delivery
}

function gapsOf({ attemptList }: Delivery): number[] {
  const starts = attemptList.map(({ startedAt }) => new Date(startedAt).getTime())
  return starts.slice(1).map((start, i) => start - (starts[i] ?? 0))
}

test('a Settle answered 500, then 200, has the same body twice with the same requestId (P12)', async () => {
  const betId = await acceptedBet()
  wallet.next('settle', status(500))
  await platform.api.settle(betId, 'won', '25.00')
  await time.advance(10_000)
  const [first, second, ...more] = wallet.of('settle', betId)
  expect(more).toEqual([])
  expect(second?.text).toBe(first?.text)
  expect(second?.headers['x-sign-jws']).toBe(first?.headers['x-sign-jws'])
  expect(await onlyDeliveryOf(betId)).toMatchObject({ status: 'done', attempts: 2, requestId: first?.body.requestId })
})

test('a Settle answered 503 with Retry-After waits for that time', async () => {
  const betId = await acceptedBet()
  wallet.next('settle', { ...status(503), headers: { 'retry-after': '20' } })
  await platform.api.settle(betId, 'won', '25.00')
  await time.advance(25_000)
  expect(gapsOf(await onlyDeliveryOf(betId))).toEqual([expect.toSatisfy((gap) => gap >= 20_000 && gap < 25_000)])
})

test.each([
  ['a time-out', hang],
  ['a reset connection', reset],
  ['status 404', status(404)],
  ['a broken body', { body: '{' }],
  ['400 without a code', { status: 400, body: 'Bad Request' }],
])('%s is retried, for a Settle and for an Unsettle (C-5)', async (_what, script) => {
  const betId = await acceptedBet()
  wallet.next('settle', script, script)
  wallet.next('unsettle', script, script)
  await platform.api.settle(betId, 'won', '25.00')
  await time.advance(MINUTE_MS)
  await platform.api.unsettle(betId)
  await time.advance(MINUTE_MS)
  expect((await deliveriesOf(betId)).map((d) => [d.operation, d.status, d.attempts])).toEqual([
    ['settle', 'done', 3],
    ['unsettle', 'done', 3],
  ])
  expect(new Set(wallet.of('unsettle', betId).map((r) => r.text)).size).toBe(1)
})

test.each([20, 21, 5])('a Settle answered 400 with code %i is not retried and is visible (P13)', async (code) => {
  const betId = await acceptedBet()
  wallet.next('settle', refusal(code, 'Recalculation transaction is blocked'))
  await platform.api.settle(betId, 'won', '25.00')
  await time.advance(10 * MINUTE_MS)
  expect(wallet.of('settle', betId)).toHaveLength(1)
  const refused = { status: 'refused', attempts: 1, code, error: 'Recalculation transaction is blocked' }
  expect(await onlyDeliveryOf(betId)).toMatchObject(refused)
  expect((await platform.api.deliveries('?status=refused')).map((d) => d.betId)).toContain(betId)
})

test('a later result is sent after a rejected one (P13)', async () => {
  const betId = await acceptedBet()
  wallet.next('settle', {}, refusal(20))
  await platform.api.settle(betId, 'won', '25.00')
  await platform.api.settle(betId, 'lost', '0')
  await platform.api.settle(betId, 'refund', '10.00')
  await time.advance(MINUTE_MS)
  expect((await deliveriesOf(betId)).map((d) => d.status)).toEqual(['done', 'refused', 'done'])
  expect(wallet.of('settle', betId).map((r) => r.body.resultType)).toEqual(['won', 'lost', 'refund'])
})

const retry = (delivery: Delivery | undefined) =>
  platform.api.request('POST', `/deliveries/${delivery?.deliveryId}/retry`)

test.each([20, 21])(
  'a result rejected with code %i can be sent again by a user, with the same bytes (W-16)',
  async (code) => {
    const betId = await acceptedBet()
    wallet.next('settle', refusal(code))
    await platform.api.settle(betId, 'won', '25.00')
    await time.advance(1_000)
    const refused = await onlyDeliveryOf(betId)
    expect(refused.status).toBe('refused')
    expect((await retry(refused)).status).toBe(202)
    await platform.api.settle(betId, 'lost', '0') // a later decision waits for the retry
    await time.advance(1_000)
    expect((await deliveriesOf(betId)).map((d) => [d.status, d.attempts])).toEqual([
      ['done', 2],
      ['done', 1],
    ])
    const [first, again, later] = wallet.of('settle', betId)
    expect([again?.text === first?.text, later?.body.resultType]).toEqual([true, 'lost'])
  },
)

test('a rejected result cannot be sent again after a later one, nor can an unfinished delivery (W-16)', async () => {
  const betId = await acceptedBet()
  wallet.next('settle', refusal(20), {})
  await platform.api.settle(betId, 'won', '25.00')
  await platform.api.settle(betId, 'lost', '0')
  await time.advance(1_000)
  const [refused, done] = await deliveriesOf(betId)
  for (const delivery of [refused, done]) {
    const { status: answer, body } = await retry(delivery)
    expect([answer, body]).toEqual([409, expect.objectContaining({ code: 'not_stuck' })])
  }
  const { deliveries } = await platform.api.bet(betId)
  expect((await retry(deliveries[0])).status).toBe(409) // a Place bet is never retried
  await time.advance(MINUTE_MS)
  expect(wallet.of('settle', betId)).toHaveLength(2)
})

test('the gaps double from 0.7 s up to one minute, and a Settle is still retried after 24 hours (C-5)', async () => {
  const betId = await acceptedBet()
  wallet.always('settle', status(503))
  await platform.api.settle(betId, 'won', '25.00')
  await time.advance(6 * MINUTE_MS)
  const gaps = gapsOf(await onlyDeliveryOf(betId))
  expect(gaps.slice(0, 8)).toEqual([700, 1_400, 2_800, 5_600, 11_200, 22_400, 44_800, 60_000])
  expect(gaps.slice(8).every((gap) => gap === 60_000)).toBe(true)
  for (let hour = 0; hour < 24; hour++) await time.leap(HOUR_MS)
  const before = wallet.of('settle', betId).length
  expect(before).toBeGreaterThan(30)
  expect((await onlyDeliveryOf(betId)).status).toBe('pending')
  await time.advance(2 * MINUTE_MS)
  expect(wallet.of('settle', betId).length).toBeGreaterThanOrEqual(before + 2)
  wallet.always('settle', {})
  await time.advance(MINUTE_MS)
  expect((await onlyDeliveryOf(betId)).status).toBe('done')
  expect(new Set(wallet.of('settle', betId).map((r) => r.text)).size).toBe(1)
})

test('a Settle that is never accepted is stuck and visible, and can be sent by hand (C-5)', async () => {
  const betId = await acceptedBet()
  wallet.always('settle', status(503))
  await platform.api.settle(betId, 'won', '25.00')
  for (let hour = 0; hour < 48; hour++) await time.leap(HOUR_MS)
  const [stuck] = (await platform.api.deliveries('?status=stuck')).filter((d) => d.betId === betId)
  expect(stuck).toMatchObject({ operation: 'settle', status: 'stuck' })
  wallet.always('settle', {})
  await platform.api.request('POST', `/deliveries/${stuck?.deliveryId}/retry`)
  await time.advance(1_000)
  expect((await onlyDeliveryOf(betId)).status).toBe('done')
})

/** Every call of a bet in the order of arrival, as operation and payout. */
const callsOf = (betId: string) =>
  wallet.requests
    .filter(({ body }) => body.transactionId === betId)
    .map(({ operation, body }) => `${operation} ${body.resultType ?? ''} ${body.amount}`)

test('a Settle, Resettle and Unsettle decided while the partner is down arrive in that order, one at a time (P14)', async () => {
  const betId = await acceptedBet()
  for (const operation of ['settle', 'unsettle'] as const) wallet.always(operation, hang)
  await platform.api.settle(betId, 'won', '25.00')
  await platform.api.settle(betId, 'lost', '0')
  await platform.api.unsettle(betId)
  await platform.api.settle(betId, 'refund', '10.00')
  await time.advance(2 * MINUTE_MS)
  expect((await deliveriesOf(betId)).map((d) => d.status)).toEqual(['pending', 'waiting', 'waiting', 'waiting'])
  expect(new Set(callsOf(betId).slice(1))).toEqual(new Set(['settle won 25']))
  wallet.always('unsettle', {})
  wallet.always('settle', {})
  // the next attempt fails, and the resettle is delayed once more
  wallet.next('settle', status(500), {}, status(502))
  await time.advance(5 * MINUTE_MS)
  const inOrder = callsOf(betId).filter((call, i, all) => call !== all[i - 1])
  expect(inOrder).toEqual(['place  10', 'settle won 25', 'settle lost 0', 'unsettle  0', 'settle refund 10'])
  expect((await deliveriesOf(betId)).map((d) => d.status)).toEqual(['done', 'done', 'done', 'done'])
  // the scripted wallet reports a call while another call of its bet is unanswered
  expect(wallet.faults).toEqual([])
})

test('a decision during a call waits for the answer of the call (P14)', async () => {
  const betId = await acceptedBet()
  let answer = () => {}
  wallet.next('settle', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  await platform.api.settle(betId, 'won', '25.00')
  await wallet.seen('settle', 1)
  await platform.api.unsettle(betId)
  await platform.api.cancel(betId, 50)
  await time.advance(3_000)
  expect(wallet.of('unsettle', betId)).toEqual([])
  answer()
  await time.advance(1_000)
  expect(callsOf(betId).slice(1)).toEqual(['settle won 25', 'unsettle  25', 'rollback  10'])
  expect((await platform.api.bet(betId)).status).toBe('cancelled')
})

test('a stuck rollback is not overtaken, and other bets are not delayed (P14)', async () => {
  const betId = await acceptedBet()
  const other = await acceptedBet()
  wallet.always('settle', status(500))
  await platform.api.settle(betId, 'won', '25.00')
  for (let hour = 0; hour < 30; hour++) await time.leap(HOUR_MS)
  await platform.api.settle(betId, 'lost', '0')
  wallet.always('settle', {})
  await platform.api.settle(other, 'won', '25.00')
  await time.advance(MINUTE_MS)
  expect((await deliveriesOf(betId)).map((d) => d.status)).toEqual(['stuck', 'waiting'])
  expect((await onlyDeliveryOf(other)).status).toBe('done')
})

test('a locked bet delays no other bet, and its answer is not lost (C-6)', async () => {
  const [busy, ...others] = await Promise.all(Array.from({ length: 5 }, acceptedBet))
  let answer = () => {}
  wallet.always('settle', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  await Promise.all([busy, ...others].map((betId) => platform.api.settle(betId ?? '', 'won', '25.00')))
  await wallet.seen('settle', 5)
  await platform.sql('begin')
  await platform.sql('select from platform.bet where bet_id = $1 for update', [busy])
  answer()
  const pending = async () => (await platform.api.deliveries('?status=pending')).map(({ betId }) => betId)
  await expect.poll(pending).toEqual([busy]) // this fails if a turn waits for the row
  await platform.sql('rollback')
  await time.advance(1_000)
  expect(await onlyDeliveryOf(busy ?? '')).toMatchObject({ status: 'done', attempts: 1 })
  expect(wallet.of('settle')).toHaveLength(5)
})

test('different bets are delivered in parallel (C-6)', async () => {
  const bets = await Promise.all(Array.from({ length: 20 }, acceptedBet))
  let answer = () => {}
  wallet.always('settle', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  await Promise.all(bets.map((betId) => platform.api.settle(betId, 'won', '25.00')))
  await wallet.seen('settle', 20)
  expect(wallet.openCalls()).toBe(20)
  answer()
  await time.advance(1_000)
  for (const betId of bets) expect((await onlyDeliveryOf(betId)).status).toBe('done')
})
