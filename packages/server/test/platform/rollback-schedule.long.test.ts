/**
 * A rollback is retried on a schedule until the partner answers or ten attempts have failed. Then
 * it is stuck (C-4).
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { type BetDetail, startPlatform, type TestPlatform } from '../support/platform.ts'
import { hang, refusal, reset, type Script, type ScriptedWallet, status } from '../support/scripted-wallet.ts'

const WINDOW_MS = 360_000

let time: FakeTime
let platform: TestPlatform
let wallet: ScriptedWallet
let frame: string
let chance = 0
let giveBack: () => void

beforeAll(async () => {
  time = fakeTime()
  giveBack = time.takeOverTimeOuts()
  platform = await startPlatform({ time, random: () => chance })
})
afterAll(async () => {
  giveBack()
  await platform.stop()
})
afterEach(() => {
  chance = 0
})

/** Each test has its own partner, so that the state of a partner affects no other test. */
async function newPartner(always: Script = {}): Promise<void> {
  const partner = await platform.partner()
  wallet = partner.wallet
  wallet.always('rollback', always)
  frame = await platform.api.loadFrame(partner.partnerId)
}

/** `always` is the answer to every rollback without a queued answer. */
async function cancelledBet(always: Script = {}): Promise<string> {
  await newPartner(always)
  return anotherCancelledBet()
}

/** Number of concurrent requests. More would exceed the database's time limit on a busy machine. */
const ABREAST = 20

/** All bets have the same time, because the clock does not advance meanwhile. */
async function cancelledBets(count: number, always: Script): Promise<string[]> {
  await newPartner(always)
  const bets: string[] = []
  while (bets.length < count) {
    const length = Math.min(ABREAST, count - bets.length)
    const placed = await Promise.all(Array.from({ length }, () => platform.api.place(frame)))
    bets.push(...(await Promise.all(placed.map(({ betId }) => cancel(betId)))))
  }
  return bets
}

async function anotherCancelledBet(): Promise<string> {
  wallet.next('place', status(500))
  return (await platform.api.place(frame)).betId
}

async function cancel(betId: string): Promise<string> {
  await platform.api.cancel(betId, 50)
  return betId
}

type Delivery = BetDetail['deliveries'][number]
async function rollbackOf(betId: string): Promise<Delivery> {
  const { deliveries } = await platform.api.bet(betId)
  const rollback = deliveries.find((delivery) => delivery.operation === 'rollback')
  if (rollback === undefined) throw new Error('the bet has no rollback')
  return rollback
}

/** Milliseconds from the first attempt to each attempt. */
function startsOf({ attemptList }: Delivery): number[] {
  const starts = attemptList.map(({ startedAt }) => new Date(startedAt).getTime())
  return starts.map((start) => start - (starts[0] ?? 0))
}

const gapsOf = (starts: number[]) => starts.slice(1).map((start, i) => start - (starts[i] ?? 0))

test('a rollback answered 500 nine times, then 200, has ten attempts, with gaps that double from 0.7 s (P8)', async () => {
  const betId = await cancelledBet()
  wallet.next('rollback', ...Array.from({ length: 9 }, () => status(500)))
  await time.advance(WINDOW_MS + 60_000)
  const rollback = await rollbackOf(betId)
  expect([rollback.status, rollback.attempts, rollback.attemptList.length]).toEqual(['done', 10, 10])
  const gaps = gapsOf(startsOf(rollback))
  expect(gaps).toEqual([700, 1_400, 2_800, 5_600, 11_200, 22_400, 44_800, 89_600, 179_200])
  expect(rollback.attemptList.map((a) => a.httpStatus)).toEqual([...Array(9).fill(500), 200])
  const received = wallet.of('rollback', betId)
  expect(new Set(received.map((r) => r.text)).size).toBe(1)
  expect(received.map((r) => r.at.getTime())).toEqual(rollback.attemptList.map((a) => new Date(a.startedAt).getTime()))
})

test.each([1, 0.999, 0.5])('the jitter %d shortens every gap a little and extends none (P8)', async (random) => {
  const betId = await cancelledBet(status(503))
  chance = random
  await time.advance(WINDOW_MS + 60_000)
  const rollback = await rollbackOf(betId)
  const starts = startsOf(rollback)
  expect([rollback.status, starts.length]).toEqual(['stuck', 10])
  expect(starts.at(-1)).toBeLessThanOrEqual(WINDOW_MS)
  gapsOf(starts).forEach((gap, i) => {
    expect(gap / (700 * 2 ** i)).toBeGreaterThan(0.9)
    expect(gap / (700 * 2 ** i)).toBeLessThanOrEqual(1.06)
  })
})

