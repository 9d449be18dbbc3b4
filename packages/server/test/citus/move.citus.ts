import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { walletInUse } from '../move/under-load.ts'
import { CITUS_BUCKETS } from '../support/database.ts'
import { newDatabase } from '../support/fault-scene.ts'
import { type Server, startPostgres } from '../support/postgres-server.ts'
import { seededRandom } from '../support/random.ts'
import { inSql } from '../support/second-postgres.ts'

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

test('a move to Citus and back keeps every answered call once, and every reader continues at its position', {
  timeout: 280_000,
}, async (context) => {
  const [one, citus, back] = [await plainDatabase('one'), await newDatabase(context), await plainDatabase('back')]
  const inUse = await walletInUse(context, one, { players: PLAYERS, ofCash: 2, bettors: BETTORS, random })
  await inUse.move({ from: one, to: citus, buckets: CITUS_BUCKETS }, KILLS)
  const spread = await inSql(
    citus,
    'select distinct nodename, nodeport from citus_shards where citus_table_type = $$distributed$$',
  )
  expect(spread).toHaveLength(2)
  await inUse.move({ from: citus, to: back, buckets: 1 }, KILLS)
  await inUse.end()
  for (const database of [citus, back])
    expect(await run(['audit'], { DATABASE_URL: database })).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
})
