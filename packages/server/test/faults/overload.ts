/**
 * Scenario of `npm run faults`: ten times the normal number of calls per second arrive, whether
 * earlier calls are answered or not.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Betting } from '../support/stubborn-load.ts'
import { databaseIn, newPostgres, newWallet, play, type Stage, type Tally } from './stage.ts'

/** Milliseconds in which the normal rate is measured. */
const COUNTED_MS = 3_000
/**
 * The longest overload, in milliseconds. Afterwards the platform must still roll back each refused
 * Place bet, which takes time.
 */
const MOST_MS = 10_000
const TIMES = 10

export async function overload(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const wallet = await newWallet(stage, { DATABASE_URL: databaseIn(postgres.url) })
  let note = ''
  const attack = async (betting: Betting) => {
    const usual = await rateOf(betting, COUNTED_MS)
    const begun = betting.answers.length
    const flood = betting.flood((TIMES - 1) * usual)
    const forMs = Math.min(stage.forMs, MOST_MS)
    await sleep(forMs)
    const asked = Math.trunc((flood.end() + usual * (forMs / 1_000)) / (forMs / 1_000))
    const answers = betting.answers.slice(begun)
    const refused = answers.filter(({ code }) => code === 100).length
    note = `${Math.trunc(usual)} calls a second before, then ${asked} asked for a second, ${(asked / usual).toFixed(1)} times as many; ${refused} of ${answers.length} refused as overload`
    return 1
  }
  const tally = await play(stage, { wallets: [wallet], attack })
  return { ...tally, note }
}

/** Calls per second. */
async function rateOf({ answers }: Betting, milliseconds: number): Promise<number> {
  const before = answers.length
  await sleep(milliseconds)
  return (answers.length - before) / (milliseconds / 1_000)
}
