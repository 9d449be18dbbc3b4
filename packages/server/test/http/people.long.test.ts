/**
 * Queries of console users do not delay calls of partners. The queries have their own connections,
 * and the server cancels slow ones.
 */
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'

/** More than the connections of any pool for reading. */
const MANY = 24

let sql: pg.Client | undefined
afterEach(release)

async function release(): Promise<void> {
  await sql?.end()
  sql = undefined
}

/** Locks this table until it is released. */
async function hold(databaseUrl: string, table: string): Promise<void> {
  sql = new pg.Client({ connectionString: databaseUrl })
  await sql.connect()
  await sql.query(`begin; lock table ${table} in access exclusive mode`)
}

/** Number of statements that wait for the table, including those without a client. */
async function waiting(): Promise<number> {
  // otherwise a transaction sees the activity of its first read
  await sql?.query('select pg_stat_clear_snapshot()')
  const { rows } = (await sql?.query(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )) ?? { rows: [] }
  return rows[0]?.n
}

test('users load the frame while support lists bets with filters that match none', async () => {
  const wallet = await startWallet()
  const { userId, token } = await playerWithMoney(wallet.operator, '10.00')
  await hold(wallet.databaseUrl, 'purser.bet')
  const lists = Promise.all(
    Array.from({ length: MANY }, () => wallet.operator.request('GET', '/operator/bets?status=refused')),
  )
  await expect.poll(waiting).toBeGreaterThan(0)
  expect((await wallet.wire.profile(token)).status).toBe(200)
  expect(await wallet.wire.balance({ userId, token })).toMatchObject({ status: 200, body: { amount: 10 } })
  expect((await lists).map(({ status }) => status)).toEqual(Array(MANY).fill(503))
  await expect.poll(waiting).toBe(0)
  await release()
  await wallet.auditIsClean()
  await wallet.stop()
})

test('users load the frame while support lists deliveries with filters that match none', async () => {
  const platform = await startPlatform()
  const { partnerId } = await platform.partner()
  await hold(platform.databaseUrl, 'platform.attempt, platform.selection')
  const betId = '6b0f3f0e-6c0f-4f0e-9d5a-0c5f7b1a2c3d'
  await platform.sql(
    `insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, ticket_type, coefficient, placed_at, changed_at)
     values ($1, $2, $1, '', 'u', 'EUR', 't', 1, 'accepted', 'single', '2', now(), now())`,
    [betId, partnerId],
  )
  const looks = Promise.all(Array.from({ length: MANY }, () => platform.api.request('GET', `/bets/${betId}`)))
  await expect.poll(waiting).toBeGreaterThan(0)
  await platform.api.loadFrame(partnerId)
  expect((await looks).map(({ status }) => status)).toEqual(Array(MANY).fill(503))
  await expect.poll(waiting).toBe(0)
  await release()
  await platform.stop()
})
