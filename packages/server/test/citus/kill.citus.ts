/**
 * Worker and coordinator are killed under load and restarted. An answered call is stored once; an
 * unanswered call is stored at most once. Citus ends each prepared transaction of a killed node.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { makeCitusDatabase } from '../support/citus-database.ts'
import { startCitus } from '../support/citus-nodes.ts'
import { CITUS_BUCKETS } from '../support/database.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { until } from '../support/server-settings.ts'
import { startScene } from './scene.ts'

const KILLS = 3

let nodes: SecondPostgres[]

beforeAll(async () => {
  nodes = await startCitus(startSecondPostgres)
})
afterAll(() => Promise.all((nodes ?? []).map((node) => node.stop())))

test.for([
  { name: 'a worker', node: 1 },
  { name: 'the coordinator', node: 0 },
])('$name is killed repeatedly under load, and every answered call is stored once', async ({ node }, context) => {
  const addresses = nodes.map(({ url }) => url)
  const databaseUrl = await makeCitusDatabase(`killed_${node}`, addresses)
  const migrated = await run(['migrate', '--citus', `${CITUS_BUCKETS}`], { DATABASE_URL: databaseUrl })
  expect(migrated).toMatchObject({ code: 0 })
  const { random, refused, isWhole } = await startScene(context, databaseUrl)
  const killed = nodes[node] as SecondPostgres
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(500 + random.below(500))
    const isRefused = refused()
    await killed.kill('SIGKILL')
    await until(isRefused)
    await killed.start()
  }
  await isWhole()
})
