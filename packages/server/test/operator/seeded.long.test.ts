/**
 * The audit finds no fault in the large database that `npm run seed` makes for benchmarks, and
 * detects one changed amount in it.
 */
import pg from 'pg'
import { expect, test } from 'vitest'
import { seedDatabase } from '../../../../bench/lists/seed.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { runWalletAudit } from '../../src/wallet/operator-api/audit/wallet-audit.ts'
import { createDatabase } from '../support/database.ts'

test.each([
  ['more bets than players', 20_000, 300],
  ['fewer bets than players', 50, 300],
])('the audit of a seeded database finds nothing, with %s', async (_what, bets, players) => {
  const database = await createDatabase()
  await seedDatabase(database.url, { bets, players, day: '2031-05-16' })
  const db = await openDb({ kind: 'postgres', url: database.url })
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  try {
    const { rows } = await sql.query(
      'select (select count(*)::int from purser.bet where stake is not null) as bets, count(*)::int as players from purser.player',
    )
    expect(rows).toEqual([{ bets, players }])
    const { findings, to } = await runWalletAudit(db, { clawback: 'refuse' })
    expect(findings).toEqual([])
    expect(to.number).toBeGreaterThan(BigInt(bets))
    await sql.query("update purser.transfer set amount = amount + 1 where kind = 'payout' and player = 'player-1'")
    expect((await runWalletAudit(db, { clawback: 'refuse' })).findings.length).toBeGreaterThan(0)
  } finally {
    await Promise.all([sql.end(), db.close()])
    await database.drop()
  }
})
