// One day of a wallet, written in SQL: as many bets as are asked for, of 100,000 players, ten at a moment, on 2,000 events; two of five are
// won, one of fifty is still open. The ledger is whole: the audit is one of the things that are timed.
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Db } from '../../src/db/db.ts'
import { createJournal } from '../../src/feed/journal.ts'
import { createLogger } from '../../src/runtime/logger.ts'

export const PLAYERS = 100_000
export const EVENTS = 2_000
const TOGETHER = 10

/** As the SQL below writes it. */
export function betIdOf(i: number): string {
  const hex = createHash('md5').update(`${i}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** $-free, as several statements go together; `day` is a date. */
const STATEMENTS = (bets: number, day: string) => [
  `create temp table b as select i, 'player-' || i % ${PLAYERS} as player, md5(i::text)::uuid::text as bet_id,
     timestamptz '${day}Z' + interval '2 hours' + (i / ${TOGETHER}) * (interval '20 hours' / ${bets / TOGETHER}) as t,
     ${4_000_000} + (i / 3) % ${EVENTS} as event, i % 50 = 0 as is_open, i % 5 < 2 as is_won
   from generate_series(0, ${bets - 1}) i`,
  `insert into purser.player (bucket, player, currency, currencies, status, operator_user, brand, nickname_key, email_key, custom_fields, created_as, created_at)
   select 0, 'player-' || i, 'EUR', '{EUR}', case when i % 1000 = 0 then 'blocked' else 'active' end, 'site-' || i, 'brand-' || i % 5,
     'nick-' || i, i || '@example.com', json_build_object('nickname', 'Nick-' || i, 'email', i || '@example.com'), '{}', timestamptz '${day}Z'
   from generate_series(0, ${PLAYERS - 1}) i`,
  `insert into purser.bet (bucket, player, bet_id, platform, status, calls, last_result, currency, stake, funder, stake_version, request_id, placed_at,
     payout, result_type, payee, first_seen_at, changed_at)
   select 0, player, bet_id, case when i % 4 = 0 then 'acme' else '' end, case when is_open then 'open' else 'settled' end,
     case when is_open then 1 else 2 end, case when is_open then 0 else 2 end, 'EUR', 1000, 'player', 1, 'request-' || i, t,
     case when not is_open then case when is_won then 1850 else 0 end end, case when not is_open then case when is_won then 'won' else 'lost' end end,
     case when not is_open then 'player' end, t, case when is_open then t else t + interval '90 minutes' end
   from b`,
  `insert into purser.bet_details (bucket, first_seen_at, bet_id, player, details)
   select 0, t, bet_id, player, json_build_object('coefficient', 1.85, 'gameType', 'sportsbook', 'ticketType', 'single', 'ip', '203.0.113.7', 'metadata',
     json_build_array(json_build_object('disciplineId', '1', 'discipline', 'Football', 'tournamentId', '88637', 'tournament', 'Premier League',
       'tournamentRegionCode', 'GB', 'eventId', event::text, 'event', 'Northern Rovers - Southern United', 'eventDate', '2030-05-04 18:45:00',
       'marketId', '1', 'market', 'Winner', 'outcomeId', (i % 3)::text, 'outcome', 'Draw', 'coefficient', 1.85, 'stage', 1)))
   from b`,
  `update purser.bet_details set details = regexp_replace(details::text, '" : ', '":', 'g')::json`, // as JSON.stringify writes it
  'insert into purser.bet_event (bucket, event_id, first_seen_at) select distinct 0, event::text, t from b',
  // a deposit each, then of each bet the stake, its way to the house, and what is won
  `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, platform, at)
   select 0, player, 'EUR', row_number() over w, kind, debit, credit, amount,
     sum(case when credit = 'player' then amount when debit = 'player' then -amount else 0 end) over w, bet_id, request_id, reference, platform, at
   from (
     select 'player-' || i as player, -1 as i, 0 as leg, 'deposit' as kind, 'cash_in' as debit, 'player' as credit, 10000000 as amount,
       null as bet_id, null as request_id, 'seed-' || i as reference, '' as platform, timestamptz '${day}Z' + interval '1 hour' as at
     from generate_series(0, ${PLAYERS - 1}) i
     union all
     select player, i, leg, kind, debit, credit, amount, bet_id, 'request-' || i, null, case when i % 4 = 0 then 'acme' else '' end,
       case leg when 1 then t else t + interval '90 minutes' end
     from b, lateral (values (1, 'stake', 'player', 'open_stakes', 1000), (2, 'stake_closed', 'open_stakes', 'house', 1000),
       (3, 'payout', 'house', 'player', 1850)) l (leg, kind, debit, credit, amount)
     where leg = 1 or not is_open and (leg = 2 or is_won)
   ) m window w as (partition by player order by i, leg)`,
  `update purser.bet x set stake_version = s.version from purser.transfer s
   where s.kind = 'stake' and x.bucket = 0 and x.bet_id = s.bet_id and x.player = s.player and x.stake_version <> s.version`,
  `insert into purser.account (bucket, player, currency, balance, version, day, opening_version)
   select distinct on (player) 0, player, 'EUR', balance_after, version, date '${day}', 0 from purser.transfer order by player, version desc`,
  `insert into purser.cash_movement (bucket, player, reference, kind, currency, amount, version, balance_after)
   select 0, player, reference, 'deposit', 'EUR', amount, version, balance_after from purser.transfer where kind = 'deposit'`,
  `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, result_type, outcome, transfers, effect_at, at)
   select 0, x.player, x.bet_id, 2, 'settle', x.request_id, x.payout, 'EUR', x.result_type, 'applied', t.versions, x.changed_at, x.changed_at
   from purser.bet x join (
     select player, bet_id, array_agg(version order by version) as versions from purser.transfer where kind in ('stake_closed', 'payout') group by 1, 2
   ) t using (player, bet_id)`,
  `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, outcome, refusal, anomaly, transfers, at)
   select 0, x.player, x.bet_id, 3, 'rollback', x.request_id, 'refused', 'already_processed', 'rollback_of_settled_bet', '{}', x.changed_at
   from purser.bet x join b using (bet_id) where b.i % 10000 = 1`,
  `update purser.bet x set calls = 3 from b where b.i % 10000 = 1 and x.bet_id = b.bet_id`,
  `insert into purser.change (bucket, size, at, events, last_number)
   select 0, 2 * count(*), at, json_build_array(json_build_array('taken', case kind when 'stake' then 'bet.placed' else 'bet.settled' end, json_agg(player),
     json_agg(bet_id), json_agg(request_id), json_agg(currency), json_agg(amount::text), case kind when 'payout' then json_agg('won'::text) end,
     json_agg(balance_after::text), json_agg(version::text))), 2 * sum(count(*)) over (order by at, kind)
   from purser.transfer where kind in ('stake', 'payout') group by at, kind order by at, kind`,
  'update purser.change_count set last_number = (select max(last_number) from purser.change)',
  `insert into purser.action (subject, at, request_id, operation, ids, key_name, key_hash, person, before, after)
   select 'player-' || i, timestamptz '${day}Z' + i * interval '0.5 seconds', md5(i::text), 'createPlayer', json_build_object('userId', 'player-' || i), 'site',
     '2c70e12b', 'maria', '{}', '{"status":"active"}' from generate_series(0, ${PLAYERS - 1}) i`,
]

export async function seed(url: string, bets: number, day: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const text of STATEMENTS(bets, day)) await client.query(text)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** Milliseconds of the day that a journal takes before it is given time to write: it keeps a chunk for each second, and lets 80 wait. */
const SLICE_MS = 60_000
const BODY = (i: number, player: string) =>
  JSON.stringify({
    ...{
      requestId: `request-${i}`,
      type: 1,
      transactionId: betIdOf(i),
      token: `token-of-${player}-0123456789`,
      userId: player,
      amount: 10,
    },
    ...{
      currency: 'EUR',
      coefficient: 1.85,
      gameType: 'sportsbook',
      bonusId: null,
      ticketType: 'single',
      ip: '203.0.113.7',
    },
    metadata: [
      {
        disciplineId: '1',
        tournament: 'Premier League',
        eventId: `${i % EVENTS}`,
        event: 'Northern Rovers - Southern United',
        outcomeId: '2',
      },
    ],
  })

/** A Place bet each, as its wallet would have kept it. */
export async function seedJournal(db: Db, calls: number, day: string): Promise<void> {
  const from = Date.parse(`${day}T02:00:00Z`)
  const timeOf = (i: number) => from + Math.trunc((i / calls) * 20 * 3_600_000)
  for (let i = 0; i < calls; ) {
    let now = from
    const clock = { now: () => new Date(now) }
    const journal = createJournal({ db, clock, log: createLogger('warn'), schema: 'purser', days: 14 })
    for (const begun = timeOf(i); i < calls && timeOf(i) < begun + SLICE_MS; i++) {
      now = timeOf(i)
      const [player, betId] = [`player-${i % PLAYERS}`, betIdOf(i)]
      const answer = `{"transactionId":"${betId}","transactionTime":"${new Date(now).toISOString()}"}`
      const what = {
        ageMs: 5,
        source: '127.0.0.1',
        operation: 'place',
        outcome: 'accepted',
        secret: 0,
        status: 200,
        arrivalMs: 0.2,
        workMs: 4,
      }
      journal.add({ ...what, player, betId, requestId: `request-${i}`, body: Buffer.from(BODY(i, player)), answer })
    }
    await journal.stop()
    if (journal.lost() > 0) throw new Error(`the journal lost ${journal.lost()} calls`)
  }
}
