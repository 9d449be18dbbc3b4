/** What a live wallet and its retention do between two slices of an audit. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Db } from '../../src/db/db.ts'
import { openDb } from '../../src/db/open.ts'
import { numberAll } from '../../src/feed/change-store.ts'
import { type AuditedTo, audit } from '../../src/operator/audit.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/change.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let db: Db
let sql: pg.Client
const bettor = { userId: '', token: '' }

beforeAll(async () => {
  wallet = await startWallet()
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  Object.assign(bettor, await playerWithMoney(wallet.operator, '100.00'))
})
beforeEach(async () => {
  await placeBet()
  await numberAll(db, WALLET_CHANGES)
})
afterAll(async () => {
  await wallet.auditIsClean()
  await Promise.all([sql.end(), db.close()])
  await wallet.stop()
})

async function placeBet(): Promise<string> {
  const transactionId = randomUUID()
  expect(await wallet.wire.place({ ...bettor, transactionId, amount: 1 })).toMatchObject({ status: 200 })
  return transactionId
}

/** After the first slice of `what`, or after the first look at how far the feed goes, `happen` once. */
async function auditWhile(since: AuditedTo | undefined, what: 'events' | 'beginning', happen: () => Promise<void>) {
  let due = false
  let happened = false
  const snapshot: Db['snapshot'] = async (work) => {
    if (due && !happened) {
      happened = true
      await happen()
    }
    due ||= what === 'beginning'
    return db.snapshot(work)
  }
  const progress = (of: string) => {
    due ||= of === what
  }
  const done = await audit({ snapshot }, { clawback: 'refuse', since, progress })
  expect(happened).toBe(true)
  return done
}

async function takeTheFeed(): Promise<void> {
  await numberAll(db, WALLET_CHANGES)
  await sql.query('delete from purser.change where last_number is not null')
}

test('retention takes all events of which an audit of what changed has seen none: everything is looked at', async () => {
  const { to } = await audit(db, { clawback: 'refuse' })
  await placeBet()
  await numberAll(db, WALLET_CHANGES)
  expect(await auditWhile(to, 'beginning', takeTheFeed)).toMatchObject({ ok: true, isWhole: true })
})

test('retention takes the last balance of an account before a whole audit sees it: nothing is found', async () => {
  const report = await auditWhile(undefined, 'events', async () => {
    await placeBet()
    await takeTheFeed()
  })
  expect(report).toMatchObject({ isWhole: true, findings: [] })
})
