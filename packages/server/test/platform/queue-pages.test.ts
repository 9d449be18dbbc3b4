/**
 * A scan of the delivery queue reads few pages after 10,000 finished deliveries, even if an old
 * snapshot still needs their rows.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hotSettingsSql, type Row, type Statement, type Tx } from '../../src/core/database/db.ts'
import { type Claim, claimDue, readNextDue } from '../../src/platform/delivery/delivery-claim.ts'
import { createDeliveryLanes } from '../../src/platform/delivery/delivery-lanes.ts'
import { readHeldClaims } from '../../src/platform/recovery/lease-watch.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { planOf, type SentStatement, sentBy } from '../support/plans.ts'

const MANY = 10_000
const AT_ONCE = 500
const FEW = 10
/**
 * Pages of 8 KiB, for FEW deliveries: some of the index, of the deliveries, and of their messages.
 */
const FEW_PAGES = 200

const LANE = { partnerId: 'a-partner', lane: 'results' } as const
const FILL = `with d as (
    insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, decided_at, due_at)
    select gen_random_uuid(), 2, '${LANE.partnerId}', 'settle', gen_random_uuid(), 'pending', now(), now() from generate_series(1, $1::int)
    returning delivery_id)
  insert into platform.message (delivery_id, body) select delivery_id, '{}' from d`

const PLACE = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, attempts, decided_at, first_attempt_at, due_at)
  select gen_random_uuid(), 1, '${LANE.partnerId}', 'place', gen_random_uuid(), 'pending', 1, now(), now(), 'infinity'
  from generate_series(1, $1::int) returning delivery_id`

const lanes = createDeliveryLanes()
let database: TestDatabase
let sql: pg.Client
let reader: pg.Client
/** Id of the first placement in progress. */
let oldest: bigint

const query = async <R extends Row>({ text }: Statement, values: readonly unknown[] = []) =>
  (await sql.query<R>(text, [...values])).rows
const tx = { query } as unknown as Tx
const wanted = (free: number) => [{ ...LANE, free, mark: lanes.marks().get('results a-partner') }]
const claim = (free: number) => claimDue(tx, wanted(free), new Date())

beforeAll(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  reader = new pg.Client({ connectionString: database.url })
  await Promise.all([sql.connect(), reader.connect()])
  await sql.query(
    "insert into platform.partner values ('a-partner', 'http://127.0.0.1:1', json_build_array('a-secret'), now())",
  )
  await sql.query(FILL, [MANY])
  await reader.query('begin isolation level repeatable read')
  await reader.query('select count(*) from platform.delivery')
  await sql.query(hotSettingsSql('session'))
  await sql.query(PLACE, [MANY])
  await sql.query("update platform.delivery set status = 'done' where operation = 'place'")
  for (let claims = await claim(AT_ONCE); claims.length > 0; claims = await claim(AT_ONCE)) await end(claims)
  await sql.query(FILL, [FEW])
  oldest = (await sql.query(PLACE, [FEW])).rows[0].delivery_id
})
afterAll(async () => {
  await reader.query('rollback')
  await Promise.all([sql.end(), reader.end()])
  await database.drop()
})

async function end(claims: readonly Claim[]): Promise<void> {
  lanes.advance(wanted(AT_ONCE), claims)
  const ids = claims.map((one) => one.delivery_id)
  await sql.query("update platform.delivery set status = 'done' where delivery_id = any($1)", [ids])
}

async function pagesOf(sent: readonly SentStatement[]): Promise<number> {
  await sql.query('begin')
  const plan = await planOf(sql, hotSettingsSql('session'), sent[0]!)
  await sql.query('rollback')
  return plan.pages
}

test('a claim starts to read after the previous claim', async () => {
  const next = await sentBy((reading) => claimDue(reading as Tx, wanted(FEW), new Date()))
  expect(await pagesOf(next)).toBeLessThan(FEW_PAGES)
})

test('the query for the next due delivery starts to read there as well', async () => {
  expect(await pagesOf(await sentBy((reading) => readNextDue(reading, lanes.marks())))).toBeLessThan(FEW_PAGES)
})

test('a query from the front of the queue would read all finished rows', async () => {
  expect(await pagesOf(await sentBy((reading) => readNextDue(reading)))).toBeGreaterThan(5 * FEW_PAGES)
})

test('the scan for placements starts at the oldest pending one, because an earlier start would read all finished ones', async () => {
  const pages = async (from?: bigint) => pagesOf(await sentBy((reading) => readHeldClaims(reading, from)))
  const ofClaims = await pages(2n ** 62n) // a scan for claims also starts at the front of each lane
  expect((await pages()) - ofClaims).toBeGreaterThan(MANY / 50)
  expect((await pages(oldest)) - ofClaims).toBeLessThan(2 * FEW)
})

const WRITTEN = `select n_tup_upd::int as rows, n_tup_hot_upd::int as without_index from pg_stat_xact_user_tables
  where schemaname = 'platform' and relname = 'delivery'`

async function written(): Promise<{ rows: number; without_index: number }> {
  return (await sql.query(WRITTEN)).rows[0]
}

test('a claim writes to no index, because each of its rows fits on its own page', async () => {
  await sql.query('begin')
  const before = await written()
  expect(await claim(FEW)).toHaveLength(FEW)
  const after = await written()
  expect([after.rows - before.rows, after.without_index - before.without_index]).toEqual([FEW, FEW])
  await sql.query('rollback')
})
