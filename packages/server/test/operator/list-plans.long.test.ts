/**
 * Rows that do not match a list's filters add nothing to its cost. The test reads query plans over
 * 120,000 bets.
 */

import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import {
  type Db,
  type Queryable,
  RELOCATION_CHUNK_SETTINGS,
  type Statement,
  type Tx,
  USER_QUERY_SETTINGS_SQL,
} from '../../src/core/database/db.ts'
import { readBalancesAt, readStatement } from '../../src/wallet/ledger/transfer.ts'
import { listAnomalies, readBetTerms } from '../../src/wallet/operator-api/bets/anomaly-list.ts'
import type { CallRow } from '../../src/wallet/operator-api/bets/bet-detail.ts'
import { listBets } from '../../src/wallet/operator-api/bets/bet-list.ts'
import { readBetSummaries } from '../../src/wallet/operator-api/bets/bet-summaries.ts'
import { readRequestedStakes } from '../../src/wallet/operator-api/bets/refused-bet-stakes.ts'
import { searchId } from '../../src/wallet/operator-api/lookup/id-search.ts'
import { listTransfers } from '../../src/wallet/operator-api/money/transfer-list.ts'
import type { OperatorDeps } from '../../src/wallet/operator-api/operator-context.ts'
import { listPlayers } from '../../src/wallet/operator-api/players/player-list.ts'
import type { BetRow } from '../../src/wallet/store/bet-store.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { type Plan, planOf, sentBy } from '../support/plans.ts'

const OTHERS = 100_000
/** Bets of the one player whose lists are read. */
const OWN = 20_000
/** Rows that a page of 10 may read: its own, and a few with the same time. */
const FEW = 60
/** Pages of 8 KiB that a list page of 50 may read when its rows are all apart. */
const FEW_PAGES = 400
/** Rows, when most bets are in the requested state. */
const MOST_LOOKED_AT = 5_000

/** The state of bet number i: most are settled, and bets in other states are from the first day. */
const STATE = `case when i <= 40 then (array['unknown', 'cancelled', 'refused', 'open'])[i % 4 + 1] else 'settled' end`
const BETS = (player: string, count: number, start: string) =>
  `insert into purser.bet (platform, bucket, player, bet_id, status, calls, refusal, currency, stake, funder, placed_at, payout, result_type, payee, first_seen_at, changed_at)
   select case when i % 3 = 0 then 'acme' else '' end, 0, ${player}, 'bet-' || i, state, 1, case state when 'refused' then 'not_enough_money' end, 'EUR', 1, 'player', t,
     case state when 'settled' then 0 end, case state when 'settled' then 'lost' end, case state when 'settled' then 'player' end, t, t
   from generate_series(1, ${count}) i, lateral (select timestamptz '${start}' + i * interval '1 minute' as t, ${STATE} as state) b`
/**
 * Two for each of Alice's bets: the stake, and its transfer to the house, which is not in a
 * statement. One in 100 is a deposit instead of a stake.
 */
const TRANSFERS = `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, at)
   select bucket, player, 'EUR', row_number() over (partition by player order by first_seen_at, leg),
     legs[1], legs[2], legs[3], 1, 1, bet_id, first_seen_at
   from purser.bet, generate_series(0, 1) leg, lateral (
     select case when leg = 1 then '{stake_closed,open_stakes,house}' when bet_id like '%00' then '{deposit,cash_in,player}'
       else '{stake,player,open_stakes}' end::text[] as legs
   ) l where leg = 0 or player = 'alice' order by first_seen_at, leg`

/**
 * Alice's bets are the oldest, and more than others have, so a scan from the newest row finds them
 * last.
 */
const FILL = [
  BETS("'player-' || i % 20", OTHERS, '2031-01-01Z'),
  BETS("'alice'", OWN, '2030-01-01Z'),
  `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, outcome, anomaly, transfers, at)
   select bucket, player, bet_id, 1, 'settle', 'request-1', 'refused',
     case when bet_id like '%000' then 'settle_of_unknown_bet' end, '{}', first_seen_at from purser.bet`,
  TRANSFERS,
  // as the autovacuum does, range by range
  "select brin_summarize_new_values('purser.transfer_by_day')",
  `insert into purser.bet_details (bucket, first_seen_at, bet_id, player, details)
   select bucket, first_seen_at, bet_id, player, json_build_object('metadata', json_build_array(json_build_object('event', bet_id))) from purser.bet`,
  // Half the players have one nickname, and the last few are barred.
  `insert into purser.player (bucket, player, currency, currencies, status, operator_user, brand, nickname_key, email_key, created_as, created_at)
   select 0, 'player-' || i, 'EUR', '{EUR}', case when i % 10000 = 0 then 'blocked' else 'active' end, 'site-' || i, 'brand-' || i % 2000,
     case when i % 2 = 0 then 'ada' else 'bob-' || i end, i || '@example.com', '{}', now() from generate_series(1, ${OTHERS}) i`,
]

