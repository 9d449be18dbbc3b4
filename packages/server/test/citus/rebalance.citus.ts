/**
 * Citus moves buckets between workers, one by one and with its rebalancer, while the wallet accepts
 * bets. Every answered call is stored once.
 */
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { inSql } from '../support/second-postgres.ts'
import { startScene } from './scene.ts'

const MOVES = 3

const SHARDS = `select s.shardid, n.nodename, n.nodeport from pg_dist_shard s join pg_dist_placement p using (shardid)
  join pg_dist_node n using (groupid) where s.logicalrelid = 'purser.player'::regclass order by 1`

test('buckets move during bets and the rebalancer moves them back, and every answered call is stored once', async (context) => {
  const { url, drop } = await createDatabase()
  context.onTestFinished(drop)
  const { betting, taken, isWhole } = await startScene(context, url)
  const ask = (sql: string) => inSql(url, sql)
  const perWorker = async () => {
    const ports = (await ask(SHARDS)).map(({ nodeport }) => nodeport)
    return [...new Set(ports)].map((port) => ports.filter((one) => one === port).length).sort()
  }
  const shards = await ask(SHARDS)
  const [source] = shards
  const target = shards.find(({ nodeport }) => nodeport !== source?.nodeport)
  const moved = shards.filter(({ nodeport }) => nodeport === source?.nodeport).slice(0, MOVES)
  expect(await perWorker()).toEqual([4, 4])
  for (const { shardid, nodename, nodeport } of moved) {
    await betting.recovered(20)
    await ask(
      `select citus_move_shard_placement(${shardid}, '${nodename}', ${nodeport}, '${target?.nodename}', ${target?.nodeport}, 'auto')`,
    )
  }
  expect(await perWorker()).toEqual([1, 7])
  await ask("select rebalance_table_shards('purser.player')")
  expect(await perWorker()).toEqual([4, 4])
  const before = await taken()
  await betting.recovered(100)
  expect(await taken()).toBeGreaterThan(before)
  await isWhole()
})
