// Writes a day of a platform by SQL, and lists the queries of its staff. Each bet has a Place bet
// and a Settle. One of a hundred Settles needs manual attention, one of a thousand waits for its
// next attempt; one of fifty Place bets was declined.

import type { Clock } from '@purser/runtime/clock'
import type pg from 'pg'
import { createAuditLog } from 'purser/core/auth/audit-log/audit-log'
import { createFeed } from 'purser/core/change-feed/change-feed'
import type { Db } from 'purser/core/database/db'
import { withAttemptSchedules } from 'purser/platform/api/deliveries/attempt-schedule'
import { listRetries } from 'purser/platform/api/deliveries/bulk-retries'
import { listDeliveries } from 'purser/platform/api/deliveries/delivery-list'
import { listPartners } from 'purser/platform/api/partner-list'
import { listPlatformBets } from 'purser/platform/api/platform-bet-list'
import { lookUpPlatformId } from 'purser/platform/api/platform-lookup'
import { getBetDetail } from 'purser/platform/api/platform-views'
import { createCircuitBreakers } from 'purser/platform/circuit-breaker'
import { readOldestWaiting } from 'purser/platform/platform-metrics'
import { PLATFORM_CHANGES } from 'purser/platform/store/platform-change-feed'
import type { TimedQuery } from './query-timing.ts'
import { SEED_EVENTS, SEED_PLAYERS, toSeedBetId } from './seed.ts'

/** The seeded partners have no connection settings. */
const NO_CONNECTIONS = { connections: async () => new Map() }
const PARTNERS = 5
/** Bets placed at the same moment, and the milliseconds over which the bets are spread. */
const TOGETHER = 10
const SPREAD_MS = 20 * 3_600_000

export async function seedPlatform(sql: pg.Client, bets: number, day: string): Promise<void> {
  for (const text of statements(bets, day)) await sql.query(text)
}

function statements(bets: number, day: string): string[] {
  const between = Math.trunc((SPREAD_MS * TOGETHER) / Math.max(bets, 1))
  const at = `timestamptz '${day}Z' + interval '2 hours' + (i / ${TOGETHER}) * interval '${between} ms'`
  const declined = 'i % 50 = 7'
  const settle = `case when i % 100 = 1 then (array['stuck', 'refused'])[i / 100 % 2 + 1] when i % 1000 = 2 then 'pending' else 'done' end`
  const all = `from generate_series(0, ${bets - 1}) i`
  return [
    `insert into platform.partner (partner_id, base_url, secrets, created_at)
     select 'partner-' || i, 'http://127.0.0.1:1', '["a-secret"]', now() from generate_series(0, ${PARTNERS - 1}) i`,
    `insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, reason, ticket_type,
       coefficient, payout, result_type, result_source, acknowledged_status, acknowledged_payout, acknowledged_result_type, deliveries, placed_at, changed_at)
     select md5(i::text)::uuid, 'partner-' || i % ${PARTNERS}, md5('session' || i % ${SEED_PLAYERS})::uuid, '', 'player-' || i % ${SEED_PLAYERS}, 'EUR', '', 1000,
       case when ${declined} then 'declined' else 'settled' end, case when ${declined} then 'partner_refused' end, 'single', '1.85',
       case when not ${declined} then 1850 end, case when not ${declined} then 'won' end, case when not ${declined} then 'event' end,
       case when not ${declined} then 'settled' end, case when not ${declined} then 1850 end, case when not ${declined} then 'won' end,
       case when ${declined} then 1 else 2 end, ${at}, ${at} ${all}`,
    `insert into platform.selection (bet_id, number, event_id, outcome_id, coefficient, details)
     select md5(i::text)::uuid, 1, ${4_000_000} + (i / 3) % ${SEED_EVENTS}, '1', '1.85', '{}' ${all}`,
    `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, attempts, code, decided_at, first_attempt_at, due_at, finished_at)
     select md5(i::text)::uuid, 1, 'partner-' || i % ${PARTNERS}, 'place', md5('place' || i)::uuid, case when ${declined} then 'refused' else 'done' end, 1,
       case when ${declined} then 7 end, ${at}, ${at}, ${at}, ${at} ${all}`,
    `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, payout, result_type, status, attempts, code, decided_at, first_attempt_at,
       due_at, finished_at, owed_since, owed_amount, owed_currency)
     select bet_id, number, partner_id, operation, request_id, payout, result_type, status, attempts, code, t, t, t, finished_at,
       case when owed then t end, case when owed then 18.50 end, case when owed then 'EUR' end from (
       select md5(i::text)::uuid, 2, 'partner-' || i % ${PARTNERS}, 'settle', md5('settle' || i)::uuid, 1850::bigint, 'won', ${settle} as status, 1,
         case when i % 100 = 1 then 20 end, t, case when i % 1000 <> 2 then t end, i % 100 = 1
       from (select i, ${at} + interval '1 hour' as t ${all}) i where not ${declined}
     ) s (bet_id, number, partner_id, operation, request_id, payout, result_type, status, attempts, code, t, finished_at, owed)`,
    `insert into platform.message (delivery_id, body) select delivery_id, '{"metadata": "' || repeat('x', 600) || '"}' from platform.delivery`,
    `insert into platform.attempt (delivery_id, number, started_at, duration_ms, http_status, outcome, code, body)
     select delivery_id, 1, decided_at, 12, case when code is null then 200 else 400 end, case when code is null then 'accepted' else 'refused' end, code, '{}'
     from platform.delivery`,
    'analyze',
  ]
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly scales: ReadonlyMap<string, number>
}

