/**
 * The wallet's smaller queries read few of 100,000 rows: pending adjustments, refused results of a
 * page of bets, and sessions. The test reads query plans.
 */

import type { BetId, PlayerId } from '@purser/protocol/wire-ids'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Db, type Queryable, USER_QUERY_SETTINGS_SQL } from '../../src/core/database/db.ts'
import { readBetAdjustments } from '../../src/wallet/operator-api/bets/bet-adjustments.ts'
import { readRefusedResults } from '../../src/wallet/operator-api/bets/refused-results.ts'
import { listPendingProposals, listProposals } from '../../src/wallet/operator-api/money/adjustment-proposals.ts'
import type { OperatorDeps } from '../../src/wallet/operator-api/operator-context.ts'
import { listSessions } from '../../src/wallet/operator-api/players/session-list.ts'
import type { BetRow } from '../../src/wallet/store/bet-store.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { type Plan, planOf, sentBy } from '../support/plans.ts'

const MANY = 100_000
/** Rows that a page of 10 may read. */
const FEW = 20
const NOW = new Date('2031-06-01T12:00:00Z')

/** One a minute; a tenth is pending, and all pending ones except the newest three have expired. */
const PROPOSALS = `insert into purser.proposal (bucket, player, reference, currency, amount, reason, key_name, person, proposed_at, expires_at,
    status, decided_key, decided_person, decided_at)
  select 0, 'player-' || i % 20, 'reference-' || i, 'EUR', 1, 'why', 'one', 'maria', t, t + interval '7 days', state,
    case when state <> 'pending' then 'two' end, case when state <> 'pending' then 'nadia' end, case when state <> 'pending' then t end
  from generate_series(1, ${MANY}) i,
    lateral (select case when i > ${MANY} - 3 then timestamptz '2031-06-01Z' + i * interval '1 ms' else timestamptz '2030-01-01Z' + i * interval '1 minute' end as t,
      case when i % 10 = 0 or i > ${MANY} - 3 then 'pending' when i % 1000 = 1 then 'refused' else 'approved' end as state) p`
/** Two calls of each bet; for one bet in ten the second call was refused. */
const BET_CALLS = `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, outcome, refusal, transfers, at)
  select 0, 'player-' || i % 20, 'bet-' || i, seq, 'settle', 'request-' || seq, case when refused then 'refused' else 'applied' end,
    case when refused then 'recalculation_negative' end, '{}'::bigint[], now()
  from generate_series(1, ${MANY} / 2) i, generate_series(1, 2) seq, lateral (select i % 10 = 0 and seq = 2 as refused) r`

/**
 * Half the sessions belong to one player, one a minute; each was started and ended by an action.
 */
const SESSIONS = `insert into purser.session (bucket, player, token_hash, currency, created_at, expires_at, ended_at)
  select 0, case when i % 2 = 0 then 'ada' else 'player-' || i % 20 end, 'hash-' || i, 'EUR', t, t + interval '1 day', t + interval '30 seconds'
  from generate_series(1, ${MANY}) i, lateral (select timestamptz '2030-01-01Z' + i * interval '1 minute' as t) s`
const ACTIONS = `insert into purser.action (subject, at, request_id, operation, ids, key_name, key_hash, before, after)
  select player, at, 'request-' || token_hash || at, 'startSession', '{}', 'KEY', 'hash', '{}', '{}'
  from purser.session, lateral (values (created_at), (ended_at)) m (at)`

/** A tenth of a player's movements are adjustments, and one in a hundred has a bet. */
const MOVEMENTS = `insert into purser.cash_movement (bucket, player, reference, kind, currency, amount, version, balance_after, reason, person, bet_id)
  select 0, 'player-' || i % 20, 'movement-' || i, case when i % 10 = 0 then 'adjustment' else 'deposit' end, 'EUR', 1, i, 1,
    case when i % 10 = 0 then 'why' end, case when i % 10 = 0 then 'maria' end, case when i % 100 = 0 then 'bet-' || i end
  from generate_series(1, ${MANY}) i`

const filled = filledDatabase(PROPOSALS, BET_CALLS, SESSIONS, ACTIONS, MOVEMENTS)

