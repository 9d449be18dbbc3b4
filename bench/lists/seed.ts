// Writes one day of a wallet by SQL, with ten bets at a time on 2,000 events. Two of five bets are
// won, one of fifty is still open; rare-rows.ts adds the rare ones. The ledger balances, since the
// audit is timed too.
import { createHash } from 'node:crypto'
import { createLogger } from '@purser/runtime/logger'
import pg from 'pg'
import { createCallJournal } from 'purser/core/call-journal/call-journal'
import { type Db, statement } from 'purser/core/database/db'
import { buildRareRowsSql } from './rare-rows.ts'

export const SEED_PLAYERS = 100_000
export const SEED_EVENTS = 2_000
const TOGETHER = 10
const STAKE = 1_000
const PAYOUT = 1_850
/**
 * Milliseconds over which the bets are spread, and the longest until a bet is settled, which is
 * before the player's next one.
 */
const SPREAD_MS = 20 * 3_600_000
const SETTLED_MS = 90 * 60_000

/** The same id as in the SQL below. */
export function toSeedBetId(i: number): string {
  const hex = createHash('md5').update(`${i}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

export interface SeedSize {
  readonly bets: number
  readonly players: number
  /** ISO date. */
  readonly day: string
}

/**
 * The statements take no parameters. Each bet has its balance and its first transfer in advance, so
 * that no row is written twice. The tables have no dead rows, as after a vacuum.
 */
const STATEMENTS = (size: SeedSize): [string, string][] => [...ofBets(size), ...ofMoney(size)]

function timesOf({ bets, players, day }: SeedSize) {
  const between = Math.trunc((SPREAD_MS * TOGETHER) / Math.max(bets, 1))
  const settledMs = Math.min(SETTLED_MS, Math.trunc((SPREAD_MS * players) / Math.max(bets, 1) / 2))
  const deposit = 10_000_000 + STAKE * Math.ceil(bets / players)
  const [start, settled] = [`timestamptz '${day}Z'`, `interval '${settledMs} ms'`]
  const w = '(partition by i % PLAYERS order by i rows between unbounded preceding and 1 preceding)'.replace(
    'PLAYERS',
    `${players}`,
  )
  return { between, deposit, start, settled, w }
}

function ofBets(size: SeedSize): [string, string][] {
  const { bets, players } = size
  const { between, deposit, start, settled, w } = timesOf(size)
  return [
    [
      'the plan',
      `create temp table b as select i, 'player-' || i % ${players} as player, md5(i::text)::uuid::text as bet_id,
         ${start} + interval '2 hours' + (i / ${TOGETHER}) * interval '${between} ms' as t, (${4_000_000} + (i / 3) % ${SEED_EVENTS})::text as event,
         is_open, is_won, 2 + coalesce(sum(moves) over ${w}, 0) as version, ${deposit} + coalesce(sum(effect) over ${w}, 0) as before, moves, effect,
         case when i % 4 = 0 then 'acme' else '' end as platform
       from (
         select *, case when is_open then 1 when is_won then 3 else 2 end as moves, case when is_won then ${PAYOUT - STAKE} else ${-STAKE} end as effect
         from (select i, i % 50 = 0 as is_open, i % 5 < 2 and i % 50 <> 0 as is_won from generate_series(0, ${bets - 1}) i) i
       ) i order by i`,
    ],
    ['its statistics', 'analyze b'],
    [
      'players',
      `insert into purser.player (bucket, player, currency, currencies, status, operator_user, brand, nickname_key, email_key, custom_fields, created_as, created_at)
       select 0, 'player-' || i, 'EUR', '{EUR}', case when i % 1000 = 0 then 'blocked' else 'active' end, 'site-' || i, 'brand-' || i % 5,
         'nick-' || i, i || '@example.com', json_build_object('nickname', 'Nick-' || i, 'email', i || '@example.com'), '{}', ${start}
       from generate_series(0, ${players - 1}) i`,
    ],
    [
      'bets',
      `insert into purser.bet (bucket, player, bet_id, platform, status, calls, last_result, currency, stake, funder, stake_version, request_id, placed_at,
         payout, result_type, payee, first_seen_at, changed_at)
       select 0, player, bet_id, platform, case when is_open then 'open' else 'settled' end,
         case when is_open then 1 when i % 10000 = 1 then 3 else 2 end, case when is_open then 0 else 2 end, 'EUR', ${STAKE}, 'player', version, 'request-' || i, t,
         case when not is_open then case when is_won then ${PAYOUT} else 0 end end, case when not is_open then case when is_won then 'won' else 'lost' end end,
         case when not is_open then 'player' end, t, case when is_open then t else t + ${settled} end
       from b`,
    ],
    [
      'their details',
      `insert into purser.bet_details (bucket, first_seen_at, bet_id, player, details)
       select 0, t, bet_id, player, ('{"coefficient":1.85,"gameType":"sportsbook","ticketType":"single","ip":"203.0.113.7","metadata":[{"disciplineId":"1","discipline":"Football","tournamentId":"88637","tournament":"Premier League","tournamentRegionCode":"GB","eventId":"' || event || '","event":"Northern Rovers - Southern United","eventDate":"2030-05-04 18:45:00","marketId":"1","market":"Winner","outcomeId":"' || i % 3 || '","outcome":"Draw","coefficient":1.85,"stage":1}]}')::json
       from b`,
    ],
    [
      'their events',
      `insert into purser.bet_event (bucket, event_id, first_seen_at)
       select 0, event, t from (select t, event from b group by i / ${TOGETHER}, t, event) e`,
    ],
    [
      'deposits',
      `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, reference, at)
       select 0, 'player-' || i, 'EUR', 1, 'deposit', 'cash_in', 'player', ${deposit}, ${deposit}, 'seed-' || i, ${start} + interval '1 hour'
       from generate_series(0, ${players - 1}) i`,
    ],
  ]
}

function ofMoney(size: SeedSize): [string, string][] {
  const { players, day } = size
  const { deposit, start, settled } = timesOf(size)
  return [
    [
      'transfers of bets',
      `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, platform, at)
       select 0, player, 'EUR', version + leg, kind, debit, credit, amount, before + effect_so_far, bet_id, 'request-' || i, platform,
         case leg when 0 then t else t + ${settled} end
       from b, lateral (values (0, 'stake', 'player', 'open_stakes', ${STAKE}, ${-STAKE}), (1, 'stake_closed', 'open_stakes', 'house', ${STAKE}, ${-STAKE}),
         (2, 'payout', 'house', 'player', ${PAYOUT}, ${PAYOUT - STAKE})) l (leg, kind, debit, credit, amount, effect_so_far)
       where leg < moves`,
    ],
    [
      'accounts',
      `insert into purser.account (bucket, player, currency, balance, version, day, opening_version)
       select 0, 'player-' || p, 'EUR', ${deposit} + coalesce(effect, 0), 1 + coalesce(moves, 0), date '${day}', 0
       from generate_series(0, ${players - 1}) p left join (select i % ${players} as p, sum(effect) as effect, sum(moves) as moves from b group by 1) m using (p)`,
    ],
    [
      'movements',
      `insert into purser.cash_movement (bucket, player, reference, kind, currency, amount, version, balance_after)
       select 0, 'player-' || i, 'seed-' || i, 'deposit', 'EUR', ${deposit}, 1, ${deposit} from generate_series(0, ${players - 1}) i`,
    ],
    [
      'calls',
      `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, result_type, outcome, transfers, effect_at, at)
       select 0, player, bet_id, 2, 'settle', 'request-' || i, case when is_won then ${PAYOUT} else 0 end, 'EUR', case when is_won then 'won' else 'lost' end, 'applied',
         case when is_won then array[version + 1, version + 2] else array[version + 1] end, t + ${settled}, t + ${settled}
       from b where not is_open`,
    ],
    ...buildRareRowsSql(size, SPREAD_MS),
    [
      'late rollbacks',
      `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, outcome, refusal, anomaly, transfers, at)
       select 0, player, bet_id, 3, 'rollback', 'late-' || i, 'refused', 'already_processed', 'rollback_of_settled_bet', '{}', t + ${settled}
       from b where i % 10000 = 1`,
    ],
    [
      'the feed',
      `insert into purser.change (bucket, size, at, events, last_number)
       select 0, 2 * count(*), at, json_build_array(json_build_array('taken', name, json_agg(player), json_agg(bet_id), json_agg('request-' || i), json_agg('EUR'::text),
         json_agg(amount::text), case name when 'bet.settled' then json_agg('won'::text) end, json_agg(balance::text), json_agg(version::text))),
         2 * sum(count(*)) over (order by at, name)
       from (
         select i, player, bet_id, t as at, 'bet.placed' as name, ${STAKE} as amount, before - ${STAKE} as balance, version from b
         union all
         select i, player, bet_id, t + ${settled}, 'bet.settled', ${PAYOUT}, before + effect, version + 2 from b where is_won
       ) e group by at, name order by at, name`,
    ],
    [
      'its count',
      'update purser.feed_counter set last_number = coalesce((select max(last_number) from purser.change), 0)',
    ],
    [
      'the action log',
      `insert into purser.action (subject, at, request_id, operation, ids, key_name, key_hash, person, before, after)
       select 'player-' || i, ${start} + i * interval '0.5 seconds', md5(i::text), 'createPlayer', json_build_object('userId', 'player-' || i), 'site',
         '2c70e12b', 'maria', '{}', '{"status":"active"}' from generate_series(0, ${players - 1}) i`,
    ],
    ['vacuum', 'vacuum analyze'],
  ]
}

/** Tables whose indexes are built after their rows are inserted. */
const LARGE = ['bet', 'bet_details', 'bet_event', 'bet_call', 'transfer', 'change']

interface Index {
  readonly drop: string
  readonly make: string
}

async function indexesOf(client: pg.Client): Promise<Index[]> {
  const { rows } = await client.query<Index>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
         else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
       case when c.oid is null then pg_get_indexdef(i.indexrelid)
         else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as make
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
     where i.indrelid::regclass::text = any($1)`,
    [LARGE.map((table) => `purser.${table}`)],
  )
  return rows
}

