/**
 * Inserts copies of a bet by SQL, without the API. The totals of the event stay as they are
 * (exposure-totals.ts).
 */
import type { TestPlatform } from '../support/platform.ts'

export async function manyLike({ sql }: Pick<TestPlatform, 'sql'>, betId: string, copies: number): Promise<void> {
  for (const table of ['bet', 'selection'])
    await sql(
      `insert into platform.${table}
       select (jsonb_populate_record(t, jsonb_build_object('bet_id', md5(n::text)::uuid, 'idempotency_key', null))).*
       from platform.${table} t, generate_series(1, $2::int) n where bet_id = $1`,
      [betId, copies],
    )
}
