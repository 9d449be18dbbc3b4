/**
 * The platform's lists and its count of waiting deliveries read only the rows that they show. The
 * test reads query plans over 100,000 deliveries.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../src/core/auth/audit-log/audit-log.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, INDEX_PLANS_ONLY, type Queryable, USER_QUERY_SETTINGS_SQL } from '../../src/core/database/db.ts'
import { getRetry, listRetries } from '../../src/platform/api/deliveries/bulk-retries.ts'
import { listDeliveries } from '../../src/platform/api/deliveries/delivery-list.ts'
import { listPartners } from '../../src/platform/api/partner-list.ts'
import { listPlatformBets, loadSelectionMembers } from '../../src/platform/api/platform-bet-list.ts'
import { lookUpPlatformId } from '../../src/platform/api/platform-lookup.ts'
import { createCircuitBreakers } from '../../src/platform/circuit-breaker.ts'
import { RETRY_SLICE, retryMatching } from '../../src/platform/delivery/manual-retry.ts'
import { createPlatformMetrics } from '../../src/platform/platform-metrics.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { planOf, type SentStatement, sentBy } from '../support/plans.ts'

const MANY = 100_000
/** Rows that a page of 10 may read. */
const FEW = 80

/** The unfinished deliveries are the oldest, so a scan from the latest finds them last. */
const FILL = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, decided_at, due_at)
  select gen_random_uuid(), 1, 'partner-' || i % 5, 'settle', gen_random_uuid(),
    case when i <= 20 then (array['waiting', 'pending', 'refused', 'unknown', 'stuck'])[i % 5 + 1] else 'done' end, now(), now()
  from generate_series(1, ${MANY}) i`

/** Declined Place bets, which are the majority of rejected deliveries. */
const DECLINE = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, decided_at, due_at)
  select gen_random_uuid(), 1, 'partner-1', 'place', gen_random_uuid(), 'refused', now(), now() from generate_series(1, 10_000) i`
/**
 * 100,000 deliveries that need attention. Nearly every one belongs to one partner and was rejected
 * with one code; the matches of the filters are the oldest.
 */
const FILL_OWED = `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, code, decided_at, due_at,
    owed_since, owed_amount, owed_currency)
  select gen_random_uuid(), 2, case when i <= 20 then 'small' else 'large' end, case when i <= 20 then 'unsettle' else 'settle' end,
    gen_random_uuid(), case when i <= 20 then 'stuck' else 'refused' end, case when i <= 20 then 21 else 20 end,
    now(), now(), now() + i * interval '1 ms', 21.00, 'EUR'
  from generate_series(1, ${MANY}) i`

/** The cancelled bets of a small partner are the oldest. */
const BETS = `insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, ticket_type,
    coefficient, placed_at, changed_at)
  select gen_random_uuid(), case when i <= 20 then 'partner-small' else 'partner-1' end, gen_random_uuid(), '', 'player', 'EUR', '', 100,
    case when i <= 20 then 'cancelled' else 'accepted' end, 'single', '2', timestamptz '2031-01-01Z' + i * interval '1 s', now()
  from generate_series(1, ${MANY}) i`
const MOST_LOOKED_AT = 5_000
/** A list shows three selections of an express. */
const SELECTIONS = `insert into platform.selection (bet_id, number, event_id, outcome_id, coefficient, details)
  select bet_id, n, 'event-' || n, 'home', '2', '{}' from platform.bet, generate_series(1, case when partner_id = 'partner-small' then 50 else 1 end) n`

const PARTNERS = `insert into platform.partner (partner_id, base_url, secrets, created_at)
  select 'partner-' || i, 'http://127.0.0.1:1', '["a-secret"]', now() from generate_series(0, 4) i`

/** Each of 1,000 retries has sent ten deliveries again, which are done. */
const RETRIES = `insert into platform.retry (retry_id, at, key_name, chosen, count, still_retrying, progress_at)
  select lpad(i::text, 32, '0')::uuid, timestamptz '2031-01-01Z' + i * interval '1 s', 'key', '{}', 10, 0, now() from generate_series(0, 999) i`
const RETRIED = `insert into platform.retry_delivery (retry_id, delivery_id)
  select lpad((delivery_id % 1_000)::text, 32, '0')::uuid, delivery_id from platform.delivery where delivery_id between 20_000 and 29_999`
const RETRY_ID = '00000000-0000-0000-0000-000000000777'

/** The message of each delivery on a page is read by its id. */
const OF_EACH = 'message_pkey'

const filled = filledDatabase(DECLINE, FILL, PARTNERS, BETS, SELECTIONS, RETRIES, RETRIED)

async function plansOf(work: (db: Db) => Promise<unknown>) {
  const plans = []
  const transaction = async () => {} // writes have no plan to check
  const dbOf = (people: Queryable) =>
    ({
      userQueries: people,
      transaction,
      reportSnapshot: (of: (tx: Queryable) => unknown) => of(people),
    }) as unknown as Db
  const sent = await sentBy((people: Queryable) => work(dbOf(people)))
  for (const one of sent.filter(([{ name }]) => name !== INDEX_PLANS_ONLY.name))
    plans.push(await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, one))
  return plans.map((plan) => ({ ...plan, scans: plan.scans.filter((index) => index !== OF_EACH) }))
}

