/** Over real HTTP: how many calls go to a partner at once that answers late. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../support/platform.ts'

/** Bets of the final, and how many of them are placed at once. */
const [MANY, FEW] = [240, 10]

describe.each([
  ['128', 65, 128],
  ['16', 16, 16],
])('with PURSER_CALLS_PER_PARTNER=%s', (setting, least, most) => {
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform({ env: { PURSER_CALLS_PER_PARTNER: setting } })
  })
  afterAll(() => platform.stop())

  test(`a partner that answers late is called ${least} to ${most} times at once`, async () => {
    const { wallet, partnerId } = await platform.partner()
    const frame = await platform.api.loadFrame(partnerId)
    wallet.always('settle', { delayMs: 300 })
    const eventId = 'a-final'
    const selections = [{ eventId, outcomeId: 'home', coefficient: '2.5' }]
    const some = Array.from({ length: FEW }, () => 0)
    for (let placed = 0; placed < MANY; placed += FEW)
      await Promise.all(some.map(() => platform.api.place(frame, { selections })))
    await platform.api.results(eventId, { home: 'won' })
    await wallet.seen('settle', MANY)
    expect(wallet.mostAtOnce()).toBeGreaterThanOrEqual(least)
    expect(wallet.mostAtOnce()).toBeLessThanOrEqual(most)
  })
})