test('an unanswered rollback has ten attempts within 6 minutes of the first and is then stuck (P9)', async () => {
  const betId = await cancelledBet(hang)
  await time.advance(WINDOW_MS + 5_000)
  const rollback = await rollbackOf(betId)
  const starts = startsOf(rollback)
  expect([rollback.status, rollback.attempts, starts.length]).toEqual(['stuck', 10, 10])
  expect(starts.at(-1)).toBeLessThanOrEqual(WINDOW_MS)
  expect(starts.at(-1)).toBeGreaterThan(WINDOW_MS * 0.9)
  // each attempt starts after the time-out of the one before
  expect(Math.min(...gapsOf(starts))).toBeGreaterThanOrEqual(5_000)
  expect(gapsOf(starts).every((gap, i, all) => i === 0 || gap >= (all[i - 1] ?? 0))).toBe(true)
  await time.advance(3_600_000 / 6)
  expect(wallet.of('rollback', betId)).toHaveLength(10)
})

test('a stuck rollback is listed, and a retry by hand keeps every attempt (P9)', async () => {
  const betId = await cancelledBet(reset)
  await time.advance(WINDOW_MS)
  const stuck = (await platform.api.deliveries('?status=stuck')).filter((d) => d.betId === betId)
  expect(stuck).toEqual([expect.objectContaining({ operation: 'rollback', status: 'stuck', attempts: 10 })])
  expect(stuck[0]?.error).toMatch(/^network: /)
  wallet.next('rollback', status(500), status(500))
  wallet.always('rollback', {})
  const { status: answer } = await platform.api.request('POST', `/deliveries/${stuck[0]?.deliveryId}/retry`)
  expect(answer).toBe(202)
  await time.advance(5_000)
  const rollback = await rollbackOf(betId)
  expect([rollback.status, rollback.attempts]).toEqual(['done', 13])
  expect(rollback.attemptList.map((a) => a.number)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1))
  expect(gapsOf(startsOf(rollback)).slice(10)).toEqual([700, 1_400])
  expect(new Set(wallet.of('rollback', betId).map((r) => r.text)).size).toBe(1)
  expect((await platform.api.deliveries('?status=stuck')).filter((d) => d.betId === betId)).toEqual([])
  expect((await platform.api.request('POST', `/deliveries/${stuck[0]?.deliveryId}/retry`)).status).toBe(409)
})

test('the metrics count stuck rollbacks and show the age of the oldest (P9)', async () => {
  const metric = async (name: string) => {
    const { body } = await platform.api.request('GET', '/metrics')
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(String(body))?.[1])
  }
  const before = await metric('platform_deliveries_stuck')
  await cancelledBet()
  wallet.always('rollback', status(500))
  await time.advance(100_000)
  expect(await metric('platform_deliveries_pending')).toBe(1)
  expect(await metric('platform_oldest_pending_seconds')).toBe(100)
  await time.advance(WINDOW_MS)
  expect(await metric('platform_deliveries_stuck')).toBe(before + 1)
  expect(await metric('platform_deliveries_pending')).toBe(0)
})

test('status 400 with code 8 completes a rollback (P10)', async () => {
  const betId = await cancelledBet()
  wallet.next('rollback', refusal(8, 'The bet has already been processed'))
  await time.advance(WINDOW_MS)
  expect(await rollbackOf(betId)).toMatchObject({ status: 'done', attempts: 1, code: 8 })
  expect(wallet.of('rollback', betId)).toHaveLength(1)
})

test.each([5, 7, 1, 20, 100])('status 400 with code %i is not retried and is visible (P11)', async (code) => {
  const betId = await cancelledBet()
  wallet.next('rollback', refusal(code))
  await time.advance(WINDOW_MS)
  expect(await rollbackOf(betId)).toMatchObject({ status: 'refused', attempts: 1, code })
  expect(wallet.of('rollback', betId)).toHaveLength(1)
  expect((await platform.api.deliveries('?status=refused')).some((d) => d.betId === betId)).toBe(true)
})

test('status 200 with a non-standard body is retried (P8)', async () => {
  const betId = await cancelledBet()
  wallet.next('rollback', { body: '' }, { body: { status: 'ok' } }, { body: { transactionId: 'another-bet' } })
  await time.advance(10_000)
  expect(await rollbackOf(betId)).toMatchObject({ status: 'done', attempts: 4 })
})

