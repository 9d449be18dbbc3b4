/**
 * No alert fires while a real Prometheus with our alert rules watches a healthy wallet, platform
 * and gateway.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../packages/server/test/support/database.ts'
import { gatewayEnv } from '../../packages/server/test/support/gateway.ts'
import { playerWithMoney } from '../../packages/server/test/support/operator.ts'
import { spawnPlatform } from '../../packages/server/test/support/platform-process.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/test/support/server-process.ts'
import { spawnWallet, type WalletProcess } from '../../packages/server/test/support/wallet-process.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'

/** One scrape per second; PURSER_TEST_SCRAPES makes the watch longer. */
const SCRAPES = Number(process.env.PURSER_TEST_SCRAPES ?? 40)
const SERVERS = 3
const BETS = 100
/** A busy test machine may cause this alert, which is no fault of the servers. */
const OF_THE_MACHINE = 'PurserEventLoopSlow'
const EVER = '[2h]'

let database: TestDatabase
let wallet: WalletProcess
let others: ServerProcess[]
let prometheus: Prometheus
beforeAll(async () => {
  database = await createDatabase()
  wallet = await spawnWallet({ databaseUrl: database.url })
  const platform = await spawnPlatform(database.url)
  const gateway = await spawnServer('gateway', { ...gatewayEnv(database.url), LOG_LEVEL: 'info' })
  others = [platform, gateway]
  prometheus = await startPrometheus({
    'purser-wallet': wallet.url,
    'purser-platform': platform.url,
    'purser-gateway': gateway.url,
  })
})
afterAll(async () => {
  await prometheus.stop()
  await wallet.auditIsClean()
  await Promise.all([wallet, ...others].map(({ kill }) => kill('SIGTERM')))
  await database.drop()
})

async function number(expression: string): Promise<number> {
  const [sample] = await prometheus.query(expression)
  return Number(sample?.value[1] ?? 0)
}

/** Waits for `times` more scrapes of each server. */
async function scraped(times: number): Promise<void> {
  const all = () => number(`min(count_over_time(up${EVER}))`)
  const before = await all()
  await expect.poll(all, { interval: 500 }).toBeGreaterThanOrEqual(before + times)
}

/** Alerts that were in this state at any time, even for one scrape. */
async function alertsEver(state: 'pending' | 'firing'): Promise<string[]> {
  const samples = await prometheus.query(`count by (alertname) (count_over_time(ALERTS{alertstate="${state}"}${EVER}))`)
  return samples.map(({ metric }) => metric.alertname ?? '').filter((name) => name !== OF_THE_MACHINE)
}

test('no alert is pending while the servers are idle, and no statement waits for a connection', async () => {
  await scraped(SCRAPES)
  expect(await number('sum(up)')).toBe(SERVERS)
  expect((await prometheus.alerts()).length).toBeGreaterThan(0)
  expect(await number(`count(max_over_time(purser_database_connections_waiting${EVER}))`)).toBeGreaterThan(SERVERS)
  expect(await number(`max(max_over_time(purser_database_connections_waiting${EVER}))`)).toBe(0)
  expect({ pending: await alertsEver('pending'), firing: await alertsEver('firing') }).toEqual({
    pending: [],
    firing: [],
  })
})

test('no alert fires on a wallet that restarts and is then busy', async () => {
  const port = Number(new URL(wallet.url).port)
  await wallet.kill('SIGTERM')
  await expect.poll(() => alertsEver('pending')).toContain('PurserDown')
  wallet = await spawnWallet({ databaseUrl: database.url, port })
  await expect.poll(() => number('sum(up)')).toBe(SERVERS)
  const player = await playerWithMoney(wallet.operator)
  for (let bet = 0; bet < BETS; bet++) {
    const { status } = await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 0.01 })
    expect(status).toBe(200)
  }
  await scraped(SCRAPES / 2)
  expect(await alertsEver('firing')).toEqual([])
})