const filled = filledDatabase(...FILL)

function depsOn(people: Queryable): OperatorDeps {
  const db = { userQueries: people, reportSnapshot: (work) => work(people as Tx) } as Db
  return { db, clock: { now: () => new Date('2032-01-01Z') }, buckets: 1, scales: new Map([['EUR', 2]]) }
}

/**
 * The plan of each sent statement. `first` is the statement with the planner settings of a
 * transaction of `Db.reportSnapshot`.
 */
async function plansOf(work: (deps: OperatorDeps) => Promise<unknown>, first?: Statement): Promise<Plan[]> {
  const plans: Plan[] = []
  const settings = first?.text.replaceAll(', true)', ', false)') ?? USER_QUERY_SETTINGS_SQL
  for (const sent of await sentBy((people) => work(depsOn(people))))
    if (sent[0] !== first) plans.push(await planOf(filled.sql, settings, sent))
  return plans
}

const plansOfBets = (query: object) => plansOf((deps) => listBets(deps, { limit: '10', ...query }))

const FROM = '2031-01-11T10:00:00Z'
const TO = '2031-01-11T18:00:00Z'
const cursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const AFTER = cursor('2031-01-06T00:00:00.000Z', 'player-0', 'bet-7200')
const AFTER_OWN = cursor('2030-01-04T00:00:20.000Z', 'alice', 'bet-4320')

