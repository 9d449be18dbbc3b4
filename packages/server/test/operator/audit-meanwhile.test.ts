/**
 * An audit gives the right result although a running wallet and the retention change rows between
 * two slices of the audit.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { numberAllChanges } from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import type { Finding } from '../../src/core/database/invariant-checks.ts'
import { type AuditPosition, runWalletAudit } from '../../src/wallet/operator-api/audit/wallet-audit.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let db: Db
let sql: pg.Client
const bettor = { userId: '', token: '' }
const other = { userId: '', token: '' }

beforeAll(async () => {
  wallet = await startWallet()
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  for (const one of [bettor, other]) Object.assign(one, await playerWithMoney(wallet.operator, '100.00'))
})
beforeEach(async () => {
  await placeBet()
  await numberAllChanges(db, WALLET_CHANGES)
})
afterAll(async () => {
  await wallet.auditIsClean()
  await Promise.all([sql.end(), db.close()])
  await wallet.stop()
})

async function placeBet(by = bettor, transactionId: string = randomUUID()): Promise<string> {
  expect(await wallet.wire.place({ ...by, transactionId, amount: 1 })).toMatchObject({ status: 200 })
  return transactionId
}

/**
 * Runs `happen` once: after the first slice of events, or after the audit has read the end of the
 * feed.
 */
async function auditWhile(since: AuditPosition | undefined, what: 'events' | 'beginning', happen: () => Promise<void>) {
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
  const done = await runWalletAudit({ snapshot }, { clawback: 'refuse', since, progress })
  expect(happened).toBe(true)
  return done
}

async function takeTheFeed(): Promise<void> {
  await numberAllChanges(db, WALLET_CHANGES)
  await sql.query('delete from purser.change where last_number is not null')
}

test('an incremental audit reads everything when retention has deleted all events since the last audit', async () => {
  const { to } = await runWalletAudit(db, { clawback: 'refuse' })
  await placeBet()
  await numberAllChanges(db, WALLET_CHANGES)
  expect(await auditWhile(to, 'beginning', takeTheFeed)).toMatchObject({ ok: true, isWhole: true })
})

test('a whole audit finds nothing wrong when retention deletes the last balance event of an account during it', async () => {
  const report = await auditWhile(undefined, 'events', async () => {
    await placeBet()
    await takeTheFeed()
  })
  expect(report).toMatchObject({ isWhole: true, findings: [] })
})

test('an incremental audit leaves rows that are added during it to the next audit', async () => {
  const { to } = await runWalletAudit(db, { clawback: 'refuse' })
  const [before, meanwhile, unnumbered] = [await placeBet(), randomUUID(), randomUUID()]
  await numberAllChanges(db, WALLET_CHANGES)
  const report = await auditWhile(to, 'beginning', async () => {
    await placeBet(other, meanwhile)
    await numberAllChanges(db, WALLET_CHANGES)
    await placeBet(other, unnumbered)
    await changeStakes('+', [before, meanwhile, unnumbered])
  })
  expect(betsIn(report.findings)).toEqual([before])
  await numberAllChanges(db, WALLET_CHANGES)
  const next = await runWalletAudit(db, { clawback: 'refuse', since: report.to })
  expect(next.isWhole).toBe(false)
  expect(betsIn(next.findings)).toEqual([meanwhile, unnumbered].sort())
  await changeStakes('-', [before, meanwhile, unnumbered])
})

test('an incremental audit reads rows that have no number when it begins, as in a copy that assigns none', async () => {
  const { to } = await runWalletAudit(db, { clawback: 'refuse' })
  const bet = await placeBet()
  await changeStakes('+', [bet])
  const { findings, isWhole } = await runWalletAudit(db, { clawback: 'refuse', since: to })
  expect({ isWhole, bets: betsIn(findings) }).toEqual({ isWhole: false, bets: [bet] })
  await changeStakes('-', [bet])
})

/** Changes stakes by SQL, so that the bets contradict their transfers, but no balance does. */
async function changeStakes(sign: '+' | '-', bets: readonly string[]): Promise<void> {
  const { rowCount } = await sql.query(`update purser.bet set stake = stake ${sign} 1 where bet_id = any($1)`, [bets])
  expect(rowCount).toBe(bets.length)
}

function betsIn(findings: readonly Finding[]): unknown[] {
  return findings.map(({ row }) => row.bet_id).sort()
}
