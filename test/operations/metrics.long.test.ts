/**
 * Each metric changes when the event that it counts or measures happens, on real servers and a real
 * database.
 */

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../packages/server/test/cli/command.ts'
import { type Consumer, startConsumer } from '../../packages/server/test/support/consumer.ts'
import { asServer } from '../../packages/server/test/support/database.ts'
import { playerWithMoney } from '../../packages/server/test/support/operator.ts'
import { startPlatform, type TestPlatform } from '../../packages/server/test/support/platform.ts'
import { reset } from '../../packages/server/test/support/scripted-wallet.ts'
import { startTcpProxy } from '../../packages/server/test/support/tcp-proxy.ts'
import { spawnWallet, startWallet, type TestWallet } from '../../packages/server/test/support/wallet.ts'
import { scrape } from './scrape.ts'

type Labels = Record<string, string>

describe('the metrics of a wallet', () => {
  let wallet: TestWallet
  let owner: pg.Client
  beforeAll(async () => {
    wallet = await startWallet()
    owner = new pg.Client({ connectionString: wallet.databaseUrl })
    await owner.connect()
  })
  afterEach(() => wallet.auditIsClean())
  afterAll(async () => {
    await owner.end()
    await wallet.stop()
  })

  const value = async (name: string, labels?: Labels) => (await scrape(wallet.url)).value(name, labels)
  const becomes = (name: string, labels?: Labels) => expect.poll(() => value(name, labels), { interval: 200 })

  /** Runs the SQL and holds its locks until the returned function is called. */
  async function held(sql: string): Promise<() => Promise<void>> {
    await owner.query('begin')
    await owner.query(sql)
    return async () => void (await owner.query('rollback'))
  }

  test('count the calls of the operator API by route and status, and name no player', async () => {
    const { userId } = await wallet.operator.createPlayer()
    await wallet.operator.request('GET', `/operator/players/${userId}`)
    await wallet.operator.request('GET', '/operator/players/nobody-at-all')
    const route = 'GET /operator/players/:userId'
    await becomes('purser_api_calls_total', { route, status: '404' }).toBe(1)
    const seen = await scrape(wallet.url)
    expect(seen.value('purser_api_calls_total', { route, status: '200' })).toBe(1)
    expect(seen.value('purser_api_call_duration_seconds_count', { route })).toBe(2)
    expect(seen.text).not.toContain(userId)
  })

  test('show the calls that wait for a connection, and the number of connections', async () => {
    const release = await held('lock table purser.bet in access exclusive mode')
    const lists = Array.from({ length: 6 }, () => wallet.operator.request('GET', '/operator/bets'))
    await becomes('purser_database_connections_waiting', { pool: 'people' }).toBeGreaterThan(0)
    const seen = await scrape(wallet.url)
    expect(seen.value('purser_database_connections_max', { pool: 'people' })).toBe(4)
    await release()
    await Promise.all(lists)
    await becomes('purser_database_connections_waiting', { pool: 'people' }).toBe(0)
    expect(await value('purser_database_connections_busy', { pool: 'people' })).toBeLessThanOrEqual(4)
  })

  test('count anomalies by their name', async () => {
    const { userId } = await playerWithMoney(wallet.operator)
    await wallet.wire.settle({ userId, transactionId: randomUUID(), amount: 1 })
    expect(await value('wallet_anomalies_total', { anomaly: 'settle_of_unknown_bet' })).toBe(1)
  })

  test('count payouts above the odds from 0, so that the first one is an increase', async () => {
    const above = () => value('wallet_anomalies_total', { anomaly: 'payout_above_odds' })
    expect(await above()).toBe(0)
    const { userId, token } = await playerWithMoney(wallet.operator)
    const bet = { userId, transactionId: randomUUID() }
    await wallet.wire.place({ ...bet, token, amount: 1, coefficient: 2 })
    await wallet.wire.settle({ ...bet, amount: 3 })
    expect(await above()).toBe(1)
  })

  test('show the delay of events in the feed while a consumer follows it', async () => {
    const player = await playerWithMoney(wallet.operator)
    const release = await held('select * from purser.feed_counter for update')
    await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })
    await wallet.operator.request('GET', '/operator/changes?after=latest')
    wallet.clock.advance(60_000)
    await becomes('purser_feed_lag_seconds').toBeGreaterThan(50)
    await release()
    await wallet.operator.request('GET', '/operator/changes?after=latest')
    await becomes('purser_feed_lag_seconds').toBe(0)
    expect(await value('purser_feed_events_total')).toBeGreaterThan(0)
  })

  test('include the lag of a webhook’s consumer', async () => {
    const consumer: Consumer = await startConsumer()
    consumer.answer = () => 500
    await wallet.operator.request('PUT', '/operator/webhooks/crm', { url: consumer.url })
    const player = await playerWithMoney(wallet.operator)
    await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })
    const webhook = 'crm'
    await becomes('wallet_webhook_backlog_events', { webhook }).toBeGreaterThan(0)
    wallet.clock.advance(60_000)
    await becomes('wallet_webhook_lag_seconds', { webhook }).toBeGreaterThan(50)
    consumer.answer = () => 200
    await becomes('wallet_webhook_backlog_events', { webhook }).toBe(0)
    expect(await value('wallet_webhook_lag_seconds', { webhook })).toBe(0)
    await wallet.operator.request('DELETE', '/operator/webhooks/crm')
    await consumer.close()
  })

  test('include the last audit, of the API and of the command, with its verdict', async () => {
    wallet.clock.advance(1_000)
    const at = wallet.clock.now().getTime() / 1_000
    await wallet.auditIsClean()
    await becomes('purser_last_audit_timestamp_seconds').toBeGreaterThanOrEqual(at)
    await owner.query('update purser.account set version = version + 1')
    const { code, stderr } = await run(['audit'], { DATABASE_URL: wallet.databaseUrl })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const { rows } = await owner.query("select key_name, after from purser.action where operation = 'audit'")
    expect(rows).toEqual([
      { key_name: 'purser audit', after: expect.objectContaining({ findings: expect.any(Number), whole: true }) },
    ])
    await owner.query('update purser.account set version = version - 1')
  })
})

