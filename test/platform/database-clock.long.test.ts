/** Which clock times leases and schedules: the database's, whatever that of a process' own host says (C-6, W-19). */
import { afterEach, expect, test, vi } from 'vitest'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { status } from '../support/scripted-wallet.ts'

let platform: TestPlatform
afterEach(async () => {
  vi.useRealTimers()
  await platform.stop()
})

test.each([-3_600_000, 3_600_000])(
  'a host whose clock is %d ms off plans and delivers by the database',
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
    const [first, second, third] = wallet.of('rollback').map(({ realAt }) => realAt)
    expect([Number(second) - Number(first), Number(third) - Number(second)].map((gap) => gap > 600)).toEqual([
      true,
      true,
    ])
  },
)
