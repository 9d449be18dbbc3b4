/** Leases and schedules use the clock of the database, never the clock of a process (C-6, W-19). */
import { afterEach, expect, test, vi } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { createCircuitBreakers } from '../../src/platform/circuit-breaker.ts'
import { createPlatformMetrics } from '../../src/platform/platform-metrics.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { status } from '../support/scripted-wallet.ts'

let platform: TestPlatform
afterEach(async () => {
  vi.useRealTimers()
  await platform.stop()
})

test.each([-3_600_000, 3_600_000])(
  'a host whose clock is %d ms off schedules and delivers by the clock of the database',
  async (offMs) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs })
    platform = await startPlatform()
    const { wallet, partnerId } = await platform.partner()
    const frame = await platform.api.loadFrame(partnerId)
    wallet.next('place', status(500))
    wallet.next('rollback', status(500), status(500))
    const { betId } = await platform.api.place(frame)
    await wallet.seen('rollback', 3)
    const [row] = await platform.sql(
      `select abs(extract(epoch from now() - placed_at)) < 30 as is_placed_now, (select bool_and(abs(extract(epoch from now() - started_at)) < 30)
       from platform.attempt) as are_tried_now from platform.bet where bet_id = $1`,
      [betId],
    )
    expect(row).toEqual({ is_placed_now: true, are_tried_now: true })
    const gaps = () =>
      platform.sql(
        `select round(extract(epoch from started_at - lag(started_at) over (order by a.number)) * 1000)::int as ms
         from platform.attempt a join platform.delivery using (delivery_id) where bet_id = $1 and operation = 'rollback' order by a.number offset 1`,
        [betId],
      )
    // the partner receives the call before it is recorded
    await expect.poll(async () => (await gaps()).length).toBe(2)
    const [first, second] = (await gaps()).map(({ ms }) => Number(ms))
    // The gaps are 700 and 1,400 ms on the database's clock, which is read again in between.
    expect(first).toBeGreaterThan(600)
    expect(second).toBeGreaterThan(1_300)
  },
)

test('a step of the clock does not increase the age of the cached metrics', async () => {
  platform = await startPlatform()
  const db = await openDb({ kind: 'postgres', url: platform.databaseUrl })
  try {
    let stepMs = 0
    const clock = { now: () => new Date(Date.now() + stepMs) }
    const metrics = createPlatformMetrics(db, clock, createCircuitBreakers(64), () => performance.now())
    expect(await metrics.text()).toContain('platform_deliveries_pending 0')
    stepMs = 3_600_000
    const [, seconds] = metrics.age()
    expect(seconds).toBeLessThan(60)
  } finally {
    await db.close()
  }
})
