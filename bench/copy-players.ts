// Creates a hundred thousand players in seconds: SQL copies the rows of one player that the
// operator API made. It works with the columns of any version.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { bucketOf } from 'purser/wallet/store/bucket'
import type { BenchPlayer } from './place-bet.ts'
import { TEMPLATE } from './seed-players.ts'

const TABLES = ['player', 'account', 'transfer', 'cash_movement', 'session'] as const
/** Rows per statement. */
const AT_ONCE = 10_000

export async function copyPlayers(databaseUrl: string, players: BenchPlayer[], buckets = 1): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  for (const table of TABLES) {
    const { rows } = await client.query(`select to_jsonb(t) as row from purser.${table} t where player = $1`, [
      TEMPLATE,
    ])
    const hashed = ({ token }: BenchPlayer) => createHash('sha256').update(token).digest('base64url')
    for (let from = 0; from < players.length; from += AT_ONCE) {
      const copies = players.slice(from, from + AT_ONCE).flatMap((player) =>
        rows.map(({ row }) => ({
          ...row,
          player: player.userId,
          bucket: bucketOf(player.userId, buckets),
          ...(table === 'session' && { token_hash: hashed(player) }),
        })),
      )
      await client.query(
        `insert into purser.${table} select n.* from jsonb_populate_recordset(null::purser.${table}, $1) n`,
        [JSON.stringify(copies)],
      )
    }
  }
  await client.query('vacuum analyze')
  await client.end()
}
