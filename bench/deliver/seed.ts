// The seed: bets that the wallet accepted over HTTP, and the platform's rows of the same bets. Each
// measured window gets a fresh copy and adds the deliveries of its situation.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Pool } from 'undici'
import type { BenchPlayer } from '../place-bet.ts'
import { seedPlayers, toUserIds } from '../seed-players.ts'
import { signBody } from '../signature.ts'
import { SECRET, startPurser } from '../subjects.ts'

const PLAYERS = 500
const AT_ONCE = 128
const TRIES = 5
export const BETS_PER_EVENT = 5_000

export async function placeBets(databaseUrl: string, count: number): Promise<void> {
  const wallet = await startPurser(databaseUrl)
  const pool = new Pool(wallet.url, { connections: AT_ONCE })
  try {
    const players = await seedPlayers(wallet.url, toUserIds(PLAYERS))
    let left = count
    const worker = async () => {
      while (left-- > 0) await place(pool, players[left % PLAYERS]!)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } finally {
    await pool.close()
    await wallet.stop()
  }
  await withClient(databaseUrl, async (client) => {
    await client.query(PLATFORM_ROWS)
    await client.query(TOTALS)
  })
}

async function place(pool: Pool, { userId, token }: BenchPlayer): Promise<void> {
  const bet = { requestId: randomUUID(), type: 1, transactionId: randomUUID(), token, userId, amount: 10 }
  const terms = { currency: 'EUR', coefficient: 2, gameType: 'sportsbook', bonusId: null, ticketType: 'single' }
  const body = Buffer.from(JSON.stringify({ ...bet, ...terms }))
  const headers = { 'content-type': 'application/json', 'x-sign-jws': signBody(SECRET, body) }
  for (let attempt = 1; ; attempt++) {
    const reply = await pool.request({ method: 'POST', path: '/payment/bet', headers, body })
    const text = await reply.body.text()
    if (reply.statusCode === 200) return
    if (attempt === TRIES) throw new Error(`Place bet answered ${reply.statusCode}: ${text}`)
    await sleep(attempt * 100)
  }
}

/** Rows as the platform would have written them for the wallet's bets. */
const PLATFORM_ROWS = `
with b as (select row_number() over (order by bet_id) as n, bet_id::uuid, player, stake, placed_at from purser.bet),
bets as (
  insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, ticket_type, coefficient,
    acknowledged_status, deliveries, placed_at, changed_at)
  select bet_id, 'ours', gen_random_uuid(), '', player, 'EUR', 'token-of-the-seed', stake, 'accepted', 'single', '2', 'open', 1, placed_at, placed_at from b),
selections as (
  insert into platform.selection (bet_id, number, event_id, outcome_id, coefficient, details)
  select bet_id, 1, 'event-' || n / ${BETS_PER_EVENT}, 'home', '2', '{}' from b)
insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, attempts, decided_at, first_attempt_at, due_at, finished_at)
select bet_id, 1, 'ours', 'place', gen_random_uuid(), 'done', 1, placed_at, placed_at, placed_at, placed_at from b`

/** Totals that the platform updates when it accepts a bet. */
const TOTALS = `
insert into platform.currency (currency, scale) values ('EUR', 2) on conflict do nothing;
insert into platform.outcome_total (event_id, outcome_id, currency, stake, win)
select event_id, outcome_id, currency, sum(stake), sum(2 * stake) from platform.selection join platform.bet using (bet_id)
group by event_id, outcome_id, currency;
insert into platform.event_total (event_id, bets) select event_id, count(*) from platform.selection group by event_id`

/** Every bet is won, and its Settle is due. */
export const SETTLES_OF_OURS = `
with settled as (
  update platform.bet set status = 'settled', payout = 2 * stake, result_type = 'won', deliveries = 2 where partner_id = 'ours'
  returning bet_id, user_id),
due as (
  insert into platform.delivery (bet_id, number, partner_id, operation, request_id, payout, result_type, status, decided_at, due_at)
  select bet_id, 2, 'ours', 'settle', gen_random_uuid(), 2000, 'won', 'pending', now(), now() from settled
  returning delivery_id, bet_id, request_id)
insert into platform.message (delivery_id, body)
select delivery_id, format('{"requestId":"%s","type":2,"transactionId":"%s","userId":"%s","amount":20.00,"currency":"EUR",'
  '"coefficient":2,"gameType":"sportsbook","bonusId":null,"bonusTemplateId":null,"ticketType":"single","resultType":"won"}', request_id, bet_id, user_id)
from due join settled using (bet_id)`

/** As many Settles of an unreachable partner. */
export const SETTLES_OF_OTHER = `
with placed as (
  insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, ticket_type, coefficient,
    payout, result_type, acknowledged_status, deliveries, placed_at, changed_at)
  select gen_random_uuid(), 'other', gen_random_uuid(), '', 'player', 'EUR', 'token-of-the-seed', 1000, 'settled', 'single', '2', 2000, 'won', 'open', 2, now(), now()
  from generate_series(1, $1::int)
  returning bet_id),
due as (
  insert into platform.delivery (bet_id, number, partner_id, operation, request_id, payout, result_type, status, decided_at, due_at)
  select bet_id, 2, 'other', 'settle', gen_random_uuid(), 2000, 'won', 'pending', now(), now() from placed
  returning delivery_id, bet_id, request_id)
insert into platform.message (delivery_id, body)
select delivery_id, format('{"requestId":"%s","type":2,"transactionId":"%s"}', request_id, bet_id) from due`

export async function withClient<Result>(databaseUrl: string, use: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  return use(client).finally(() => client.end())
}
