/**
 * Reconcile finds differing bets in any bucket (a group of players) when it reads them a second
 * time, for any number of buckets.
 */
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { recordBucketCount } from '../../src/core/database/schema/buckets.ts'
import { runReconcile } from '../../src/reconcile/reconcile-command.ts'
import { bucketOf } from '../../src/wallet/store/bucket.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { betIdOf, platformBook, walletBook } from './books.ts'

const BETS = 12
let databases: TestDatabase[] = []
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

/** A platform without bets, and a wallet with twelve open bets, each of another player. */
async function onlyAtWallet(buckets: number, bucketFor = (player: string) => bucketOf(player, buckets)) {
  databases = await Promise.all([createDatabase(), createDatabase()])
  const [platformUrl, walletUrl] = databases.map(({ url }) => url) as [string, string]
  const db = await openDb({ kind: 'postgres', url: walletUrl })
  await recordBucketCount(db, buckets)
  await db.close()
  const [platform, wallet] = [platformUrl, walletUrl].map((url) => new pg.Client({ connectionString: url })) as [
    pg.Client,
    pg.Client,
  ]
  await Promise.all([platform.connect(), wallet.connect()])
  for (const sql of platformBook(0)) await platform.query(sql)
  for (const sql of walletBook(0)) await wallet.query(sql)
  for (let i = 1; i <= BETS; i += 1) {
    const player = `somebody-${i}`
    await wallet.query(
      `insert into purser.bet (bucket, player, bet_id, status, calls, currency, stake, funder, stake_version, request_id, placed_at, first_seen_at, changed_at)
       values ($1, $2, $3, 'open', 1, 'EUR', 1000, 'player', 1, 'request', now(), now(), now())`,
      [bucketFor(player), player, betIdOf(i)],
    )
  }
  await Promise.all([platform.end(), wallet.end()])
  return ['--platform-database-url', platformUrl, '--wallet-database-url', walletUrl] as const
}

async function reconciled([, platformDatabaseUrl, , walletDatabaseUrl]: readonly [string, string, string, string]) {
  let text = ''
  const options = { platformDatabaseUrl, walletDatabaseUrl, json: true } as const
  const isClean = await runReconcile(options, readConfig({}, PROCESS_ROLES.tool), (part) => {
    text += part
  })
  const { findings } = JSON.parse(text) as { findings: { kind: string; betId: string; player: string }[] }
  return { isClean, found: findings.map(({ kind, betId, player }) => `${kind} ${betId} ${player}`).sort() }
}

const ALL = Array.from({ length: BETS }, (_, i) => `missing_at_platform ${betIdOf(i + 1)} somebody-${i + 1}`).sort()

test.each([1, 16, 64, 1_024])(
  'reconcile compares all players of a wallet with %i buckets in its own database',
  async (buckets) => {
    expect(await reconciled(await onlyAtWallet(buckets))).toEqual({ isClean: false, found: ALL })
  },
)

test('reconcile finds bets in a bucket that does not belong to the player', async () => {
  expect(await reconciled(await onlyAtWallet(64, () => 70))).toEqual({ isClean: false, found: ALL })
})
