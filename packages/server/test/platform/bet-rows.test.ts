/** Rows of bets from one batch share pages on disk that have space for updates. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hotSettingsSql, type Row, type Statement, type Tx } from '../../src/core/database/db.ts'
import { newBetId } from '../../src/platform/placement/bet-placement.ts'
import { closeBets } from '../../src/platform/store/placement-store.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const NOW = new Date('2026-11-22T12:00:00.000Z')

test('bet ids are ordered by time, look random, and are as hard to guess as random ids', () => {
  const ids = Array.from({ length: 1_000 }, () => newBetId(NOW))
  expect(new Set(ids.map((id) => id.slice(14))).size).toBe(1_000)
  for (const id of ids) expect(id).toMatch(/^01a20320-a200-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(newBetId(new Date(NOW.getTime() + 1)) > (ids.sort().at(-1) ?? '')).toBe(true)
})

const BATCH = 64
const FILL = `insert into platform.bet (bet_id, partner_id, frame_session_id, idempotency_key, request_hash, user_id, currency, token, stake, status,
    ticket_type, coefficient, placed_at, changed_at)
  select r.bet_id, 'a-partner', gen_random_uuid(), r.bet_id::text, repeat('h', 43), 'a-user', 'EUR', repeat('t', 43), 1000, 'placing',
    'single', '2.5', now(), now() from unnest($1::uuid[]) as r (bet_id)`
const WRITTEN = `select n_tup_upd::int as rows, n_tup_hot_upd::int as without_index from pg_stat_xact_user_tables
  where schemaname = 'platform' and relname = 'bet'`

let database: TestDatabase
let sql: pg.Client
beforeAll(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

test('bets of one batch are closed without a write to any index', async () => {
  const betIds = Array.from({ length: BATCH }, () => newBetId(NOW))
  await sql.query(FILL, [betIds])
  const query = async <R extends Row>({ text }: Statement, values: readonly unknown[] = []) =>
    (await sql.query<R>(text, [...values])).rows
  await sql.query(`begin; ${hotSettingsSql('local')}`)
  const closed = betIds.map((betId) => ({ betId, status: 'accepted' as const, reason: null }))
  await closeBets({ query, execute: query } as unknown as Tx, closed, NOW)
  const { rows } = await sql.query(WRITTEN)
  await sql.query('commit')
  expect(rows).toEqual([{ rows: BATCH, without_index: BATCH }])
})
