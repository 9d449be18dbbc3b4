// Writes the platform's bets on one final by SQL, and bets of another partner that will be
// cancelled.
import { spawnSync } from 'node:child_process'
import type pg from 'pg'

export const FINAL = 'the-final'

/** Ids as the platform makes them: ordered by time, then random. */
const ORDERED_ID = `(lpad(to_hex(i), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`

const bets = (partner: string, event: string) => `
with b as (select ${ORDERED_ID} as bet_id, i from generate_series(1, $1::int) i),
bets as (
  insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, ticket_type, coefficient,
    acknowledged_status, deliveries, placed_at, changed_at)
  select bet_id, '${partner}', gen_random_uuid(), '', 'player-' || i % 5000, 'EUR', 'token-of-the-seed', 1000, 'accepted', 'single', '2', 'open', 1, now(), now() from b),
selections as (
  insert into platform.selection (bet_id, number, event_id, outcome_id, coefficient, details)
  select bet_id, 1, '${event}', 'home', '2', '{}' from b),
places as (
  insert into platform.delivery (bet_id, number, partner_id, operation, request_id, BODY status, attempts, decided_at, first_attempt_at, due_at, finished_at)
  select bet_id, 1, '${partner}', 'place', gen_random_uuid(), EMPTY 'done', 1, now(), now(), now(), now() from b)
select bet_id from b`

/** Every bet is won, and its Settle is due. */
const SETTLES = `
with settled as (
  update platform.bet set status = 'settled', payout = 2 * stake, result_type = 'won', deliveries = 2 where partner_id = 'ours'
  returning bet_id, user_id),
made as (select bet_id, r, format('{"requestId":"%s","type":2,"transactionId":"%s","userId":"%s","amount":20.00,"currency":"EUR",'
  '"coefficient":2,"gameType":"sportsbook","bonusId":null,"bonusTemplateId":null,"ticketType":"single","resultType":"won"}', r, bet_id, user_id) as body
  from (select bet_id, user_id, gen_random_uuid() as r from settled) s),
due as (
  insert into platform.delivery (bet_id, number, partner_id, operation, request_id, BODY payout, result_type, status, decided_at, due_at)
  select bet_id, 2, 'ours', 'settle', r, TEXT 2000, 'won', 'pending', now(), now() from made returning delivery_id, bet_id)
APART`

/** An older build stores the body in the delivery itself. */
async function forSchema(client: pg.Client, sql: string): Promise<string> {
  const { rows } = await client.query<{ has: boolean }>("select to_regclass('platform.message') is not null as has")
  const hasMessageTable = rows[0]?.has === true
  return sql
    .replace('BODY', hasMessageTable ? '' : 'body,')
    .replace('EMPTY', hasMessageTable ? '' : "'{}',")
    .replace('TEXT', hasMessageTable ? '' : 'body,')
    .replace('APART', hasMessageTable ? MESSAGES : 'select count(*) from due')
}

const MESSAGES = `
insert into platform.message (delivery_id, body) select due.delivery_id, made.body from due join made using (bet_id)`

export function runMigrate(main: string, databaseUrl: string): void {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl }
  const { status, stderr } = spawnSync(process.execPath, [main, 'migrate'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`migrate: ${stderr}`)
}

export async function writeBook(client: pg.Client, count: number, others: number): Promise<string[]> {
  await client.query("insert into platform.currency (currency, scale) values ('EUR', 2) on conflict do nothing")
  await client.query(await forSchema(client, bets('ours', FINAL)), [count])
  const { rows } = await client.query<{ bet_id: string }>(await forSchema(client, bets('other', 'another-event')), [
    others,
  ])
  return rows.map((row) => row.bet_id)
}

export async function writeSettles(client: pg.Client): Promise<void> {
  await client.query(await forSchema(client, SETTLES))
}