/** A database that answers statements and records them. */
function answering(): { sent: SentStatement[]; people: Queryable } {
  const sent: SentStatement[] = []
  const query: Queryable['query'] = async ({ name, text }, values = []) => {
    sent.push([{ name, text } as SentStatement[0], values])
    return (await filled.sql.query(text, [...values])).rows
  }
  return { sent, people: { query } }
}

describe.each(['before the tables are analysed', 'after'])('the query plan %s', (when) => {
  beforeAll(async () => {
    if (when === 'after') await filled.sql.query('analyze')
  })

  const lists: [object, string[]][] = [
    [{}, ['delivery_pkey']],
    [{ status: 'stuck' }, ['delivery_not_done']],
    [{ status: 'pending,stuck,refused' }, ['delivery_not_done']],
    [{ status: 'unknown', partnerId: 'partner-3' }, ['delivery_not_done']],
    [{ status: 'done' }, ['delivery_not_done', 'delivery_pkey']],
    [{ status: 'refused', operation: 'settle' }, ['delivery_not_done']],
    [{ status: 'stuck', code: '21' }, ['delivery_not_done']],
  ]
  test.each(lists)('uses the index of the deliveries %o', async (query, indexes) => {
    for (const plan of await plansOf((db) => listDeliveries({ db, scales: new Map() }, { limit: '10', ...query }))) {
      expect(plan.scans).toEqual(indexes)
      expect(plan.rows).toBeLessThan(FEW)
    }
  })

  test.each([
    { partnerId: 'nobody' },
    { operation: 'unsettle' as const },
    { code: '77' },
    {
      status: 'done',
      partnerId: 'nobody',
      after: Buffer.from('["2031-01-01T00:00:00Z","90000"]').toString('base64url'),
    },
  ])('limits the rows that are read for the deliveries %o, of which there are none', async (query) => {
    const { sent, people } = answering()
    const page = await listDeliveries(
      { db: { userQueries: people } as Db, scales: new Map() },
      { limit: '10', ...query },
    )
    expect(page).toMatchObject({ data: [], next: expect.any(String) })
    for (const one of sent) {
      const plan = await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, one)
      expect(plan.scans).not.toContain('none')
      expect(plan.rows).toBeLessThan(2 * MOST_LOOKED_AT + FEW) // the statement has two parts
    }
  })

  test('for partners counts waiting deliveries without the finished ones', async () => {
    const partners = { connections: async () => new Map() }
    for (const plan of await plansOf((db) =>
      listPartners({ db, breakers: createCircuitBreakers(1), partners }, { limit: '10' }),
    ))
      expect(plan.rows).toBeLessThan(FEW)
  })

  test('for declined Place bets uses their own index, and other lists do not read them', async () => {
    await filled.sql.query('begin')
    await filled.sql.query(DECLINE)
    const [refused] = await plansOf((db) =>
      listDeliveries({ db, scales: new Map() }, { status: 'refused', limit: '10' }),
    )
    expect(refused?.rows).toBeLessThan(FEW)
    const query = { status: 'refused', operation: 'place', limit: '10' } as const
    const plans = await plansOf((db) => listDeliveries({ db, scales: new Map() }, query))
    await filled.sql.query('rollback')
    const places = plans.at(-1)
    expect(places?.scans).toEqual(['delivery_not_done', 'delivery_declined'])
    expect(places?.rows).toBeLessThan(FEW)
  })

  describe('for 100,000 deliveries that need attention', () => {
    beforeAll(async () => {
      await filled.sql.query('begin')
      await filled.sql.query(FILL_OWED)
      if (when === 'after') await filled.sql.query('analyze')
    })
    afterAll(() => filled.sql.query('rollback'))

    const owed: [object, string][] = [
      [{}, 'delivery_owed'],
      [{ partnerId: 'small' }, 'delivery_owed_by_partner'],
      [{ status: 'stuck' }, 'delivery_owed_by_status'],
      [{ operation: 'unsettle' }, 'delivery_owed_by_operation'],
      [{ code: '21' }, 'delivery_owed_by_code'],
      [{ status: 'refused,stuck' }, 'delivery_owed'],
    ]
    test.each(owed)('uses the index for a page with %o', async (query, index) => {
      const [plan] = await plansOf((db) =>
        listDeliveries({ db, scales: new Map() }, { needsAttention: 'true', limit: '10', ...query }),
      )
      expect(plan?.scans).toEqual([index])
      expect(plan?.rows).toBeLessThan(FEW)
    })

    test.each(owed.slice(0, 5))('uses the index for a slice to retry with %o', async (query, index) => {
      const deps = { db: {} as Db, clock: { now: () => new Date('2100-01-01') }, decided: () => {} }
      const plans = await plansOf((db) => retryMatching({ ...deps, db }, {} as Actor, query))
      expect(plans.map(({ scans }) => scans.length)).toEqual([1, 1])
      expect(plans[1]?.scans).toEqual([index])
      expect(plans[1]?.rows).toBeLessThanOrEqual(RETRY_SLICE)
    })

    test('uses the indexes of pending results and of sums for the gauges', async () => {
      const clock = { now: () => new Date() }
      const plans = await plansOf((db) =>
        createPlatformMetrics(db, clock, createCircuitBreakers(1), () => performance.now()).text(),
      )
      expect(plans.slice(1).map(({ scans }) => scans)).toEqual([['event_results_pending'], ['delivery_owed_sums']])
    })
  })

  const clock = { now: () => new Date() }
  const after = Buffer.from(`["2031-01-01T00:10:00Z","${RETRY_ID}"]`).toString('base64url')
  test.each([{}, { after }])('uses the index on time for the retries %o', async (query) => {
    const [plan] = await plansOf((db) => listRetries({ db, clock }, { limit: '10', ...query }))
    expect(plan?.scans).toEqual(['retry_by_time'])
    expect(plan?.rows).toBeLessThan(FEW)
  })

  test.each([{}, { status: 'done' as const }])('reads only the deliveries of one retry with %o', async (query) => {
    const { sent, people } = answering()
    const sums = async () => [] // the counts by state read every delivery
    const found = await getRetry(
      { db: { userQueries: people, reportSnapshot: sums } as unknown as Db, clock },
      RETRY_ID,
      query,
    )
    expect(found.data).toHaveLength(10)
    const plans = []
    for (const one of sent) plans.push(await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, one))
    const [retry, page, ...more] = plans.map(({ scans }) => scans)
    expect([retry, page]).toEqual([['retry_pkey'], ['retry_delivery_pkey', 'delivery_pkey', OF_EACH]])
    expect(more).toEqual(query.status === undefined ? [] : [['retry_delivery_pkey']])
    for (const plan of plans) expect(plan.rows).toBeLessThan(FEW)
  })

  test.each([
    {},
    { partnerId: 'partner-small' },
    { partnerId: 'nobody' },
    { status: 'cancelled' as const },
    {
      partnerId: 'partner-small',
      status: 'cancelled' as const,
      from: '2030-01-01T00:00:00Z',
      to: '2032-01-01T00:00:00Z',
    },
  ])('uses the index on time for the bets %o, and limits the rows that are read', async (query) => {
    const plans = await plansOf((db) => listPlatformBets({ db, scales: new Map() }, { limit: '10', ...query }))
    expect(plans[0]?.scans).toEqual(['bet_placed'])
    for (const plan of plans) {
      expect(plan.scans).not.toContain('none')
      expect(plan.rows).toBeLessThan(MOST_LOOKED_AT + FEW)
    }
  })

  test('for ten expresses of 50 selections reads three of each, and the position of the last one', async () => {
    const { rows } = await filled.sql.query(`select bet_id as "betId" from platform.bet order by placed_at limit 10`)
    const [plan] = await plansOf((db) => loadSelectionMembers({ db, scales: new Map() }, rows))
    expect(new Set(plan?.scans)).toEqual(new Set(['selection_pkey']))
    expect(plan?.rows).toBeLessThanOrEqual(FEW)
  })

  test.each([
    ['the beginning of a bet', '01ffffff', 'bet_pkey', FEW],
    ['a delivery', '99999999', 'delivery_pkey', FEW],
    ['a request', RETRY_ID, 'delivery_pkey', 50_000],
  ])('uses a primary key to find %s', async (_, id, index, most) => {
    const { sent, people } = answering()
    await expect(lookUpPlatformId({ db: { userQueries: people }, scales: new Map() }, id)).rejects.toThrow(
      'anything with this id',
    )
    const plans = []
    for (const one of sent) plans.push(await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, one))
    expect(plans.flatMap(({ scans }) => scans)).toContain(index)
    expect(plans.flatMap(({ scans }) => scans).filter((scan) => !scan.endsWith('_pkey'))).toEqual([])
    expect(Math.max(...plans.map(({ rows }) => rows))).toBeLessThanOrEqual(most)
  })

  test('for waiting and owed deliveries does not read finished or declined ones', async () => {
    const clock = { now: () => new Date() }
    const [plan] = await plansOf((db) =>
      createPlatformMetrics(db, clock, createCircuitBreakers(1), () => performance.now()).text(),
    )
    expect(plan?.rows).toBeLessThan(FEW)
  })
})

test('the next pages contain the bets of a small partner after pages without any', async () => {
  const db = await openDb({ kind: 'postgres', url: filled.url })
  try {
    const found: string[] = []
    let after: string | null = null
    do {
      const query = { partnerId: 'partner-small', ...(after !== null && { after }) }
      const page = await listPlatformBets({ db, scales: new Map([['EUR', 2]]) }, query)
      found.push(...page.data.map(({ status }) => status))
      after = page.next
    } while (after !== null)
    expect(found).toEqual(Array.from({ length: 20 }, () => 'cancelled'))
  } finally {
    await db.close()
  }
})