test('each of thirty rollbacks to a partner that never answers has ten attempts that start within 6 minutes (P9)', async () => {
  const bets = await cancelledBets(30, hang)
  await time.advance(WINDOW_MS + 6_000)
  for (const betId of bets) {
    const rollback = await rollbackOf(betId)
    const starts = startsOf(rollback)
    expect([rollback.status, rollback.attempts, starts.length]).toEqual(['stuck', 10, 10])
    expect(starts.at(-1)).toBeLessThanOrEqual(WINDOW_MS)
    expect(starts.slice(4)).toEqual([20_000, 25_600, 44_100, 88_900, 178_500, 357_700])
  }
})

test('while a partner is down rollbacks keep their schedule, and results wait for one probe at a time (C-6)', async () => {
  await cancelledBet()
  const [other, ...accepted] = await Promise.all(Array.from({ length: 21 }, () => platform.api.place(frame)))
  for (const operation of ['rollback', 'settle'] as const) wallet.always(operation, reset)
  for (const { betId } of accepted) await platform.api.settle(betId, 'won', '25.00')
  const betId = await cancel(String(other?.betId))
  await time.advance(60_000)
  expect(gapsOf(startsOf(await rollbackOf(betId)))).toEqual([700, 1_400, 2_800, 5_600, 11_200, 22_400])
  const settles = wallet.of('settle').map(({ at }) => at.getTime())
  const probes = settles.filter((at) => at > (settles[0] ?? 0))
  expect(probes.length).toBeGreaterThan(20)
  expect(Math.min(...gapsOf(probes))).toBeGreaterThanOrEqual(500)
  for (const operation of ['rollback', 'settle'] as const) wallet.always(operation, {})
  await time.advance(WINDOW_MS)
  expect(await rollbackOf(betId)).toMatchObject({ status: 'done', attempts: 8 })
})

test('unanswered rollbacks fill a lane of 64 calls, and one without a place in time is stuck, not sent late (C-4)', async () => {
  const bets = await cancelledBets(80, hang)
  for (let second = 0; second < 400; second += 50) await time.advance(50_000)
  const rollbacks = await Promise.all(bets.map(rollbackOf))
  expect(new Set(rollbacks.map(({ status }) => status))).toEqual(new Set(['stuck']))
  for (const rollback of rollbacks) {
    expect(rollback.attempts).toBeLessThanOrEqual(10)
    expect(startsOf(rollback).at(-1)).toBeLessThanOrEqual(WINDOW_MS)
  }
})

test.each([
  ['no body', ''],
  ['a text', 'Bad Request'],
  ['no code', { message: 'no' }],
  ['a code that is no integer', { code: '8' }],
])('status 400 with %s ends a rollback as rejected, and a user can send it again (W-18)', async (_what, body) => {
  const betId = await cancelledBet()
  wallet.next('rollback', { status: 400, body })
  await time.advance(WINDOW_MS)
  const refused = await rollbackOf(betId)
  expect(refused).toMatchObject({ status: 'refused', attempts: 1, attemptList: [{ httpStatus: 400 }] })
  expect((await platform.api.request('POST', `/deliveries/${refused.deliveryId}/retry`)).status).toBe(202)
  await time.advance(1_000)
  expect(await rollbackOf(betId)).toMatchObject({ status: 'done', attempts: 2 })
})

test('the list shows the made and the planned attempts as the schedule has them', async () => {
  const betId = await cancelledBet(status(500))
  await time.advance(5_000)
  const ladderOf = async (statuses: string) => {
    const deliveries = await platform.api.deliveries(`?status=${statuses}&schedule=true&limit=500`)
    return deliveries.find((delivery) => delivery.betId === betId)?.schedule
  }
  const schedule = await ladderOf('pending')
  const first = Date.parse(schedule?.madeAt[0] ?? '')
  const after = (times: readonly string[] = []) => times.map((at) => Date.parse(at) - first)
  expect(after(schedule?.madeAt)).toEqual([0, 700, 2_100, 4_900])
  expect(after(schedule?.plannedAt)).toEqual([10_500, 21_700, 44_100, 88_900, 178_500, 357_700])
  expect(schedule?.isUnderWay).toBe(false)
  expect(Date.parse(schedule?.asOf ?? '')).toBe(time.now().getTime())
  await time.advance(WINDOW_MS)
  const over = await ladderOf('stuck')
  expect([over?.madeAt.length, over?.plannedAt.length]).toEqual([10, 0])
  const { body } = await platform.api.request('GET', `/show/${betId.slice(0, 30)}`)
  const [{ deliveryId } = { deliveryId: '' }] = (body as unknown as { bet: BetDetail }).bet.deliveries.slice(1)
  await platform.api.request('POST', `/deliveries/${deliveryId}/retry`)
  await time.settle()
  const again = await ladderOf('pending')
  expect(again?.madeAt.length, 'those before a person sent it again are over').toBe(1)
  expect(again?.plannedAt.length).toBe(9)
})
