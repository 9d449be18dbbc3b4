// Rare rows of the seeded day (seed.ts) that staff query:
//
// - refused bets, and bets rolled back before they arrived
// - adjustments that wait for approval
// - sessions, and the counts of the last hour
import type { SeedSize } from './seed.ts'

/** Bets per session; every second session is ended early. */
const IN_A_SESSION = 2
/** One rare bet per this number of bets. */
const RARE = 100
const PROPOSALS = 10_000

/** `spreadMs`: period over which the bets are spread. */
export function buildRareRowsSql(size: SeedSize, spreadMs: number): [string, string][] {
  return [...ofBets(size, spreadMs), ...ofPeople(size)]
}

/** These bets moved no money: refused for lack of money, or rolled back before they arrived. */
function ofBets({ bets, players, day }: SeedSize, spreadMs: number): [string, string][] {
  const rare = `(select i, case i % 2 when 0 then 'refused' else 'cancelled' end as status, 'rare-' || md5(i::text) as bet_id, 'player-' || i % ${players} as player,
    timestamptz '${day}Z' + interval '2 hours' + i * interval '${Math.trunc((spreadMs * RARE) / Math.max(bets, 1))} ms' as t from generate_series(0, ${Math.trunc(bets / RARE)} - 1) i) r`
  return [
    [
      'bets that were refused or rolled back unseen',
      `insert into purser.bet (bucket, player, bet_id, status, calls, refusal, first_seen_at, changed_at)
       select 0, player, bet_id, status, 1, case status when 'refused' then 'not_enough_money' end, t, t from ${rare}`,
    ],
    [
      'their calls',
      `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, reason, outcome, refusal, transfers, effect_at, at)
       select 0, player, bet_id, 1, case status when 'refused' then 'place' else 'rollback' end, 'rare-' || i, case status when 'refused' then 100000 end,
         case status when 'refused' then 'EUR' end, case status when 'cancelled' then 10 end, case status when 'refused' then 'refused' else 'applied' end,
         case status when 'refused' then 'not_enough_money' end, '{}', case status when 'cancelled' then t end, t from ${rare}`,
    ],
  ]
}

function ofPeople({ bets, players, day }: SeedSize): [string, string][] {
  return [
    [
      'adjustments that need a second person',
      `insert into purser.proposal (bucket, player, reference, currency, amount, reason, key_name, person, proposed_at, expires_at, status, decided_key, decided_person, decided_at)
       select 0, 'player-' || i, 'adjust-' || i, 'EUR', 100000, 'a jackpot', 'desk', 'maria', t, t + interval '7 days', status,
         case status when 'refused' then 'boss' end, case status when 'refused' then 'ben' end, case status when 'refused' then t + interval '1 hour' end
       from (select i, timestamptz '${day}Z' + interval '3 hours' + i * interval '5 seconds' as t, case when i % 10 = 0 then 'pending' else 'refused' end as status
         from generate_series(0, least(${players}, ${PROPOSALS}) - 1) i) p`,
    ],
    [
      'sessions',
      `insert into purser.session (bucket, token_hash, player, currency, created_at, expires_at, ended_at)
       select 0, md5('session ' || i), 'player-' || i % ${players}, 'EUR', t, t + interval '1 day', case when i % 2 = 0 then t + interval '1 hour' end
       from (select i, timestamptz '${day}Z' + i * interval '100 ms' as t from generate_series(0, ${Math.trunc(bets / IN_A_SESSION)} - 1) i) s`,
    ],
    [
      'the last hour',
      `insert into purser.call_stats (slot, name, minute, accepted, refused, failed, durations)
       select (extract(epoch from m)::bigint / 60) % 64, name, m, 1000, 10, 1, array_fill(50::bigint, array[20])
       from generate_series(date_trunc('minute', now()) - interval '60 minutes', date_trunc('minute', now()), interval '1 minute') m,
         unnest(array['', 'acme', '?']) as name`,
    ],
  ]
}