/** The database must have its schema and no players. `say` receives a line after each step. */
export async function seedDatabase(url: string, size: SeedSize, say: (line: string) => void = () => {}): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(
      "set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set jit = off",
    )
    const indexes = await indexesOf(client)
    const run = async (what: string, texts: string[]) => {
      const begun = performance.now()
      for (const text of texts) await client.query(text)
      say(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
    }
    await run(
      'without indexes',
      indexes.map(({ drop }) => drop),
    )
    const statements = STATEMENTS(size)
    for (const [what, text] of statements.slice(0, -1)) await run(what, [text])
    await run(
      'indexes',
      indexes.map(({ make }) => make),
    )
    for (const [what, text] of statements.slice(-1)) await run(what, [text])
  } finally {
    await client.end()
  }
}

/**
 * Milliseconds of the day between two flushes of the journal. The journal makes one chunk per
 * second, and at most 80 may wait.
 */
const SLICE_MS = 60_000
const BODY = (i: number, player: string) =>
  JSON.stringify({
    ...{
      requestId: `request-${i}`,
      type: 1,
      transactionId: toSeedBetId(i),
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
        eventId: `${i % SEED_EVENTS}`,
        event: 'Northern Rovers - Southern United',
        outcomeId: '2',
      },
    ],
  })

const MAKE_DAY = statement('bench_make_day_of_journal', "select purser.rotate_journal_of('purser', $1::date, 3650)")

/** One Place bet per call, as the wallet would have recorded it. */
export async function seedJournal(db: Db, calls: number, day: string): Promise<void> {
  const from = Date.parse(`${day}T02:00:00Z`)
  const timeOf = (i: number) => from + Math.trunc((i / calls) * 20 * 3_600_000)
  await db.transaction((tx) => tx.query(MAKE_DAY, [day]))
  for (let i = 0; i < calls; ) {
    let now = from
    const clock = { now: () => new Date(now) }
    const journal = createCallJournal({ db, clock, log: createLogger('warn'), schema: 'purser', days: 3_650 })
    for (const begun = timeOf(i); i < calls && timeOf(i) < begun + SLICE_MS; i++) {
      now = timeOf(i)
      const [player, betId] = [`player-${i % SEED_PLAYERS}`, toSeedBetId(i)]
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
