/** The platform's lists and its count of what waits read what they show: shown by plans over 100,000 deliveries. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, PEOPLE_SETTINGS_SQL, type Reading } from '../../src/db/db.ts'
import { createBreakers } from '../../src/platform/breaker.ts'
import { listBets, listDeliveries } from '../../src/platform/lists.ts'
import { createPlatformMetrics } from '../../src/platform/metrics.ts'
import { listPartners } from '../../src/platform/partner-list.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { planOf, sentBy } from '../support/plans.ts'

const MANY = 100_000
/** Rows that a page of 10 may look at. */
const FEW = 80

/** What is not done is the oldest of all: from the latest on it would be found last. */
const FILL = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, body, status, decided_at, due_at)
  select gen_random_uuid(), 1, 'partner-' || i % 5, 'settle', gen_random_uuid(), '{}',
    case when i <= 20 then (array['waiting', 'pending', 'refused', 'unknown', 'stuck'])[i % 5 + 1] else 'done' end, now(), now()
  from generate_series(1, ${MANY}) i`

/** Declined Place bets, which are most of what is refused. */
const DECLINE = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, body, status, decided_at, due_at)
  select gen_random_uuid(), 1, 'partner-1', 'place', gen_random_uuid(), '{}', 'refused', now(), now() from generate_series(1, 10_000) i`

const PARTNERS = `insert into platform.partner (partner_id, base_url, secret, created_at)
  select 'partner-' || i, 'http://127.0.0.1:1', 'a-secret', now() from generate_series(0, 4) i`

let database: TestDatabase
let sql: pg.Client

beforeAll(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query(DECLINE)
  await sql.query(FILL)
  await sql.query(PARTNERS)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

async function plansOf(work: (db: Db) => Promise<unknown>) {
  const plans = []
  for (const sent of await sentBy((people: Reading) => work({ people } as Db)))
    plans.push(await planOf(sql, PEOPLE_SETTINGS_SQL, sent))
  return plans
}

describe.each(['before the tables are analysed', 'after'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'after') await sql.query('analyze')
  })

  const lists: [object, string[]][] = [
    [{}, ['delivery_pkey']],
    [{ status: 'stuck' }, ['delivery_not_done']],
    [{ status: 'pending,stuck,refused' }, ['delivery_not_done']],
    [{ status: 'unknown', partnerId: 'partner-3' }, ['delivery_not_done']],
    [{ status: 'done' }, ['delivery_not_done', 'delivery_pkey']],
  ]
  test.each(lists)('the deliveries %o through their index', async (query, indexes) => {
    for (const plan of await plansOf((db) => listDeliveries({ db, scales: new Map() }, { limit: '10', ...query }))) {
      expect(plan.scans).toEqual(indexes)
      expect(plan.rows).toBeLessThan(FEW)
    }
  })

  test('partners count what waits without what is done', async () => {
    const [plan] = await plansOf((db) => listPartners({ db, breakers: createBreakers(1) }, { limit: '10' }))
    expect(plan?.rows).toBeLessThan(FEW)
  })

  test('bets through the index on their time', async () => {
    const query = { from: '2031-01-01T00:00:00Z', status: 'settled' as const }
    const [plan] = await plansOf((db) => listBets({ db, scales: new Map() }, query))
    expect(plan?.scans).toEqual(['bet_placed'])
  })

  test('what waits and what is owed is counted without what is done or was declined', async () => {
    const clock = { now: () => new Date() }
    const [plan] = await plansOf((db) => createPlatformMetrics(db, clock).text())
    expect(plan?.rows).toBeLessThan(FEW)
  })
})
