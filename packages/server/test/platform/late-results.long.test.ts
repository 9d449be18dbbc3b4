/**
 * The request for an event result with many bets is answered after 5 s. The process can stop before
 * the result is complete.
 */

import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { createLogger } from '@purser/runtime/logger'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createEventResults } from '../../src/platform/bets/event-results.ts'
import { ANY_ACTOR } from '../support/any-actor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { aBet } from '../support/platform.ts'
import { type PlatformProcess, spawnPlatform } from '../support/platform-process.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { manyLike } from './many-bets.ts'

/**
 * Bets of a slice, and of a result that on any machine takes longer than the delivery of a signal.
 */
const [SLICE, MANY] = [500, 20_000]

let database: TestDatabase
let client: pg.Client
let wallet: ScriptedWallet
let platform: PlatformProcess

beforeEach(async () => {
  database = await createDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  wallet = await startScriptedWallet()
  platform = await spawnPlatform(database.url)
})
afterEach(async () => {
  await platform.kill('SIGKILL')
  await wallet.stop()
  await client.end()
  await database.drop()
})

const sql = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
const count = async (status: string) =>
  Number((await sql('select count(*) as n from platform.bet where status = $1', [status]))[0]?.n)

/** Resolves to the event. */
async function manyBets(copies: number): Promise<string> {
  const frame = await platform.api.loadFrame(await platform.api.savePartner(wallet))
  const { amount, selections } = aBet()
  const { betId } = await platform.api.place(frame, { amount, selections })
  await manyLike({ sql }, betId, copies)
  return String(selections[0]?.eventId)
}

/** From the second slice on, transactions wait until `let` is called. */
function slow(db: Db): { db: Db; let(): void } {
  let [begun, go] = [0, () => {}]
  const may = new Promise<void>((resolve) => (go = resolve))
  const transaction: Db['transaction'] = async (work) => {
    if (++begun > 2) await may
    return db.transaction(work)
  }
  return { db: { ...db, transaction }, let: go }
}

const WON = [{ outcomeId: 'home', result: 'won' }] as const

test('the request for an event result returns its progress after 5 s, and the rest is applied later', async () => {
  const eventId = await manyBets(3 * SLICE)
  await platform.kill('SIGKILL')
  const real = await openDb({ kind: 'postgres', url: database.url })
  const clock = { now: () => new Date() }
  const held = slow(real)
  const deps = { db: held.db, clock, scales: STANDARD_SCALES, decided: () => {}, log: createLogger('silent') }
  const results = createEventResults({ ...deps, applying: new Set() })
  try {
    expect(await results.set(ANY_ACTOR, eventId, WON)).toEqual({ bets: SLICE, isWhole: false })
    expect(await count('settled')).toBe(SLICE)
    held.let()
    await expect.poll(() => count('accepted')).toBe(0)
  } finally {
    held.let()
    await results.stop()
    await real.close()
  }
})

test('a process that stops leaves the result where it is and exits cleanly, and the next process continues', async () => {
  const eventId = await manyBets(MANY)
  const telling = platform.api.request('POST', `/events/${eventId}/result`, { outcomes: WON })
  await expect.poll(() => count('settled'), { interval: 10 }).toBeGreaterThan(0)
  expect(await platform.kill('SIGTERM')).toBe(0)
  expect(platform.output()).not.toMatch(/"level":(50|60|"error")/)
  const { status, body } = await telling
  expect({ status, body }).toMatchObject({ status: 202, body: { applied: false } })
  expect((body as { bets: number }).bets).toBe(await count('settled'))
  expect(await count('accepted')).toBeGreaterThan(0)
  platform = await spawnPlatform(database.url)
  await expect.poll(() => count('accepted'), { timeout: 60_000, interval: 200 }).toBe(0)
})
