/**
 * A bet that changes between the reads of the two databases is no difference, because reconcile
 * reads differing bets again.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import type { ReconcileFinding } from '../../src/reconcile/bet-comparison.ts'
import { combineReadings, NOT_ACKNOWLEDGED, type PlatformSide } from '../../src/reconcile/bet-sides.ts'
import { reconcile } from '../../src/reconcile/reconcile.ts'
import { serveWallet } from '../../src/servers/wallet-server.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Books, betIdOf, writeBooks } from './books.ts'

const KEY = 'operator-key-of-this-test'
let databases: TestDatabase[]
let books: Books
let platform: Db
let wallet: Db

beforeEach(async () => {
  databases = await Promise.all([createDatabase(), createDatabase()])
  const urls = databases.map(({ url }) => url) as [string, string]
  books = await writeBooks(...urls, 20)
  platform = await openDb({ kind: 'postgres', url: urls[0] })
  wallet = await openDb({ kind: 'postgres', url: urls[1] })
})
afterEach(async () => {
  await Promise.all([platform.close(), wallet.close(), books.close()])
  await Promise.all(databases.map((database) => database.drop()))
})

/** Runs `happen` between the platform's snapshot and the read of its bets. */
async function compareDuring(happen: () => Promise<void>): Promise<ReconcileFinding[]> {
  const slow: Db = {
    ...platform,
    snapshot: (work) =>
      platform.snapshot(async (tx) => {
        await tx.query({ name: 'begin_snapshot', text: 'select count(*) from platform.bet' })
        await happen()
        return work(tx)
      }),
  }
  const findings: ReconcileFinding[] = []
  const options = { platform: slow, wallet: { kind: 'database', db: wallet } } as const
  await reconcile(options, (finding) => findings.push(finding))
  return findings
}

/** Runs `happen` after the first page of the platform and before the first page of the API. */
async function compareWithApiDuring(happen: () => Promise<void>): Promise<ReconcileFinding[]> {
  let isFirst = true
  const slow: Db = {
    ...platform,
    query: async (statement, values) => {
      const rows = await platform.query(statement, values)
      if (statement.name === 'reconcile_read_platform' && isFirst) {
        isFirst = false
        await happen()
      }
      return rows as never
    },
  }
  const env = { DATABASE_URL: databases[1]?.url, PORT: '0', PARTNER_SECRET: 's', OPERATOR_API_KEY: KEY }
  const server = await serveWallet(readConfig({ ...env, LOG_LEVEL: 'silent' }))
  const findings: ReconcileFinding[] = []
  const source = { kind: 'api', api: { url: server.url, key: KEY } } as const
  try {
    await reconcile({ platform: slow, wallet: source }, (finding) => findings.push(finding))
  } finally {
    await server.close()
  }
  return findings
}

test.each([
  ['databases', compareDuring],
  ['the API', compareWithApiDuring],
])('a bet that is settled on both sides during the comparison of %s is no difference', async (_, compare) => {
  const findings = await compare(async () => {
    await books.wallet(
      "update purser.bet set status = 'settled', payout = 2100, result_type = 'won', payee = 'player' where bet_id = $1",
      5,
    )
    await books.platform(
      `update platform.bet set status = 'settled', payout = 2100, result_type = 'won', acknowledged_status = 'settled', acknowledged_payout = 2100,
         acknowledged_result_type = 'won', deliveries = 2 where bet_id = $1`,
      5,
    )
  })
  expect(findings).toEqual([])
})

test.each([
  ['databases', compareDuring],
  ['the API', compareWithApiDuring],
])(
  'a bet that is settled on one side only is a difference, at any time during the comparison of %s',
  async (_, compare) => {
    const findings = await compare(() =>
      books
        .platform(
          `update platform.bet set status = 'settled', payout = 2100, result_type = 'won', acknowledged_status = 'settled', acknowledged_payout = 2100,
         acknowledged_result_type = 'won', deliveries = 2 where bet_id = $1`,
          5,
        )
        .then(() => books.wallet("update purser.bet set status = 'cancelled' where bet_id = $1", 5)),
    )
    expect(findings.map(({ kind, betId }) => `${kind} ${betId}`)).toEqual([`status ${betIdOf(5)}`])
  },
)

test('a result that is acknowledged during the second reading does not have to be in the wallet', () => {
  const settled = { kind: 'settled', payout: '21.00', resultType: 'won' } as const
  const before: PlatformSide = {
    betId: betIdOf(5),
    players: ['ann'],
    currency: 'EUR',
    stake: '10.00',
    status: 'settled',
    decided: settled,
    acknowledged: { kind: 'open' },
    isUnderWay: false,
    failed: null,
    version: 2,
  }
  const after: PlatformSide = { ...before, acknowledged: settled }
  expect(combineReadings(before, before)).toEqual(before)
  expect(combineReadings(before, after)).toEqual({ ...before, isUnderWay: true })
  expect(combineReadings(undefined, after)).toEqual({ ...after, acknowledged: NOT_ACKNOWLEDGED, isUnderWay: true })
})
