/**
 * `purser move` locks the table of players in its last phase. All calls wait for this lock, and the
 * fast path waits for no other lock.
 */
import pg from 'pg'
import { expect, test } from 'vitest'
import { CITUS_BUCKETS } from '../support/database.ts'
import { newDatabase, newPlayers, newWallet } from '../support/fault-scene.ts'

test('a wallet on Citus takes no call while the table of players is locked', async (context) => {
  const databaseUrl = await newDatabase(context)
  const wallet = await newWallet(context, { databaseUrl, env: { PURSER_BUCKETS: `${CITUS_BUCKETS}` } })
  const [player] = await newPlayers(wallet, 1)
  const place = async () => (await wallet.wire.place({ ...player, amount: 1 })).status
  expect(await place()).toBe(200)
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  context.onTestFinished(() => holder.end())
  await holder.query('begin; lock table purser.player in exclusive mode')
  expect(await place()).not.toBe(200)
  await holder.query('rollback')
  await expect.poll(place).toBe(200)
})
