/**
 * Reconcile compares embedded databases, which have one connection each. Its snapshot and the
 * second read of differing bets share that connection.
 */
import { expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { migrateSchema } from '../../src/core/database/schema/schema-migration.ts'
import type { ReconcileFinding } from '../../src/reconcile/bet-comparison.ts'
import { reconcile } from '../../src/reconcile/reconcile.ts'
import { betIdOf, platformBook, walletBook } from './books.ts'

const BETS = 40

test('reconcile compares two embedded databases, each through its one connection', async () => {
  const open = async (book: string[]) => {
    const db = await openDb({ kind: 'pglite', dataDir: 'memory://' })
    await migrateSchema(db)
    await db.script(async (run) => {
      for (const sql of book) await run(sql)
    })
    return db
  }
  const platform = await open(platformBook(BETS))
  const wallet = await open(walletBook(BETS - 4))
  const findings: ReconcileFinding[] = []
  const options = { platform, wallet: { kind: 'database', db: wallet } } as const
  const summary = await reconcile(options, (one) => findings.push(one))
  expect(summary).toMatchObject({ bets: BETS, differences: 3 })
  expect(findings.map(({ kind, betId }) => `${kind} ${betId}`)).toEqual(
    [37, 38, 40].map((i) => `missing_at_wallet ${betIdOf(i)}`),
  )
  await Promise.all([platform.close(), wallet.close()])
})
