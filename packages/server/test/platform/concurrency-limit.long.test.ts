/**
 * The number of concurrent calls to a partner with late answers stays within its limits, over real
 * HTTP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { signal } from '../support/signal.ts'

/** Number of bets on the event, and number of bets placed at once. */
const [MANY, FEW] = [240, 10]

describe.each([
  ['128', 64, 65, 128],
  ['16', 16, 16, 16],
])('with PURSER_CALLS_PER_PARTNER=%s', (setting, first, least, most) => {
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform({ env: { PURSER_CALLS_PER_PARTNER: setting } })
  })
  afterAll(() => platform.stop())

  test(`a partner that answers late receives ${first} concurrent calls at first, and then ${least} to ${most}`, async () => {
    const { wallet, partnerId } = await platform.partner()
    const frame = await platform.api.loadFrame(partnerId)
    const [early, late] = [signal(), signal()]
    wallet.always('settle', { hold: early.given })
    const eventId = 'a-final'
    const selections = [{ eventId, outcomeId: 'home', coefficient: '2.5' }]
    const some = Array.from({ length: FEW }, () => 0)
    for (let placed = 0; placed < MANY; placed += FEW)
      await Promise.all(some.map(() => platform.api.place(frame, { selections })))
    await platform.api.results(eventId, { home: 'won' })
    await expect.poll(wallet.openCalls).toBe(first)
    wallet.always('settle', { hold: late.given })
    early.give()
    await expect.poll(wallet.openCalls).toBeGreaterThanOrEqual(least)
    late.give()
    await wallet.seen('settle', MANY)
    expect(wallet.mostAtOnce()).toBeLessThanOrEqual(most)
  })
})
