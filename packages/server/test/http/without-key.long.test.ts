/**
 * Routes without a key share one database query among any number of callers, so that callers cannot
 * use up the database connections.
 */
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'

const MANY = 32

const statusOf = async (url: string) => (await fetch(url)).status
const all = (url: string) => Promise.all(Array.from({ length: MANY }, () => statusOf(url)))

describe('while a lock prevents the count of deliveries', () => {
  let platform: TestPlatform
  let other: pg.Client

  beforeEach(async () => {
    platform = await startPlatform()
    other = new pg.Client({ connectionString: platform.databaseUrl })
    await other.connect()
    await other.query('begin; lock table platform.delivery in access exclusive mode')
  })
  afterEach(async () => {
    await other.end()
    await platform.stop()
  })

  const counting = async () => {
    const [row] = await platform.sql(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and state = 'active' and query like '%count(*) from platform.delivery%' and pid <> pg_backend_pid()`,
    )
    return row?.n
  }

  test('all scrapes of the metrics share one connection, and the lists are answered', async () => {
    const scrapes = all(`${platform.url}/metrics`)
    await expect.poll(counting).toBe(1)
    expect((await platform.api.request('GET', '/bets')).status).toBe(200)
    expect(await counting()).toBe(1)
    await other.query('rollback')
    expect(await scrapes).toEqual(Array(MANY).fill(200))
  })
})

const SERVERS = [
  { name: 'wallet', start: () => startWallet() },
  { name: 'platform', start: () => startPlatform() },
  { name: 'gateway', start: () => startGateway() },
]

test.each(SERVERS)('all readiness checks of the $name share one connection', async ({ start }) => {
  const server = await start()
  const reader = new pg.Client({ connectionString: server.databaseUrl })
  await reader.connect()
  try {
    expect(await all(`${server.url}/readyz`)).toEqual(Array(MANY).fill(200))
    const { rows } = await reader.query(
      `select pid from pg_stat_activity
       where datname = current_database() and query like '%has_table_privilege%' and pid <> pg_backend_pid()`,
    )
    // 0 if the connection was used for something else since
    expect(rows.length).toBeLessThanOrEqual(1)
  } finally {
    await reader.end()
    await server.stop()
  }
})
