/**
 * No partner delays another (C-6): each partner has its own limit of concurrent calls, and a dead
 * partner gets only probes.
 */
import { afterEach, expect, test } from 'vitest'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { hang, type ReceivedCall, reset, type ScriptedWallet } from '../support/scripted-wallet.ts'

/** The setting of this test. */
const CALLS_PER_PARTNER = 64

let platform: TestPlatform
afterEach(() => platform.stop())

interface Partner {
  wallet: ScriptedWallet
  frame: string
}

async function newPartner(): Promise<Partner> {
  const { wallet, partnerId } = await platform.partner()
  return { wallet, frame: await platform.api.loadFrame(partnerId) }
}

async function betsOn({ frame }: Partner, eventId: string, count: number): Promise<void> {
  const selections = [{ eventId, outcomeId: 'home', coefficient: '2.5' }]
  await Promise.all(Array.from({ length: count }, () => platform.api.place(frame, { selections })))
}

test('one dead partner among ten does not delay the other nine (P18)', async () => {
  const time = fakeTime() // the clock does not advance, so no call is delayed by a millisecond
  platform = await startPlatform({ time })
  const partners = await Promise.all(Array.from({ length: 10 }, newPartner))
  const [dead, ...alive] = partners as [Partner, ...Partner[]]
  await Promise.all(partners.map((partner) => betsOn(partner, 'derby', 20)))
  dead.wallet.always('settle', hang)
  expect(await platform.api.results('derby', { home: 'won' })).toBe(200)
  await time.settle()
  for (const { wallet } of alive) expect(wallet.of('settle')).toHaveLength(20)
  expect(dead.wallet.of('settle')).toHaveLength(20)
  expect((await platform.api.place(alive[0]?.frame ?? '')).status).toBe('accepted')
})

test('a partner never has more than 64 concurrent calls when that is the limit, and receives all calls (C-6)', async () => {
  const time = fakeTime()
  platform = await startPlatform({ time, env: { PURSER_CALLS_PER_PARTNER: `${CALLS_PER_PARTNER}` } })
  const partner = await newPartner()
  for (let i = 0; i < 3; i++) await betsOn(partner, 'final', 50)
  let answer = () => {}
  partner.wallet.always('settle', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  await platform.api.results('final', { home: 'won' })
  await time.settle()
  expect(partner.wallet.openCalls()).toBe(CALLS_PER_PARTNER)
  answer()
  await time.settle()
  expect(partner.wallet.of('settle')).toHaveLength(150)
  expect(partner.wallet.mostAtOnce()).toBe(CALLS_PER_PARTNER)
})

async function outageOf(partner: Partner, time: FakeTime, milliseconds: number): Promise<ReceivedCall[]> {
  partner.wallet.always('settle', reset)
  await platform.api.results('cup', { home: 'won' })
  await time.advance(milliseconds)
  return partner.wallet.of('settle')
}

test('a partner that is down is probed with one call at a time, and served at once when it is up (C-6)', async () => {
  const time = fakeTime()
  platform = await startPlatform({ time })
  const partner = await newPartner()
  await betsOn(partner, 'cup', 100)
  const calls = await outageOf(partner, time, 60_000)
  // the first burst detected the outage
  const probes = calls.filter(({ at }) => at > (calls[0]?.at ?? at))
  expect(calls.length - probes.length).toBeLessThan(CALLS_PER_PARTNER + 10)
  expect(probes.length).toBeGreaterThan(60)
  const gaps = probes.slice(1).map((probe, i) => probe.at.getTime() - (probes[i]?.at.getTime() ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500)
  partner.wallet.always('settle', {})
  await time.advance(1_000)
  expect(new Set(partner.wallet.of('settle').map((r) => r.body.transactionId)).size).toBe(100)
  await time.advance(61_000)
  const left = await platform.api.deliveries('?status=pending,waiting,stuck&limit=500')
  expect(left).toEqual([])
})

test('a rejection shows that the partner is up, so its calls are not held back (C-6)', async () => {
  const time = fakeTime()
  platform = await startPlatform({ time })
  const partner = await newPartner()
  await betsOn(partner, 'vote', 30)
  partner.wallet.always('settle', { status: 400, body: { code: 20, message: 'no' } })
  await platform.api.results('vote', { home: 'won' })
  await time.settle()
  expect(partner.wallet.of('settle')).toHaveLength(30)
})

test('a partner’s new address and secret are used from then on, also for waiting deliveries', async () => {
  const time = fakeTime()
  platform = await startPlatform({ time })
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  const { betId } = await platform.api.place(frame)
  wallet.always('settle', reset)
  await platform.api.settle(betId, 'won', '25.00')
  await time.settle()
  const moved = await platform.partner({ secret: 'another-secret' })
  await platform.api.savePartner(moved.wallet, partnerId)
  await time.advance(2_000)
  expect(moved.wallet.of('settle', betId)).toHaveLength(1)
  expect(moved.wallet.faults).toEqual([])
})
