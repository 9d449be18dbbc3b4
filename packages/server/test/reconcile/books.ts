/** Writes matching bets of a platform and its wallet by SQL, so that a test can add differences. */
import pg from 'pg'

/** The id of bet `i`, on both sides. */
export function betIdOf(i: number): string {
  return `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`
}

export const PARTNER = 'acme'

/**
 * Bet i belongs to player-(i mod 7) and has a stake of 10.00 EUR. Its state depends on i mod 5: 0
 * open, 1 won 21.00, 2 lost, 3 cancelled, 4 declined with code 7.
 */
const STATUS = "case i % 5 when 0 then 'open' when 1 then 'settled' when 2 then 'settled' when 3 then 'cancelled' end"
const PAYOUT = 'case i % 5 when 1 then 2100 when 2 then 0 end'
const RESULT = "case i % 5 when 1 then 'won' when 2 then 'lost' end"
const ID = "('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))"

const PLATFORM_BETS = `
  insert into platform.bet (bet_id, partner_id, frame_session_id, request_hash, user_id, currency, token, stake, status, ticket_type,
    coefficient, payout, result_type, result_source, acknowledged_status, acknowledged_payout, acknowledged_result_type, placed_at, changed_at)
  select ${ID}::uuid, '${PARTNER}', ${ID}::uuid, '', 'player-' || i % 7, 'EUR', 'token', 1000,
    case i % 5 when 0 then 'accepted' when 1 then 'settled' when 2 then 'settled' when 3 then 'cancelled' else 'declined' end,
    'single', '2.1', ${PAYOUT}, ${RESULT}, null, ${STATUS}, ${PAYOUT}, ${RESULT}, now(), now()
  from generate_series(1, COUNT) i`

const DELIVERIES = `
  insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, code, decided_at, due_at)
  select ${ID}::uuid, 1, '${PARTNER}', 'place', ${ID}::uuid, case i % 5 when 4 then 'refused' else 'done' end,
    case i % 5 when 4 then 7 end, now(), now()
  from generate_series(1, COUNT) i`

/** A declined bet is stored at the wallet only as a refusal. */
const WALLET_BETS = `
  insert into purser.bet (bucket, player, bet_id, status, calls, currency, stake, funder, stake_version, request_id, placed_at, payout,
    result_type, payee, refusal, first_seen_at, changed_at)
  select 0, 'player-' || i % 7, ${ID}, coalesce(${STATUS}, 'refused'), 1, case when i % 5 < 4 then 'EUR' end,
    case when i % 5 < 4 then 1000 end, case when i % 5 < 4 then 'player' end, i, 'request', now(), ${PAYOUT}, ${RESULT},
    case when i % 5 in (1, 2) then 'player' end, case i % 5 when 4 then 'not_enough_money' end, now() - i * interval '1 ms', now()
  from generate_series(1, COUNT) i`

const PLAYERS = `
  insert into purser.player (bucket, player, currency, currencies, created_as, created_at)
  select 0, prefix || i, 'EUR', '{EUR}', '{}', now() from generate_series(0, 6) i, unnest(array['player-', 'op-player-']) prefix`

export function platformBook(bets: number): string[] {
  const partner = `insert into platform.partner values ('${PARTNER}', 'http://127.0.0.1:9', '["s"]', now())`
  const currency = "insert into platform.currency values ('EUR', 2)"
  return [partner, currency, PLATFORM_BETS, DELIVERIES].map((sql) => sql.replace('COUNT', `${bets}`))
}

export function walletBook(bets: number): string[] {
  const currency = "insert into purser.currency values ('EUR', 2), ('USD', 2) on conflict do nothing"
  return [currency, PLAYERS, WALLET_BETS].map((sql) => sql.replace('COUNT', `${bets}`))
}

export interface Books {
  /** Runs SQL on the platform's database; $1 is the id of bet `i`. */
  platform(sql: string, i: number): Promise<void>
  wallet(sql: string, i: number): Promise<void>
  close(): Promise<void>
}

/** Both addresses may be the same database. */
export async function writeBooks(platformUrl: string, walletUrl: string, bets: number): Promise<Books> {
  const [platform, wallet] = await Promise.all([connect(platformUrl), connect(walletUrl)])
  for (const sql of platformBook(bets)) await platform.query(sql)
  for (const sql of walletBook(bets)) await wallet.query(sql)
  return {
    platform: async (sql, i) => void (await platform.query(sql, [betIdOf(i)])),
    wallet: async (sql, i) => void (await wallet.query(sql, [betIdOf(i)])),
    close: async () => void (await Promise.all([platform.end(), wallet.end()])),
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
