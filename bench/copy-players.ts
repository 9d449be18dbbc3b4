// A hundred thousand players in seconds: rows of one player, made through the operator API, are copied under other names, whatever
// columns the tables of this version have.
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { BenchPlayer } from './place-bet.ts'
import { TEMPLATE } from './seed-players.ts'

const TABLES = ['player', 'account', 'transfer', 'cash_movement'] as const

export async function copyPlayers(databaseUrl: string, players: BenchPlayer[]): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const userIds = players.map(({ userId }) => userId)
  for (const table of TABLES) await client.query(copyOf(table, ''), [userIds, TEMPLATE])
  const hashes = players.map(({ token }) => createHash('sha256').update(token).digest('base64url'))
  await client.query(copyOf('session', ", 'token_hash', k.hash"), [userIds, TEMPLATE, hashes])
  await client.query('vacuum analyze')
  await client.end()
}

function copyOf(table: string, besides: string): string {
  const keys = besides ? 'unnest($1::text[], $3::text[]) as k (id, hash)' : 'unnest($1::text[]) as k (id)'
  return `insert into purser.${table} select n.* from purser.${table} t cross join ${keys}
    cross join lateral jsonb_populate_record(t, jsonb_build_object('player', k.id${besides})) n where t.player = $2`
}
