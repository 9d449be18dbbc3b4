/**
 * Compares the bets of the platform and of the wallet. In these tests, both have their tables in
 * one database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface BothSides {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Bets that are in an intermediate state, or on which the two sides differ, as text. */
  disagreements(): Promise<string[]>
  /** Pairs of calls that the wallet applied in another order than the platform decided them. */
  outOfOrder(): Promise<string[]>
  unfinished(): Promise<number>
  /** Milliseconds until the next delivery is due; Infinity without a waiting delivery. */
  nextDue(): Promise<number>
  /** Throws when a delivery has no final outcome after this time. */
  quiet(withinMs: number): Promise<void>
  close(): Promise<void>
}

/**
 * The states that belong together: an accepted bet of the platform is open in the wallet, and so
 * on. For a declined bet the wallet holds no money; without a call it has no record (C-10, C-11).
 */
const DISAGREEMENTS = `
  select p.bet_id, w.bet_id as wallet_bet_id, p.status, p.reason, p.acknowledged_status, p.payout, p.acknowledged_payout, p.result_type, p.acknowledged_result_type,
    p.stake, p.currency, p.user_id, w.status as wallet_status, w.stake as wallet_stake, w.payout as wallet_payout,
    w.result_type as wallet_result_type, w.currency as wallet_currency, w.player
  from platform.bet p full join purser.bet w on w.bet_id = p.bet_id::text
  where p.bet_id is null or not coalesce(
    case p.status
      when 'declined' then p.acknowledged_status is null and (w.status = 'refused' or (w.status is null and p.deliveries = 0))
      when 'cancelled' then p.acknowledged_status = 'cancelled' and w.status = 'cancelled'
      when 'accepted' then p.acknowledged_status = 'open' and w.status = 'open'
      when 'settled' then p.acknowledged_status = 'settled' and w.status = 'settled'
    end
    and (w.bet_id is null or w.player = p.user_id)
    and (w.status is null or w.status not in ('open', 'settled') or (w.stake = p.stake and w.currency = p.currency))
    and (p.status <> 'settled' or (p.payout, p.result_type) = (w.payout, w.result_type))
    and (p.payout, p.result_type) is not distinct from (p.acknowledged_payout, p.acknowledged_result_type), false)`

const OUT_OF_ORDER = `
  select bet_id, number, request_id from (
    select c.bet_id, d.number, c.request_id, max(d.number) over (partition by c.bet_id order by c.seq rows unbounded preceding) as latest
    from purser.bet_call c join platform.delivery d on d.request_id::text = c.request_id
    where c.outcome = 'applied'
  ) applied where number < latest`

const UNFINISHED = `
  select (select count(*) from platform.delivery where status in ('pending', 'waiting'))
       + (select count(*) from platform.bet where status = 'placing') as count`

const NEXT_DUE = `
  select coalesce(extract(epoch from min(case when is_claimed or due_at = 'infinity' then 'epoch' else due_at end)) * 1000, 'Infinity')::float8 as at from platform.delivery where status = 'pending'`

const POLL_MS = 50

export async function bothSides(databaseUrl: string): Promise<BothSides> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  pool.on('error', () => {})
  const query: BothSides['query'] = async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
    (await pool.query<Row>(sql, values)).rows
  const lines = async (sql: string) => (await query(sql)).map((row) => JSON.stringify(row))
  const unfinished = async () => Number((await query<{ count: string }>(UNFINISHED))[0]?.count)
  return {
    query,
    disagreements: () => lines(DISAGREEMENTS),
    outOfOrder: () => lines(OUT_OF_ORDER),
    unfinished,
    nextDue: async () => (await query<{ at: number }>(NEXT_DUE))[0]?.at ?? Number.POSITIVE_INFINITY,
    async quiet(withinMs) {
      const deadline = performance.now() + withinMs
      while ((await unfinished()) > 0) {
        if (performance.now() > deadline) throw new Error(await describe(query, withinMs))
        await sleep(POLL_MS)
      }
    },
    close: () => pool.end(),
  }
}

async function describe(query: BothSides['query'], withinMs: number): Promise<string> {
  const rows = await query(`
    select b.bet_id, b.status as bet, d.number, d.operation, d.status, d.attempts, d.error, d.due_at
    from platform.bet b join platform.delivery d using (bet_id)
    where d.status in ('pending', 'waiting') or b.status = 'placing' order by b.bet_id, d.number limit 20`)
  return `not over after ${withinMs} ms:\n${rows.map((row) => JSON.stringify(row)).join('\n')}`
}
