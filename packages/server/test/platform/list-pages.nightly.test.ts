/**
 * A list page of deliveries reads a bounded number of rows, even if few of 100,000 deliveries
 * match. The next pages have the other matches.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, type Queryable, USER_QUERY_SETTINGS_SQL } from '../../src/core/database/db.ts'
import { getRetry } from '../../src/platform/api/deliveries/bulk-retries.ts'
import { listDeliveries } from '../../src/platform/api/deliveries/delivery-list.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { planOf, type SentStatement } from '../support/plans.ts'

const MANY = 100_000
const WANTED = 20
const MOST_LOOKED_AT = 5_000
/** Further rows that a page may read. */
const FEW = 80

const DONE = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, decided_at, due_at)
  select gen_random_uuid(), 1, 'large', 'settle', gen_random_uuid(), 'done', now(), now() from generate_series(1, ${MANY}) i`
/** The small partner's waiting deliveries are the oldest; rejected deliveries are the latest. */
const WAITING = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, decided_at, due_at)
  select gen_random_uuid(), 2, case when i <= ${WANTED} then 'small' else 'large' end, 'settle', gen_random_uuid(),
    case when i > ${MANY} then 'refused' else 'pending' end, now(), now() from generate_series(1, ${MANY} + ${WANTED}) i`
const RETRY_ID = '00000000-0000-0000-0000-00000000ffff'
/** One retry has sent all deliveries again. */
const RETRY = `insert into platform.retry (retry_id, at, key_name, chosen, count, still_retrying, progress_at)
  values ('${RETRY_ID}', now(), 'key', '{}', ${MANY}, 0, now())`
const RETRIED = `insert into platform.retry_delivery (retry_id, delivery_id)
  select '${RETRY_ID}', delivery_id from platform.delivery where number = 2`

let database: TestDatabase
let sql: pg.Client
let sent: SentStatement[]

beforeAll(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  for (const text of [DONE, WAITING, RETRY, RETRIED]) await sql.query(text)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** A database that answers statements and records them. */
function newDb(): Db {
  sent = []
  const query: Queryable['query'] = async ({ name, text }, values = []) => {
    sent.push([{ name, text }, values])
    return (await sql.query(text, [...values])).rows
  }
  const sums = async () => [] // the counts by state read every delivery
  return { userQueries: { query }, reportSnapshot: sums } as unknown as Db
}

interface Page {
  readonly data: readonly unknown[]
  readonly next: string | null
}

/** The first page is empty but has a next page, and together the pages have all matches. */
async function readOn(read: (after: string | undefined) => Promise<Page>): Promise<void> {
  const first = await read(undefined)
  expect(first).toMatchObject({ data: [], next: expect.any(String) })
  for (const one of [...sent]) {
    const plan = await planOf(sql, USER_QUERY_SETTINGS_SQL, one)
    expect(plan.scans).not.toContain('none')
    expect(plan.rows, one[0].name).toBeLessThan(2 * MOST_LOOKED_AT + FEW)
  }
  let found = 0
  for (let page = first; page.next !== null; found += page.data.length) page = await read(page.next)
  expect(found).toBe(WANTED)
}

describe.each(['before the tables are analysed', 'after'])('a page of the list %s uses the index for', (when) => {
  beforeAll(async () => {
    if (when === 'after') await sql.query('analyze')
  })

  test.each(['pending', 'waiting,pending', 'done,pending'])(
    'deliveries of a small partner with the status %s',
    async (status) => {
      const db = newDb()
      await readOn((after) =>
        listDeliveries({ db, scales: new Map() }, { status, partnerId: 'small', ...(after && { after }) }),
      )
    },
  )

  test('rejected deliveries of a retry, whose states are counted for the first page', async () => {
    const deps = { db: newDb(), clock: { now: () => new Date() } }
    await readOn(async (after) => {
      const page = await getRetry(deps, RETRY_ID, { status: 'refused', ...(after && { after }) })
      expect('states' in page).toBe(after === undefined)
      return page
    })
  })
})
