/**
 * A worker and the coordinator, killed under load and begun again. What was answered is there, once, and what was not is there once or not at all;
 * the transactions that a node had made ready are ended by Citus, one way or the other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { makeCitusDatabase } from '../support/citus-database.ts'
import { startCitus } from '../support/citus-nodes.ts'
import { exitOf, MONEY, newPlayers, newWallet } from '../support/fault-scene.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { until } from '../support/server-settings.ts'
import { isAllowedInAFault, startBetting } from '../support/stubborn-load.ts'

/** So many that each of two workers has some. */
const PLAYERS = 12
const BETTORS = 12
const KILLS = 3

const random = seededRandom('citus')
let nodes: SecondPostgres[]

beforeAll(async () => {
  nodes = await startCitus(startSecondPostgres)
})
afterAll(() => Promise.all((nodes ?? []).map((node) => node.stop())))

async function newDatabase(name: string): Promise<string> {
  const addresses = nodes.map(({ url }) => url)
  const url = await makeCitusDatabase(name, addresses)
  expect(await run(['migrate', '--citus', '8'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
  return url
}

test.for([
  { name: 'a worker', node: 1 },
  { name: 'the coordinator', node: 0 },
])('$name killed under load, again and again: every answered call is there, once', async ({ node }, context) => {
  const databaseUrl = await newDatabase(`wallet_${node}`)
  const killed = nodes[node] as SecondPostgres
  const wallet = await newWallet(context, { databaseUrl })
  const players = await newPlayers(wallet, PLAYERS)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random })
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(500 + random.below(500))
    const killedAt = performance.now()
    await killed.kill('SIGKILL')
    await until(async () => betting.answers.some(({ sentAt, status }) => sentAt > killedAt && status !== 200))
    await killed.start()
  }
  await betting.recovered(50)
  await betting.stop()
  expect(betting.answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
  await expectSameBets(wallet, players, betting.bets, MONEY)
  for (const audit of [['audit'], ['audit', '--changed']])
    expect(await run(audit, { DATABASE_URL: databaseUrl })).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
  expect(await exitOf(wallet, 'SIGTERM')).toBe(0)
})
