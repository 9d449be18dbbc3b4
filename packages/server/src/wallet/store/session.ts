/**
 * Session: a token for one player and one currency. It expires, and only its hash is stored (P-1).
 */
import { hash } from 'node:crypto'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { environment } from '@purser/runtime/environment'
import { statement, type Tx } from '../../core/database/db.ts'
import { mapSingleRow } from '../../core/database/row-mapping.ts'
import { bucketOf } from './bucket.ts'
import { recordWalletChanges, sessionItem } from './wallet-changes.ts'

/** SHA-256 of a token, base64url. */
export type TokenHash = string & { readonly brand: 'TokenHash' }

export interface Session {
  readonly player: PlayerId
  readonly currency: Currency
  readonly expiresAt: Date
  /**
   * Time of its end by a currency switch or the operator; equal to `expiresAt` if a call was
   * refused as expired (code 4). Null while it has not ended.
   */
  readonly endedAt: Date | null
}

export interface SessionRecord extends Session {
  readonly ip: string | null
  readonly country: string | null
}

const TOKEN_BYTES = 32

export function hashToken(token: string): TokenHash {
  return hash('sha256', token, 'base64url') as TokenHash
}

/**
 * Generates a token whose hash falls into the player's bucket, because User data has a token but no
 * player. On average this takes as many tries as there are buckets.
 */
export function generateToken(bucket: number, buckets: number): string {
  for (;;) {
    const token = environment.randomBytes(TOKEN_BYTES).toString('base64url')
    if (bucketOf(hashToken(token), buckets) === bucket) return token
  }
}

interface SessionRow extends Record<string, unknown> {
  token_hash: TokenHash
  player: PlayerId
  currency: Currency
  expires_at: Date
  ended_at: Date | null
}

function toSession(row: SessionRow): Session {
  return { player: row.player, currency: row.currency, expiresAt: row.expires_at, endedAt: row.ended_at }
}

const READ_SESSIONS = statement(
  'read_sessions',
  `select token_hash, player, currency, expires_at, ended_at
   from purser.session where bucket = $1::int and token_hash = any($2::text[])`,
)

export async function readSessions(
  tx: Tx,
  bucket: number,
  hashes: readonly TokenHash[],
): Promise<Map<TokenHash, Session>> {
  if (hashes.length === 0) return new Map()
  const rows = await tx.query<SessionRow>(READ_SESSIONS, [bucket, hashes])
  return new Map(rows.map((row) => [row.token_hash, toSession(row)]))
}

const READ_SESSION = statement(
  'read_session',
  `select token_hash, player, currency, expires_at, ended_at, ip, country
   from purser.session where bucket = $1::int and token_hash = $2::text`,
)

export async function readSession(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  hash: TokenHash,
): Promise<SessionRecord | undefined> {
  const [row] = await tx.query<SessionRow & Pick<SessionRecord, 'ip' | 'country'>>(READ_SESSION, [bucket, hash])
  return row && { ...toSession(row), ip: row.ip, country: row.country }
}

const FIND_SESSION = statement(
  'find_session_by_token',
  `select bucket, token_hash, player, currency, expires_at, ended_at, ip, country
   from purser.session where bucket = any($1::int[]) and token_hash = $2::text limit 1`,
)

/**
 * Finds a session without its player. The hash leads to the bucket, except for tokens from before
 * `purser move` changed the number of buckets; these are searched in all buckets.
 */
export async function findSession(
  db: Pick<Tx, 'query'>,
  buckets: number,
  hash: TokenHash,
): Promise<{ readonly session: SessionRecord; readonly bucket: number } | undefined> {
  const bucket = bucketOf(hash, buckets)
  const session = await readSession(db, bucket, hash)
  if (session !== undefined || buckets === 1) return session && { session, bucket }
  const all = Array.from({ length: buckets }, (_, i) => i)
  const [row] = await db.query<SessionRow & Pick<SessionRecord, 'ip' | 'country'> & { bucket: number }>(FIND_SESSION, [
    all,
    hash,
  ])
  return row && { session: { ...toSession(row), ip: row.ip, country: row.country }, bucket: row.bucket }
}

const NEW = mapSingleRow<SessionRecord>(4, {
  player: ['text', ({ player }) => player],
  currency: ['text', ({ currency }) => currency],
  ip: ['text', ({ ip }) => ip],
  country: ['text', ({ country }) => country],
  expires_at: ['timestamptz', ({ expiresAt }) => expiresAt],
})
const INSERT_SESSION = statement(
  'insert_session',
  `insert into purser.session (bucket, token_hash, created_at, ${NEW.columns}) values ($1::int, $2::text, $3::timestamptz, ${NEW.parameters})`,
)

export async function insertSession(
  tx: Tx,
  bucket: number,
  hash: TokenHash,
  session: SessionRecord,
  now: Date,
): Promise<void> {
  await Promise.all([
    tx.execute(INSERT_SESSION, [bucket, hash, now, ...NEW.values(session)]),
    recordWalletChanges(tx, bucket, [sessionItem('session.opened', hash, session)], now),
  ])
}

const EXPIRE_SESSIONS = statement(
  'expire_sessions',
  `update purser.session set ended_at = expires_at
   where bucket = $1::int and token_hash = any($2::text[]) and ended_at is null`,
)

/**
 * Ends sessions whose tokens were refused as expired. They stay expired even if the clock is set
 * back, so late copies of the calls stay refused (P-1). The caller holds the players' locks.
 */
export async function expireSessions(tx: Tx, bucket: number, hashes: readonly TokenHash[]): Promise<void> {
  if (hashes.length > 0) await tx.execute(EXPIRE_SESSIONS, [bucket, hashes])
}

const END_SESSIONS = statement(
  'end_sessions',
  `with ended as (
     update purser.session set ended_at = $3::timestamptz
     where bucket = $1::int and player = $2::text and ended_at is null and ($4::text[] is null or currency = any($4::text[]))
     returning token_hash, player, currency, expires_at, ended_at
   ) select * from ended where expires_at > $3::timestamptz`,
)

/**
 * Ends the player's sessions, in all or some currencies. The caller holds the player's lock.
 * Resolves to the number of sessions that had not expired.
 */
export async function endSessions(
  tx: Tx,
  bucket: number,
  player: PlayerId,
  now: Date,
  currencies: readonly Currency[] | null = null,
): Promise<number> {
  const live = await tx.query<SessionRow>(END_SESSIONS, [bucket, player, now, currencies])
  const changes = live.map((row) => sessionItem('session.ended', row.token_hash, toSession(row)))
  await recordWalletChanges(tx, bucket, changes, now)
  return live.length
}
