/**
 * A change of a webhook and its audit entry are committed together before the answer, or not at all
 * (W-42, O-4).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let sql: pg.Client
let holder: pg.Client

beforeAll(async () => {
  wallet = await startWallet()
  ;[sql, holder] = [1, 2].map(() => new pg.Client({ connectionString: wallet.databaseUrl })) as [pg.Client, pg.Client]
  await Promise.all([sql.connect(), holder.connect()])
  await wallet.operator.createPlayer() // the feed has an event
})
afterAll(async () => {
  await Promise.all([sql.end(), holder.end()])
  await wallet.stop()
})

const HOOK = '/operator/webhooks/hook'
/** No server listens there. */
const url = 'http://127.0.0.1:1/hook'
const ask = (method: string, path: string, body?: object) => wallet.operator.request(method, path, body)
beforeEach(async () => {
  expect((await ask('PUT', HOOK, { url, after: 'latest' })).status).toBeLessThan(300)
})

const CHANGES: [string, number, () => ReturnType<typeof ask>, string][] = [
  ['saved', 200, () => ask('PUT', HOOK, { url, events: ['bet.placed'] }), 'purser.webhook'],
  ['removed', 204, () => ask('DELETE', HOOK), 'purser.webhook'],
  ['replayed from a position', 200, () => ask('POST', `${HOOK}/replay`, { after: '0' }), 'purser.webhook'],
  ['given another secret', 201, () => ask('POST', `${HOOK}/rotate`, {}), 'purser.webhook'],
  ['tested', 200, () => ask('POST', `${HOOK}/test`), 'purser.action'],
]

const WAITING =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'webhook|action'"

test.each(CHANGES)('the answer waits for the commit when a webhook is %s', async (_what, expected, change, table) => {
  await holder.query('begin')
  await holder.query(`lock table ${table} in exclusive mode`)
  let isAnswered = false
  const answer = change().finally(() => {
    isAnswered = true
  })
  await expect.poll(async () => (await sql.query(WAITING)).rowCount).toBeGreaterThan(0)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  expect(isAnswered).toBe(false)
  await holder.query('rollback')
  expect((await answer).status).toBe(expected)
})

test.each(CHANGES)('a webhook is not %s without its row in the audit log', async (_what, _status, change) => {
  const row = async () =>
    (await sql.query('select url, events, state, acknowledged_to, old_until from purser.webhook')).rows
  const before = await row()
  await sql.query(`
    create function purser.fails() returns trigger language plpgsql as $$ begin raise exception 'out of order'; end $$;
    create trigger fails before insert on purser.action for each row execute function purser.fails()`)
  try {
    expect((await change()).status).toBe(500)
  } finally {
    await sql.query('drop function purser.fails cascade')
  }
  expect(await row()).toEqual(before)
})