async function plansOf(work: (deps: OperatorDeps) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  const sent = await sentBy((people: Queryable) =>
    work({ db: { userQueries: people } as Db, clock: { now: () => NOW }, buckets: 1, scales: new Map([['EUR', 2]]) }),
  )
  for (const one of sent) plans.push(await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, one))
  return plans
}

describe.each(['before the tables are analysed,', 'after the tables are analysed,'])('%s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('after')) await filled.sql.query('analyze')
  })

  const after = Buffer.from('["2030-01-06T00:00:00.000Z","player-0","reference-7200"]').toString('base64url')
  test.each<[string, string, Parameters<typeof listProposals>[1]]>([
    ['all proposals', 'proposal_by_time', {}],
    ['a late page', 'proposal_by_time', { after }],
    ['the refused ones', 'proposal_by_status', { status: 'refused' }],
    ['the expired ones', 'proposal_by_status', { status: 'expired' }],
    ['the three pending ones', 'proposal_by_status', { status: 'pending' }],
  ])('the list of proposals reads %s through one index and few rows', async (_which, index, query) => {
    const [plan] = await plansOf((deps) => listProposals(deps, { limit: '10', ...query }))
    expect(plan?.scans).toEqual([index])
    expect(plan?.rows).toBeLessThan(FEW)
  })

  test('the adjustments of a bet, pending and made, are read through one index each and few rows', async () => {
    const located = { player: { id: 'player-0' as PlayerId }, bucket: 0 }
    const plans = await plansOf((deps) => readBetAdjustments(deps, located, 'bet-4000' as BetId))
    expect(plans.map(({ scans }) => scans)).toEqual([['proposal_waiting'], ['movement_by_bet', 'transfer_pkey']])
    for (const { rows } of plans) expect(rows).toBeLessThan(FEW)
  })

  test('the pending adjustments of a player are read through one index and few rows', async () => {
    const [plan] = await plansOf((deps) =>
      listPendingProposals(deps, { player: { id: 'player-0' as PlayerId }, bucket: 0 }),
    )
    expect(plan?.scans).toEqual(['proposal_waiting'])
    expect(plan?.rows).toBeLessThan(FEW)
  })

  test('the refused results of ten bets are read through one index and few rows', async () => {
    const bets = Array.from({ length: 10 }, (_, i) => ({ player: 'player-0', bet_id: `bet-${20 * i + 20}` }))
    const rows = bets.map((bet) => ({ ...bet, status: 'settled', calls: 2, last_result: 1 }) as unknown as BetRow)
    const [plan] = await plansOf((deps) => readRefusedResults(deps, rows))
    expect(plan?.scans).toHaveLength(1)
    expect(plan?.scans[0]).toMatch(/^bet_call_/)
    expect(plan?.rows).toBeLessThanOrEqual(FEW)
  })

  test('the sessions of a player with 50,000, with the persons who began and ended them, are read in few rows', async () => {
    const latePage = Buffer.from('["2030-01-06T00:00:00.000Z","hash-7200"]').toString('base64url')
    const created = new Date('2030-01-05T00:00:00Z')
    const row = { token_hash: 'hash-5760', currency: 'EUR', created_at: created, expires_at: NOW, ended_at: NOW }
    for (const query of [{}, { after: latePage }]) {
      const [list, authors] = await plansOf((deps) =>
        listSessions(answering(deps, row), 'ada', { limit: '10', ...query }),
      )
      expect(list?.scans).toEqual(['session_by_player'])
      expect(list?.rows).toBeLessThan(FEW)
      expect(authors?.scans).toEqual(['action_pkey'])
      expect(authors?.rows).toBeLessThan(FEW)
    }
  })
})

/** The player exists and has this one session. */
function answering(deps: OperatorDeps, row: object): OperatorDeps {
  const query: Queryable['query'] = async (statement, values) => {
    if (statement.name.includes('read_player')) return [{ player: 'ada', limits: {}, currencies: [] }] as never
    const found = await deps.db.userQueries.query(statement, values)
    return statement.name.startsWith('operator_list_sessions') ? ([row] as never) : (found as never)
  }
  return { ...deps, db: { ...deps.db, userQueries: { query } } }
}
