/**
 * A process takes over the work of another process when the work stays unchanged for a whole lease.
 * No database clock is compared (C-12).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HeldClaim, watchLeases } from '../../src/platform/recovery/lease-watch.ts'
import { LEASE_MS } from '../../src/platform/store/outbox.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { fakeTime } from '../support/fake-time.ts'
import { startPlatform } from '../support/platform.ts'
import { signal } from '../support/signal.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const held = (attempts: number): HeldClaim => ({
  ...{ delivery_id: 1n, bet_id: 'a-bet', operation: 'settle' },
  ...{ attempts, attempts_before: 0, first_attempt_at: new Date(0) },
})

const at = (ms: number) => ({ begun: ms, ended: ms })

test('a claim is abandoned after it was seen unchanged for a whole lease, and not a millisecond earlier', () => {
  const watch = watchLeases()
  expect(watch.abandoned([held(1)], at(1_000))).toEqual([])
  expect(watch.abandoned([held(1)], at(1_000 + LEASE_MS - 1))).toEqual([])
  expect(watch.abandoned([held(1)], at(1_000 + LEASE_MS))).toEqual([held(1)])
})

test('the lease counts from the end of the first read to the start of the last read', () => {
  const watch = watchLeases()
  watch.abandoned([held(1)], { begun: 0, ended: 3_000 })
  expect(watch.abandoned([held(1)], { begun: 2_999 + LEASE_MS, ended: 9_000 + LEASE_MS })).toEqual([])
  expect(watch.abandoned([held(1)], { begun: 3_000 + LEASE_MS, ended: 9_000 + LEASE_MS })).toEqual([held(1)])
})

test('another attempt, or one that was missed in between, is watched from the start', () => {
  const watch = watchLeases()
  watch.abandoned([held(1)], at(0))
  expect(watch.abandoned([held(2)], at(LEASE_MS))).toEqual([])
  expect(watch.abandoned([], at(LEASE_MS + 1))).toEqual([])
  expect(watch.abandoned([held(2)], at(2 * LEASE_MS))).toEqual([])
})

const placing = (id: bigint): HeldClaim => ({ ...held(1), delivery_id: id, operation: 'place' })

test('the scan for placements starts at the oldest one held a minute ago, and not after one that is still held', () => {
  const watch = watchLeases()
  const from = (now: number, ...ids: bigint[]) => {
    watch.abandoned([...ids.map(placing), held(1)], at(now))
    return watch.placementsFrom()
  }
  expect([from(0), from(1_000, 50n, 51n), from(2_000, 60n)]).toEqual([0n, 0n, 0n])
  expect([from(60_999, 70n), from(61_000, 80n)], 'one with a smaller id may be committed later').toEqual([0n, 50n])
  expect(from(122_000, 79n, 90n), 'as this one was').toEqual(79n)
  expect([from(150_000), from(190_000)], 'when none is held any more').toEqual([79n, 79n])
})

test.each(['settle', 'place'] as const)(
  'a %s in flight is not taken over by a process whose clock was set forward by 20 s before it watched for a lease',
  async (operation) => {
    const time = fakeTime()
    const sender = await startPlatform({ time, databaseUrl: database.url })
    const { wallet, partnerId } = await sender.partner()
    const frame = await sender.api.loadFrame(partnerId)
    const answer = signal()
    const begin = async () => {
      if (operation === 'place') wallet.next('place', { hold: answer.given })
      const placing = sender.api.place(frame)
      if (operation === 'place') return placing
      wallet.next('settle', { hold: answer.given })
      await sender.api.settle((await placing).betId, 'won', '25.00')
      return placing
    }
    const begun = begin()
    await wallet.seen(operation, 1)
    const ahead = fakeTime(new Date(time.now().getTime() + 20_000))
    const other = await startPlatform({ time: ahead, databaseUrl: database.url })
    await ahead.settle()
    await ahead.advance(LEASE_MS - 1_000)
    expect(wallet.requests.map(({ operation: one }) => one)).toEqual(
      operation === 'place' ? ['profile', 'place'] : ['profile', 'place', 'settle'],
    )
    answer.give()
    const { betId, status } = await begun
    await time.settle()
    expect(status).toBe('accepted')
    await ahead.advance(2 * LEASE_MS)
    const { deliveries } = await other.api.bet(betId)
    expect(deliveries.map((d) => [d.operation, d.status, d.attempts])).toEqual([
      ['place', 'done', 1],
      ...(operation === 'settle' ? [['settle', 'done', 1]] : []),
    ])
    await other.stop()
    await sender.stop()
  },
)
