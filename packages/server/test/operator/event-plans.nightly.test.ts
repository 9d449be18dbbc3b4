/**
 * The list of bets on an event costs the same for any number of bets on other events (W-44). The
 * test reads query plans over 100,000 bets.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Db, USER_QUERY_SETTINGS_SQL } from '../../src/core/database/db.ts'
import { listBets } from '../../src/wallet/operator-api/bets/bet-list.ts'
import type { OperatorDeps } from '../../src/wallet/operator-api/operator-context.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { type Plan, planOf, sentBy } from '../support/plans.ts'

const BETS = 100_000
/**
 * Rows of indexes and tables that a page of 10 reads: times, positions, details and bets, and the
 * other bets of their batches.
 */
const FEW = 120
/** Times that a page reads when few of its bets match the other filters. */
const MOST_TIMES = 1_000

/**
 * One batch of two bets each minute. Half the bets are on the event 1. One in a thousand is on an
 * event from 1000 on, with a NUL in its text.
 */
const FILL = [
  `insert into purser.bet (bucket, player, bet_id, status, calls, currency, stake, funder, placed_at, first_seen_at, changed_at)
   select 0, 'player-' || i % 20, 'bet-' || i, 'open', 1, 'EUR', 1, 'player', t, t, t
   from generate_series(1, ${BETS}) i, lateral (select timestamptz '2031-01-01Z' + i / 2 * interval '1 minute' as t) m`,
  `insert into purser.bet_details (bucket, first_seen_at, bet_id, player, details)
   select bucket, first_seen_at, bet_id, player, format('{"info":"a\\u0000","metadata":[{"outcomeId":%s,"eventId":%s},{"eventId":"x%s"}]}',
     i % 3, case when i % 1000 = 0 then i when i % 2 = 0 then 1 else 2 end, i)::json
   from purser.bet, lateral (select substr(bet_id, 5)::int as i) n`,
  `insert into purser.bet_event (bucket, event_id, first_seen_at)
   select distinct bucket, event_id, first_seen_at
   from purser.bet, lateral (select substr(bet_id, 5)::int as i) n,
     lateral (values (case when i % 1000 = 0 then i when i % 2 = 0 then 1 else 2 end::text), ('x' || i)) e (event_id)`,
]

const filled = filledDatabase(...FILL)

async function plansOf(query: object): Promise<Plan[]> {
  const plans: Plan[] = []
  const asked = { limit: '10', ...query }
  const sent = await sentBy((people) => {
    const deps: OperatorDeps = {
      db: { userQueries: people } as Db,
      clock: { now: () => new Date() },
      buckets: 1,
      scales: new Map(),
    }
    return listBets(deps, asked)
  })
  for (const one of sent) plans.push(await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, one))
  return plans
}

describe.each(['before the tables are analysed,', 'after the tables are analysed,'])('%s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('after')) await filled.sql.query('analyze')
  })

  const cursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  test.each<[string, object]>([
    ['an event that half of all bets are on', { eventId: '1' }],
    ['a late page of that event', { eventId: '1', after: cursor('2031-01-11T00:00:00.000Z', 'player-0', 'bet-7200') }],
    ['some hours of that event', { eventId: '1', from: '2031-01-11T10:00:00Z', to: '2031-01-11T18:00:00Z' }],
    ['an event of one bet', { eventId: '3000' }],
    ['an event of no bet', { eventId: '7777777' }],
  ])('the bet list reads %s through the indexes and few rows', async (_what, query) => {
    const [page, last] = await plansOf(query)
    const ways = ['bet_event_by_event', 'bet_event_by_event', 'bet_details_pkey', 'bet_pkey']
    expect(page?.scans).toEqual(ways)
    expect(page?.rows).toBeLessThan(FEW)
    expect(last?.scans).toEqual(ways.slice(0, 1))
    expect(last?.rows).toBeLessThanOrEqual(MOST_TIMES)
  })

  test('the bet list of a common event and an outcome without bets reads a bounded number of rows', async () => {
    const [page] = await plansOf({ eventId: '1', outcomeId: '9' })
    expect(new Set(page?.scans)).toEqual(new Set(['bet_event_by_event', 'bet_details_pkey', 'bet_pkey']))
    expect(page?.rows).toBeLessThan(5 * MOST_TIMES)
  })
})
