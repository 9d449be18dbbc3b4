/**
 * The daily sums of a large day are stored although this takes longer than the time limit of a
 * report. Until then, metrics show the open day.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scrape } from '../../../../test/operations/scrape.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { closeDays, DAY_MS } from '../../src/wallet/ledger/daily-sums.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

/** Sums that a user requests are cancelled after 30 s. */
const LONGER_THAN_PEOPLE_MS = 31_000

let wallet: TestWallet
let db: Db
beforeAll(async () => {
  wallet = await startWallet()
  wallet.clock.advance(-100 * DAY_MS)
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await db.close()
  await wallet.stop()
})

const firstOpenDay = async () => (await scrape(wallet.url)).value('wallet_first_open_day_timestamp_seconds')

test('the sums of a large day are stored, however long they take, and metrics name the first open day until then', async () => {
  await playerWithMoney(wallet.operator)
  const day = Math.floor(wallet.clock.now().getTime() / DAY_MS) * DAY_MS
  wallet.clock.advance(day + 1.5 * DAY_MS - wallet.clock.now().getTime())
  expect(await firstOpenDay()).toBe(day / 1_000)
  const owner = new pg.Client({ connectionString: wallet.databaseUrl })
  await owner.connect()
  await owner.query('begin; lock table purser.transfer in access exclusive mode')
  const kept = closeDays(db, wallet.clock.now())
  await Promise.race([kept, sleep(LONGER_THAN_PEOPLE_MS)])
  await owner.query('commit')
  await owner.end()
  expect(await kept).toBe(1)
  await expect.poll(firstOpenDay, { timeout: 10_000, interval: 200 }).toBe((day + DAY_MS) / 1_000)
}, 90_000)
