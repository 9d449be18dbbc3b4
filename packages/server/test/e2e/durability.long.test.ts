/**
 * When durability settings of Postgres change at run time, answered bets stay durable, or the
 * servers report that they are not ready (W-22).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPlayers, newWallet } from '../support/fault-scene.ts'
import { startGateway } from '../support/gateway.ts'
import { startPlatform } from '../support/platform.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { reload, until } from '../support/server-settings.ts'
import { expectRefused } from '../wallet/answers.ts'

const BETS = 20

let postgres: SecondPostgres
beforeAll(async () => {
  postgres = await startSecondPostgres()
})
afterAll(() => postgres?.stop())

async function newDatabase(name: string): Promise<string> {
  await postgres.execute(`create database ${name}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}

test('the wallet loses no answered bet in a crash after synchronous_commit was switched off', async (context) => {
  const wallet = await newWallet(context, { databaseUrl: await newDatabase('crashed') })
  const [player] = await newPlayers(wallet, 1)
  const place = async () => {
    const transactionId = randomUUID()
    const { status } = await wallet.wire.place({ ...player, transactionId, amount: 1 })
    return { transactionId, status }
  }
  expect(await place()).toMatchObject({ status: 200 })
  // a commit without a wait stays in memory for long
  await postgres.execute('alter system set wal_writer_delay = 10000')
  await reload(postgres, 'synchronous_commit', 'off')
  const bets: Awaited<ReturnType<typeof place>>[] = []
  for (let bet = 0; bet < BETS; bet++) bets.push(await place())
  expect(bets.filter(({ status }) => status !== 200)).toEqual([])
  await postgres.kill('SIGKILL')
  await postgres.start()
  await postgres.execute('alter system reset all')
  await postgres.execute('select pg_reload_conf()')
  await until(async () => (await fetch(`${wallet.url}/readyz`)).status === 200)
  const stored = await Promise.all(
    bets.map(({ transactionId }) => wallet.operator.bet(player?.userId ?? '', transactionId)),
  )
  expect(stored.filter(({ status }) => status === 'open')).toHaveLength(BETS)
  await wallet.auditIsClean()
})

test('wallet, platform and gateway are not ready while fsync is off, and the wallet accepts no bet', async (context) => {
  const wallet = await newWallet(context, { databaseUrl: await newDatabase('wallet') })
  const platform = await startPlatform({ databaseUrl: await newDatabase('platform') })
  const gateway = await startGateway({ databaseUrl: await newDatabase('gateway') })
  const [player] = await newPlayers(wallet, 1)
  const readiness = () =>
    Promise.all([wallet, platform, gateway].map(async ({ url }) => (await fetch(`${url}/readyz`)).status))
  expect(await readiness()).toEqual([200, 200, 200])
  await reload(postgres, 'fsync', 'off')
  await until(async () => (await readiness()).every((status) => status === 503))
  expectRefused(await wallet.wire.place({ ...player, amount: 1 }), 100)
  expect((await wallet.wire.rollback({ ...player })).status).toBe(500)
  await reload(postgres, 'fsync', 'on')
  await until(async () => (await readiness()).every((status) => status === 200))
  expect((await wallet.wire.place({ ...player, amount: 1 })).status).toBe(200)
  await wallet.auditIsClean()
  await platform.stop()
  await gateway.stop()
})
