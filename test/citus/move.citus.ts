/** A wallet under load is moved from one Postgres to Citus, and back to another one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { depositTo, expectWholeFeed, followFeed, moveUnderLoad, type Scene, walletOn } from '../move/under-load.ts'
import { CITUS_BUCKETS } from '../support/database.ts'
import { MONEY, newDatabase, newPlayers } from '../support/fault-scene.ts'
import { type Server, startPostgres } from '../support/postgres-server.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { inSql } from '../support/second-postgres.ts'
import { startBetting } from '../support/stubborn-load.ts'

const PLAYERS = 8
const BETTORS = 4
const KILLS = 1

const random = seededRandom('move to Citus')
let plain: Server

beforeAll(async () => {
  plain = await startPostgres()
})
afterAll(() => plain?.stop())

async function plainDatabase(name: string): Promise<string> {
  await inSql(plain.url, `create database ${name}`)
  const url = new URL(plain.url)
  url.pathname = `/${name}`
  expect(await run(['migrate'], { DATABASE_URL: url.href })).toMatchObject({ code: 0 })
  return url.href
}

test('to Citus and back: every answered call is there, once, and all goes on where it was', {
  timeout: 280_000,
}, async (context) => {
  const [one, citus, back] = [await plainDatabase('one'), await newDatabase(context), await plainDatabase('back')]
  const wallet = await walletOn(context, one)
  const [players, ofCash] = [await newPlayers(wallet, PLAYERS), await newPlayers(wallet, 2)]
  const [wallets, wires] = [[wallet], [wallet.wire]]
  const betting = startBetting({ wires, players, bettors: BETTORS, random })
  const cash = depositTo(
    wallets,
    ofCash.map(({ userId }) => userId),
  )
  const follower = followFeed(wallets)
  const scene: Scene = { onTestFinished: context.onTestFinished, wallets, wires, random }
  await moveUnderLoad(scene, { from: one, to: citus, buckets: CITUS_BUCKETS }, KILLS)
  await betting.recovered(20)
  const spread = await inSql(
    citus,
    'select distinct nodename, nodeport from citus_shards where citus_table_type = $$distributed$$',
  )
  expect(spread).toHaveLength(2)
  await moveUnderLoad(scene, { from: citus, to: back, buckets: 1 }, KILLS)
  await betting.recovered(20)
  await betting.stop()
  const deposits = await cash.stop()
  expectWholeFeed(await follower.stop(), betting.bets)
  const [last] = wallets as [typeof wallet]
  await expectSameBets(last, players, betting.bets, MONEY)
  for (const { userId } of ofCash)
    expect(await last.operator.balance(userId)).toBe(`${MONEY + (deposits.get(userId) ?? 0)}.00`)
  for (const database of [citus, back])
    expect(await run(['audit'], { DATABASE_URL: database })).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
})