describe.each(['before the tables are analysed,', 'after the tables are analysed,'])('%s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('after')) await filled.sql.query('analyze')
  })

  const lists: [string, string, object][] = [
    ['the newest bets', 'bet_by_time', {}],
    ['a late page', 'bet_by_time', { after: AFTER }],
    ['the bets of some hours', 'bet_by_time', { from: FROM, to: TO }],
    ['a late page within a month', 'bet_by_time', { from: '2031-01-01T00:00:00Z', to: TO, after: AFTER }],
    ['the unknown bets', 'bet_rare', { status: 'unknown' }],
    ['the cancelled bets', 'bet_rare', { status: 'cancelled' }],
    ['the refused bets', 'bet_rare', { status: 'refused' }],
    ['the refused bets of some hours', 'bet_rare', { status: 'refused', from: FROM, to: TO }],
    ['a late page of the refused bets', 'bet_rare', { status: 'refused', after: AFTER }],
    ['the bets of one player', 'bet_by_player', { userId: 'alice' }],
    ['a late page of one player’s bets', 'bet_by_player', { userId: 'alice', after: AFTER_OWN }],
    ['the bets of one player in some hours', 'bet_by_player', { userId: 'alice', from: FROM, to: TO }],
    ['the unknown bets of one player', 'bet_rare_of_player', { userId: 'alice', status: 'unknown' }],
    ['the bets of a platform', 'bet_by_platform', { platform: 'acme' }],
    ['the bets of a platform in some hours', 'bet_by_platform', { platform: 'acme', from: FROM, to: TO }],
    ['all bets in the order of their ids', 'bet_pkey', { order: 'id' }],
    ['a late page in the order of ids', 'bet_pkey', { order: 'id', after: cursor('bet-7200', 'alice') }],
    ['a bet by its id alone', 'bet_pkey', { transactionId: 'bet-7777777' }],
    [
      'a bet by its id, its player and its state',
      'bet_pkey',
      { transactionId: 'bet-77', userId: 'alice', status: 'open' },
    ],
  ]
  test.each(lists)('the bet list reads %s through one index and few rows', async (_name, index, query) => {
    for (const plan of await plansOfBets(query)) {
      expect([...new Set(plan.scans)]).toEqual([index])
      expect(plan.rows).toBeLessThan(FEW)
    }
  })

  test('a page of all bets in the order of ids reads few rows of each bucket', async () => {
    const [plan] = await plansOf((deps) => listBets({ ...deps, buckets: 16 }, { order: 'id', limit: '500' }))
    expect(plan?.rows).toBeLessThan(500 + 2 * 16)
  })

  test('the stakes of refused bets are read through the index of their calls', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({
      ...{ status: 'refused', refusal: 'not_enough_money', player: 'alice', bet_id: `bet-${i * 4 + 2}` },
    })) as BetRow[]
    for (const plan of await plansOf((deps) => readRequestedStakes(deps, rows))) {
      expect(plan.scans[0]).toMatch(/^bet_call_(pkey|refused)$/)
      expect(plan.rows).toBeLessThan(FEW)
    }
  })

  test('the selections of 50 bets are read by primary key from their own rows', async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({ player: 'alice', bet_id: `bet-${i * 99 + 1}` })) as BetRow[]
    for (const plan of await plansOf((deps) => readBetSummaries(deps, rows))) {
      expect(plan.scans).toEqual(['bet_pkey', 'bet_details_pkey'])
      expect(plan.rows).toBeLessThanOrEqual(2 * rows.length)
      expect(plan.pages, 'two rows of each, three pages of an index to each').toBeLessThanOrEqual(8 * rows.length)
    }
  })

  test.each([
    ['open', {}, 'bet_by_time'],
    ['settled', { to: '2031-01-01T00:10:00Z' }, 'bet_by_time'],
    ['open', { userId: 'alice' }, 'bet_by_player'],
  ])(
    'the list of %s bets of which few or none are left with %o reads a bounded number of rows',
    async (status, query, index) => {
      for (const plan of await plansOfBets({ status, ...query })) {
        expect(plan.scans).toEqual([index])
        expect(plan.rows).toBeLessThan(MOST_LOOKED_AT + FEW)
      }
    },
  )

  test('a page of a player with 20,000 bets reads few pages of the table', async () => {
    for (const plan of await plansOfBets({ userId: 'alice', limit: '50' })) expect(plan.pages).toBeLessThan(FEW_PAGES)
  })

  const found = (way: string, key: string, player: string) => cursor(way, key, player)
  test.each<[string, object, string[]]>([
    ['all players', {}, ['player_pkey']],
    ['a late page', { after: found('user_id', 'player-77', 'player-77') }, ['player_pkey']],
    ['the blocked players', { status: 'blocked' }, ['player_barred']],
    ['the players of a brand', { brand: 'brand-7' }, ['player_by_brand']],
  ])('the player list reads %s through one index and few rows', async (_name, query, indexes) => {
    const [plan] = await plansOf((deps) => listPlayers(deps, { limit: '10', ...query }, true))
    expect(plan?.scans).toEqual(indexes)
    expect(plan?.rows).toBeLessThan(FEW)
  })

  test.each<[string, object]>([
    ['a name that half of all have', { q: 'Ada' }],
    ['a late page of that name', { q: 'ada', after: found('nickname', 'ada', 'player-70002') }],
    ['an e-mail address', { q: '77777@example.com' }],
    ['the beginning of an id', { q: 'player-7777' }],
  ])('the player list finds %s through one index for each kind of match and few rows', async (_name, query) => {
    for (const plan of await plansOf((deps) => listPlayers(deps, { limit: '10', ...query }, true))) {
      expect(plan.scans).toHaveLength(1)
      expect(plan.scans[0]).toMatch(/^player_(pkey|by_)/)
      expect(plan.rows).toBeLessThan(FEW)
    }
  })

  test.each(['bet-77', 'player-777', 'site-77777', 'psp-4711'])(
    'the lookup of %s reads each kind through its own index and few rows',
    async (id) => {
      const plans = await plansOf(async ({ db, buckets }) => searchId(db.userQueries, buckets, id))
      const looks = [
        'bet_pkey',
        'player_pkey',
        'player_by_operator_user',
        'movement_by_reference',
        'proposal_by_reference',
      ]
      expect(plans.map(({ scans }) => scans)).toEqual(
        [...looks, 'session_pkey', 'session_pkey', ...looks].map((index) => [index]),
      )
      for (const { rows } of plans) expect(rows).toBeLessThan(FEW)
    },
  )

  test('the list of anomalies reads few rows through its own index, on a late page too', async () => {
    const after = cursor('2031-01-06T00:00:00.000Z', 'player-0', 'bet-7000', '1')
    for (const query of [{}, { from: FROM, to: TO }, { after }]) {
      const plans = await plansOf((deps) => listAnomalies(deps, { limit: '10', ...query }))
      expect(plans.map(({ scans }) => scans)).toEqual([['bet_call_anomaly']])
      for (const { rows } of plans) expect(rows).toBeLessThan(FEW)
    }
  })

  test('the terms of the bets of 50 anomalies are read by primary key', async () => {
    const calls = Array.from({ length: 50 }, (_, i) => ({ player: 'alice', bet_id: `bet-${i * 99 + 1}` })) as CallRow[]
    const [plan] = await plansOf((deps) => readBetTerms(deps, calls))
    expect(plan?.scans).toEqual(['bet_pkey'])
    expect(plan?.rows).toBeLessThanOrEqual(calls.length)
  })

  const few = ['transfer_by_kind,player_pkey', 'transfer_by_kind', 'none']
  test.each<[string, object, number]>([
    ['the newest page', {}, FEW],
    ['a late page', { after: cursor('2031-01-11T00:00:00.000Z', 'player-0', 'EUR', '77') }, FEW],
    ['a day', { day: '2031-01-11', currency: 'EUR' }, FEW],
    ['a brand without players', { brand: 'none' }, 3 * MOST_LOOKED_AT],
  ])(
    'the deposits of all players are read for %s through their own index and a bounded number of rows',
    async (_name, query, most) => {
      for (const plan of await plansOf((deps) => listTransfers(deps, { kind: 'deposit', limit: '10', ...query }))) {
        expect(few).toContain(plan.scans.join())
        expect(plan.rows).toBeLessThan(most)
      }
    },
  )

  const BLOCKS = 10_000
  test('the stakes of all players are read by time ranges with a bounded number of rows each', async () => {
    const asked = { kind: 'stake', from: '2031-01-11T10:00:00Z', to: '2031-03-01T10:00:00Z' } as const
    const plans = await plansOf((deps) => listTransfers(deps, asked), RELOCATION_CHUNK_SETTINGS)
    expect(plans.length).toBeGreaterThan(5)
    for (const plan of plans) {
      expect(['transfer_by_day', 'none']).toContain(plan.scans.join())
      expect(plan.rows).toBeLessThan(2 * MOST_LOOKED_AT + BLOCKS)
    }
  })

  const places = (below: number) => ({ places: [{ currency: 'EUR' as Currency, below: BigInt(below) }] })
  const statements: [string, object][] = [
    ['the newest page', places(2 * OWN + 1)],
    ['a late page', places(1_000)],
    ['the page of one day', { ...places(2 * OWN + 1), from: new Date('2030-01-04Z'), to: new Date('2030-01-05Z') }],
    ['the page before a day', { ...places(2 * OWN + 1), to: new Date('2030-01-04Z') }],
    ['a day without transfers', { ...places(2 * OWN + 1), from: new Date('2031-03-01Z') }],
  ]
  test('the balance of an instant is read through the primary key and few rows', async () => {
    const at = new Date('2030-01-04Z')
    const [plan] = await plansOf(({ db }) =>
      readBalancesAt(db.userQueries, 0, 'alice' as PlayerId, places(2 * OWN + 1).places, at),
    )
    expect(new Set(plan?.scans)).toEqual(new Set(['transfer_pkey']))
    expect(plan?.pages).toBeLessThan(FEW_PAGES)
  })

  test.each(statements)('the statement reads %s through the primary key and few pages', async (_name, query) => {
    const asked = { limit: 50, places: [], ...query }
    const plans = await plansOf(({ db }) => readStatement(db.userQueries, 0, 'alice' as PlayerId, asked))
    for (const plan of plans) {
      expect(new Set(plan.scans)).toEqual(new Set(['transfer_pkey']))
      expect(plan.pages).toBeLessThan(FEW_PAGES)
    }
    expect(plans).toHaveLength(1)
  })
})

test('a reader of all pages finds every open bet, after pages that have none', async () => {
  const db = await openDb({ kind: 'postgres', url: filled.url })
  try {
    const found: string[] = []
    let after: string | null = null
    do {
      const page = await listBets({ ...depsOn(db.userQueries) }, { status: 'open', ...(after !== null && { after }) })
      found.push(...page.data.map(({ userId, transactionId }) => `${userId} ${transactionId}`))
      after = page.next
    } while (after !== null)
    const { rows } = await filled.sql.query(
      `select player || ' ' || bet_id as name from purser.bet where status = 'open' order by first_seen_at desc, player desc, bet_id desc`,
    )
    expect(found).toEqual(rows.map(({ name }) => name))
    expect(found).toHaveLength(20)
  } finally {
    await db.close()
  }
})