export function buildPlatformQueries(bets: number, day: string): TimedQuery<Deps>[] {
  const middle = toSeedBetId(Math.trunc(bets / 2))
  const far = Buffer.from(JSON.stringify([`${day}T03:00:00.000Z`, middle])).toString('base64url')
  const bet = (what: string, query: object) => ({
    what,
    run: (deps: Deps) => listPlatformBets(deps, { limit: '50', ...query }),
  })
  const delivery = (what: string, query: object) => ({
    what,
    run: (deps: Deps) => listDeliveries(deps, { limit: '50', ...query }),
  })
  const person = (what: string, query: object) => delivery(what, { needsAttention: 'true', ...query })
  return [
    bet('bets, the newest 50', {}),
    bet('bets, a late page', { after: far }),
    bet('bets of one partner', { partnerId: 'partner-3' }),
    bet('declined bets', { status: 'declined' }),
    bet('cancelled bets, of which none exist', { status: 'cancelled' }),
    { what: 'one bet with its deliveries and attempts', run: (deps) => getBetDetail(deps, middle) },
    { what: 'all records of a bet, by six characters', run: (deps) => lookUpPlatformId(deps, middle.slice(0, 6)) },
    delivery('deliveries, the newest 50', {}),
    {
      what: 'deliveries with their retry schedule',
      run: async (deps) => withAttemptSchedules(deps, await listDeliveries(deps, { limit: '50' })),
    },
    delivery('deliveries that wait', { status: 'pending' }),
    delivery('deliveries of one partner', { partnerId: 'partner-3' }),
    person('deliveries that need attention, the newest 50', {}),
    person('deliveries that need attention, of one partner', { partnerId: 'partner-3' }),
    person('deliveries that need attention, rejected with one code', { status: 'refused', code: '20' }),
    { what: 'retries of many deliveries', run: (deps) => listRetries(deps, { limit: '50' }) },
    {
      what: 'partners, with their waiting deliveries',
      run: ({ db }) =>
        listPartners({ db, breakers: createCircuitBreakers(1), partners: NO_CONNECTIONS }, { limit: '50' }),
    },
    { what: 'the oldest waiting delivery', run: ({ db }) => readOldestWaiting(db) },
    { what: 'changes, the newest page', run: ({ db }) => createFeed(db, PLATFORM_CHANGES).poll('0', 100, 0) },
    {
      what: 'the audit log, the newest 50',
      run: ({ db }) => createAuditLog('platform').list(db.userQueries, { limit: '50' }, undefined, undefined),
    },
  ]
}