test('an audit as a role that may not write reports that, and still audits', async () => {
  const wallet = await startWallet()
  const readOnly = new URL(wallet.databaseUrl)
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on')
  const { code, stdout, stderr } = await run(['audit'], { DATABASE_URL: readOnly.href })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'audit: no findings\n' })
  expect(stderr).toMatch(/is not recorded in purser\.action, so no metric shows it/)
  await wallet.stop()
})

test('a finding of purser audit appears in the metrics of the servers', async () => {
  const platform = await startPlatform()
  const wallet = await startWallet({ databaseUrl: platform.databaseUrl })
  await playerWithMoney(wallet.operator)
  await platform.sql('update purser.account set version = version + 1')
  expect((await run(['audit'], { DATABASE_URL: wallet.databaseUrl })).code).toBe(1)
  const findings = async (url: string) => (await scrape(url)).value('purser_last_audit_findings')
  await expect.poll(() => findings(wallet.url)).toBeGreaterThan(0)
  await expect.poll(() => findings(platform.url)).toBe(0)
  expect((await scrape(platform.url)).value('purser_last_audit_timestamp_seconds')).toBeGreaterThan(0)
  await platform.sql('update purser.account set version = version - 1')
  await wallet.auditIsClean()
  await wallet.stop()
  await platform.stop()
})

describe('the metrics of a platform', () => {
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.stop())

  test('count the partners that are down', async () => {
    const { wallet, partnerId } = await platform.partner()
    const frame = await platform.api.loadFrame(partnerId)
    const down = async () => (await scrape(platform.url)).value('platform_partners_down')
    expect(await down()).toBe(0)
    for (const operation of ['place', 'rollback'] as const) wallet.always(operation, reset)
    for (let bet = 0; bet < 5; bet++) await platform.api.place(frame)
    await expect.poll(down).toBe(1)
    for (const operation of ['place', 'rollback'] as const) wallet.always(operation, {})
    await expect.poll(down).toBe(0)
  })

  test('include those that every process has', async () => {
    const { names } = await scrape(platform.url)
    expect([...names]).toEqual(
      expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']),
    )
  })
})

test('a wallet without its database still answers, and reports that it is not ready', async () => {
  const other = await startWallet()
  const network = await startTcpProxy(asServer('wallet', other.databaseUrl))
  const wallet = await spawnWallet({ env: { DATABASE_URL: network.url } })
  expect((await scrape(wallet.url)).value('purser_ready')).toBe(1)
  network.silence()
  const seen = async () => {
    const { value } = await scrape(wallet.url)
    return { depth: value('wallet_queue_depth'), ready: value('purser_ready') }
  }
  await expect.poll(seen).toEqual({ depth: 0, ready: 0 })
  network.resume()
  await expect.poll(seen).toEqual({ depth: 0, ready: 1 })
  await wallet.auditIsClean()
  await wallet.kill('SIGTERM')
  await network.close()
  await other.stop()
})
