/**
 * The SQL statements that every call needs use primary keys, for any statistics of the planner. A
 * connection keeps the plan that it made, for example on an empty table.
 */

import type { BetId, PlayerId } from '@purser/protocol/wire-ids'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db, Tx } from '../../src/core/database/db.ts'
import { hotSettingsSql } from '../../src/core/database/db.ts'
import { readAccounts } from '../../src/wallet/ledger/account.ts'
import { runFastPath } from '../../src/wallet/queue/fast-path.ts'
import type { BetCall } from '../../src/wallet/store/bet.ts'
import { lockBets, readBets } from '../../src/wallet/store/bet-store.ts'
import { lockPlayers, lockRuledPlayers, readPlayer } from '../../src/wallet/store/player.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { planOf, type SentStatement, sentBy } from '../support/plans.ts'
import { place, RULES, settle } from './call-batch-scene.ts'

const MANY = 100_000
const ALICE = 'alice' as PlayerId
const KEYS = ['bet-1', 'bet-2'].map((betId) => ({ player: ALICE, betId: betId as BetId }))

const FILL = `insert into purser.bet (bucket, player, bet_id, status, calls, first_seen_at, changed_at)
   select 0, 'player-' || i % 20, 'bet-' || i, 'unknown', 1, t, t
   from generate_series(1, ${MANY}) i, lateral (select timestamptz '2031-01-01Z' + i * interval '1 second' as t) times`

const filled = filledDatabase()

const LOOKUPS: [string, (tx: Tx) => Promise<unknown>, string][] = [
  ['bets are locked', (tx) => lockBets(tx, 0, KEYS), 'bet_pkey'],
  ['bets are read', (tx) => readBets(tx, 0, KEYS), 'bet_pkey'],
  ['players are locked', (tx) => lockPlayers(tx, 0, [ALICE]), 'player_pkey'],
  ['players are locked for the rules', (tx) => lockRuledPlayers(tx, 0, [ALICE]), 'player_pkey'],
  ['a player is read', (tx) => readPlayer(tx, 0, ALICE), 'player_pkey'],
  ['accounts are read', (tx) => readAccounts(tx, 0, [ALICE]), 'account_pkey'],
]

async function gateOf(call: BetCall): Promise<SentStatement[]> {
  return sentBy(({ query }) => {
    const tx = { query, execute: async () => 0, finish: <T>(send: () => Promise<T>) => send() }
    const transaction: Db['transaction'] = (work) => work(tx)
    const deps = { transaction, clock: { now: () => new Date() }, rules: RULES }
    return runFastPath(deps, [{ call, bucket: 0, startBefore: Number.POSITIVE_INFINITY }])
  })
}

const KEYS_OF_GATE: [string, BetCall, string[][]][] = [
  [
    'a Place bet',
    place('alice', 'bet-1', 1),
    [
      ['player_pkey', 'player_pkey'],
      ['player_pkey', 'session_pkey', 'account_pkey', 'bet_pkey', 'ctid'],
    ],
  ],
  [
    'a result',
    settle('alice', 'bet-1', 'result-1', 1),
    [
      ['player_pkey', 'player_pkey'],
      ['player_pkey', 'bet_pkey', 'account_pkey', 'ctid', 'ctid'],
    ],
  ],
]

describe.each([
  ['on empty tables', ''],
  ['on large ones', FILL],
  ['on large ones that are analysed', 'analyze'],
])('%s', (_when, text) => {
  beforeAll(async () => {
    await filled.sql.query(text)
  })

  test.each(LOOKUPS)('the rules path uses the primary key: %s', async (_name, look, index) => {
    const [sent] = await sentBy((reading) => look(reading as Tx))
    const plan = await planOf(filled.sql, hotSettingsSql('session'), sent as SentStatement)
    expect(plan.scans).toEqual([index])
    expect(plan.rows).toBe(0)
  })

  test.each(KEYS_OF_GATE)('the fast path finds %s through primary keys', async (_name, call, expected) => {
    const plans = []
    for (const sent of await gateOf(call)) plans.push(await planOf(filled.sql, hotSettingsSql('session'), sent))
    expect(plans.map(({ scans }) => scans.toSorted())).toEqual(expected.map((scans) => scans.toSorted()))
    expect(plans.map(({ rows }) => rows)).toEqual([0, 0])
  })
})

test('the fast path reads an unlocked player once, to lock the row', async () => {
  const [[lock, values]] = (await gateOf(place('alice', 'bet-1', 1))) as [SentStatement]
  await filled.sql.query(`insert into purser.player (bucket, player, currency, currencies, created_as, created_at)
    values (0, 'alice', 'EUR', '{EUR}', '{}', now())`)
  const scans = async () => {
    const { rows } = await filled.sql.query(
      "select idx_scan::int as n from pg_stat_xact_user_tables where schemaname = 'purser' and relname = 'player'",
    )
    return rows[0].n as number
  }
  await filled.sql.query(`begin; ${hotSettingsSql('local')}`)
  const before = await scans()
  await filled.sql.query(lock.text, [...values])
  const after = await scans()
  await filled.sql.query('rollback')
  expect(after - before).toBe(1)
})

test('nearly every settlement writes to no index, after any number of Place bets', async () => {
  const columns =
    'bucket, player, bet_id, status, calls, currency, stake, funder, stake_version, request_id, placed_at, first_seen_at, changed_at'
  await filled.sql.query(`truncate purser.bet; insert into purser.bet (${columns})
    select 0, 'player-' || i, 'bet-0000-0000-0000-0000-00000-' || i, 'open', 1, 'EUR', 1, 'player', 1, 'request-0000-0000-0000-00000' || i, now(), now(), now()
    from generate_series(1, 2000) i`)
  await filled.sql.query(
    `update purser.bet set status = 'settled', calls = 2, payout = 0, result_type = 'lost', payee = 'player', changed_at = now(), last_result = 2`,
  )
  await filled.sql.query('select pg_stat_force_next_flush()')
  const { rows } = await filled.sql.query(
    "select n_tup_hot_upd::int as hot, n_tup_upd::int as all from pg_stat_user_tables where schemaname = 'purser' and relname = 'bet'",
  )
  expect(rows[0].hot / rows[0].all).toBeGreaterThan(0.99)
})

test('a settlement writes to no index: its row stays in the page of the old row', async () => {
  const changed = `update purser.bet set status = 'settled', calls = 2, payout = 0, result_type = 'lost', payee = 'player', changed_at = now()`
  await filled.sql.query(`insert into purser.bet (bucket, player, bet_id, status, calls, currency, stake, funder, placed_at, first_seen_at, changed_at)
    values (0, 'alice', 'bet-open', 'open', 1, 'EUR', 1, 'player', now(), now(), now())`)
  const hot =
    "select sum(n_tup_hot_upd)::int as n from pg_stat_xact_user_tables where schemaname = 'purser' and relname = 'bet'"
  await filled.sql.query('begin')
  await filled.sql.query(`${changed} where bucket = 0 and player = 'alice' and bet_id = 'bet-open'`)
  const { rows } = await filled.sql.query(hot)
  await filled.sql.query('commit')
  expect(rows).toEqual([{ n: 1 }])
})
