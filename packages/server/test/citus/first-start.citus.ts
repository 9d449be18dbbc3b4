/**
 * The first start of a wallet asks every bucket for the platforms that have bets (O-1). With 1,024
 * buckets, this query may take longer than the time limit of a call.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { CITUS_BUCKETS } from '../support/database.ts'
import { newDatabase, newPlayers, newWallet } from '../support/fault-scene.ts'

/**
 * Longer than the limit for a read (database/postgres/postgres.ts), shorter than the limit for a
 * sum.
 */
const LONG_MS = 5_000

test('the query of a first start on Citus may take longer than a call may', async (context) => {
  const databaseUrl = await newDatabase(context)
  const env = { PURSER_BUCKETS: `${CITUS_BUCKETS}` }
  const [holder, looker] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)]
  for (const client of [holder, looker]) {
    await client.connect()
    context.onTestFinished(() => client.end())
  }
  await holder.query('begin; lock table purser.bet in access exclusive mode')
  const waiting = async () => {
    const { rows } = await looker.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%purser.bet%' and pid <> pg_backend_pid()`,
    )
    return rows.length
  }
  const release = async () => {
    await expect.poll(waiting).toBeGreaterThan(0)
    await sleep(LONG_MS)
    await holder.query('rollback')
  }
  const [wallet] = await Promise.all([newWallet(context, { databaseUrl, env }), release()])
  const [player] = await newPlayers(wallet, 1)
  expect((await wallet.wire.place({ ...player, amount: 1 })).status).toBe(200)
})
