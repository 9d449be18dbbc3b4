/**
 * A platform reads each stored amount in the scale (number of decimals) that the database records.
 * It does not start with another scale (M-5).
 */
import { afterEach, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { fakeTime } from '../support/fake-time.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import type { ScriptedWallet } from '../support/scripted-wallet.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function newDatabase(): Promise<string> {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  return database.url
}

const start = (databaseUrl: string, currencies: string) =>
  startPlatform({ databaseUrl, time: fakeTime(), env: { PURSER_CURRENCIES: currencies } })

const SLIP = { amount: '10.00', selections: [{ eventId: 'final', outcomeId: 'home', coefficient: '2.1' }] }

/** A player of the partner bets 10.00 at 2.1. */
async function placeIn(platform: TestPlatform, wallet: ScriptedWallet, partnerId: string, currency: string) {
  wallet.profile = { currency, currencies: [currency] }
  return platform.api.place(await platform.api.loadFrame(partnerId), SLIP)
}

/**
 * The state of a version that recorded no settings: bets of 10.00 in ABC:2 and USD, without
 * recorded scales.
 */
async function platformWithBets(databaseUrl: string): Promise<void> {
  const platform = await start(databaseUrl, 'ABC:2')
  const { wallet, partnerId } = await platform.partner()
  for (const currency of ['ABC', 'USD']) await placeIn(platform, wallet, partnerId, currency)
  await platform.sql('delete from platform.setting')
  await platform.stop()
}

test.each([
  ['', 'ABC is stored with 2 decimals and not configured'],
  ['ABC:0', 'ABC is stored with 2 decimals, configured are 0'],
  ['ABC:2,USD:4', 'USD is stored with 2 decimals, configured are 4'],
])(
  'the platform does not start with PURSER_CURRENCIES=%s after bets in ABC:2 and USD:2, with any other records',
  async (currencies, words) => {
    const databaseUrl = await newDatabase()
    await platformWithBets(databaseUrl)
    await expect(start(databaseUrl, currencies)).rejects.toThrow(words)
    await (await start(databaseUrl, 'ABC:2')).stop()
  },
)

test('a process with another scale that started before the first bet in the currency accepts no bet in it', async () => {
  const databaseUrl = await newDatabase()
  const first = await start(databaseUrl, 'ABC:2')
  await first.sql('delete from platform.setting')
  const second = await start(databaseUrl, 'ABC:4')
  cleanups.push(
    () => second.stop(),
    () => first.stop(),
  )
  const here = await first.partner()
  const there = await second.partner()
  expect((await placeIn(first, here.wallet, here.partnerId, 'ABC')).status).toBe('accepted')
  await expect(placeIn(second, there.wallet, there.partnerId, 'ABC')).rejects.toThrow('answered 500')
  expect(there.wallet.of('place')).toEqual([])
  expect(await second.sql('select currency, scale from platform.currency')).toEqual([{ currency: 'ABC', scale: 2 }])
})
