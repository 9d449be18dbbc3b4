// The database of the plain server, with the players of the run.
import pg from 'pg'
import { type BenchPlayer, CURRENCY } from './place-bet.ts'

const SCHEMA = `
  create table account (
    user_id text, currency text, balance bigint not null check (balance >= 0), primary key (user_id, currency)
  );
  create table session (
    token text primary key, user_id text not null, currency text not null, expires_at timestamptz not null
  );
  create table bet (
    user_id text, transaction_id text, request_id text not null, currency text not null, stake bigint not null,
    status text not null default 'open', placed_at timestamptz not null default now(),
    primary key (user_id, transaction_id)
  );
  create table ledger (
    id bigint generated always as identity primary key, user_id text not null, transaction_id text not null,
    amount bigint not null, balance_after bigint not null, created_at timestamptz not null default now()
  )`

export async function createPlainDatabase(databaseUrl: string, players: BenchPlayer[], cents: bigint): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const userIds = players.map(({ userId }) => userId)
  const tokens = players.map(({ token }) => token)
  await client.query(SCHEMA)
  await client.query('insert into account select unnest($1::text[]), $2, $3', [userIds, CURRENCY, cents])
  await client.query(
    `insert into session
     select token, user_id, $3, now() + interval '1 day' from unnest($1::text[], $2::text[]) as s (token, user_id)`,
    [tokens, userIds, CURRENCY],
  )
  await client.end()
}
