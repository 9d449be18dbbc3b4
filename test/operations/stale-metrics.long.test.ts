/**
 * While a slow count runs, for example over millions of owed deliveries, its metric keeps the last
 * value and the server exports its age.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../packages/server/test/support/platform.ts'
import { scrape } from './scrape.ts'

/** Seconds; longer than a cached result is used and than a scrape waits. */
const OLD = 8
/** Seconds until the server cancels an operator's query. */
const LIST_ENDS = 3

let platform: TestPlatform
let other: pg.Client

beforeAll(async () => {
  platform = await startPlatform()
  other = new pg.Client({ connectionString: platform.databaseUrl })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await platform.stop()
})

async function owedMetrics(url: string) {
  const { value } = await scrape(url)
  const age = value('purser_database_metrics_age_seconds', { about: 'deliveries' }) ?? Number.NaN
  return { owed: value('platform_bets_owed'), amount: value('platform_owed_amount', { currency: 'EUR' }), age }
}

/** Locks the deliveries against counts until the returned function is called. */
async function slow(): Promise<() => Promise<void>> {
  await other.query('begin; lock table platform.delivery in access exclusive mode')
  return async () => void (await other.query('rollback'))
}

async function countingFor(): Promise<{ questions: number; seconds: number }> {
  const [row] = await platform.sql(
    `select count(*)::int as questions, coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 as seconds
     from pg_stat_activity where datname = current_database() and state = 'active'
       and query like '%count(*) from platform.delivery%' and pid <> pg_backend_pid()`,
  )
  return row as { questions: number; seconds: number }
}

test('the metric of owed money keeps its last value and its age while the count is slow', async () => {
  const { partnerId, wallet } = await platform.partner()
  const { betId } = await platform.api.place(await platform.api.loadFrame(partnerId))
  wallet.always('settle', { status: 400, body: { code: 20, message: 'recalculation blocked' } })
  await platform.api.settle(betId, 'won', '25.00')
  await expect.poll(() => owedMetrics(platform.url), { interval: 200 }).toMatchObject({ owed: 1, amount: 25 })
  expect((await owedMetrics(platform.url)).age).toBeLessThan(OLD)
  const end = await slow()
  const seen = async () => {
    const { age, ...rest } = await owedMetrics(platform.url)
    expect(rest).toEqual({ owed: 1, amount: 25 })
    return age
  }
  await expect.poll(seen, { interval: 200 }).toBeGreaterThan(OLD)
  const { questions, seconds } = await countingFor()
  expect(questions).toBe(1)
  expect(seconds).toBeGreaterThan(LIST_ENDS)
  await end()
  await expect.poll(seen, { interval: 200 }).toBeLessThan(OLD)
})

test('a server that starts during a slow count has no value, shows for how long, and exports it when it is counted', async () => {
  const late = await startPlatform({ databaseUrl: platform.databaseUrl })
  const end = await slow()
  await expect
    .poll(() => owedMetrics(late.url), { interval: 200 })
    .toMatchObject({ owed: undefined, age: expect.any(Number) })
  await expect.poll(async () => (await owedMetrics(late.url)).age, { interval: 200 }).toBeGreaterThan(LIST_ENDS)
  await end()
  await expect.poll(() => owedMetrics(late.url), { interval: 200 }).toMatchObject({ owed: 1, amount: 25 })
  await late.stop()
})
