/**
 * Erasure of a player's personal data (O-10).
 *
 * Data that the ledger needs stays under a pseudonym, and no stored data connects the player with
 * it. The erasure uses the database role that owns the tables, because servers can neither delete
 * nor change append-only rows.
 */

import type { PlayerId } from '@purser/protocol/wire-ids'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { eraseCalls, pseudonymizeEvents } from '../../../core/call-journal/feed-erasure.ts'
import {
  type Db,
  type Row,
  STATEMENT_TIMEOUT_MINUTES,
  STATEMENT_TIMEOUT_SECONDS,
  statement,
  type Tx,
} from '../../../core/database/db.ts'
import { bucketOf } from '../../store/bucket.ts'
import { creationOf, lockPlayers, type Player } from '../../store/player.ts'
import { renamePlayerInItem, WALLET_CHANGES } from '../../store/wallet-changes.ts'
import { eraseActions, eraseDetails } from './json-text-erasure.ts'
import { ERASURE_OPERATION, lockUserIdExclusive } from './user-id-lock.ts'

export interface ErasureDeps {
  readonly db: Db
  readonly buckets: number
  readonly now: Date
}

export interface ErasureResult {
  /**
   * Absent if the player does not exist or was erased before. Then only remaining mentions of the
   * id are erased.
   */
  readonly pseudonym?: string
  /** Calls deleted from the journal. */
  readonly calls: number
  /** Feed rows that now have the pseudonym. */
  readonly rowsOfFeed: number
}

/**
 * Erases a player. Throws UsageError, without any change, if the player has money or pending work.
 * The player gets the pseudonym first, then the rows of other tables.
 *
 * Until the erasure is complete, its audit log entry has the player's id. So a repeated run
 * continues with the same pseudonym, and no new player can have the id.
 */
export async function erasePlayer(
  { db, buckets, now }: ErasureDeps,
  author: Actor,
  userId: string,
): Promise<ErasureResult> {
  await requireRights(db)
  const bucket = bucketOf(userId, buckets)
  const { erased, pseudonym: name } = await db.longTransaction(async (tx) => {
    await tx.query(STATEMENT_TIMEOUT_MINUTES)
    await lockUserIdExclusive(tx, userId)
    const unfinished = await readUnfinishedErasure(tx, userId)
    if (unfinished !== undefined) return unfinished
    const pseudonym = generatePseudonym(bucket, buckets)
    const erased = await withErasablePlayer(tx, bucket, userId, (player) =>
      pseudonymizePlayer(tx, bucket, player, pseudonym),
    )
    const after = { erased, pseudonym }
    await author.record(tx, { on: { userId }, before: {}, after, at: now })
    return after
  })
  const rowsOfFeed = await pseudonymizeEvents(db, WALLET_CHANGES, bucket, userId, (item) =>
    renamePlayerInItem(item, userId, name),
  )
  await pseudonymizeUnplacedBets(db, bucket, userId, generatePseudonym(bucket, buckets))
  const calls = await eraseCalls(db, userId)
  await db.longTransaction(async (tx) => {
    await tx.query(STATEMENT_TIMEOUT_MINUTES)
    await eraseActions(tx, userId, name)
  })
  return { ...(erased && { pseudonym: name }), calls, rowsOfFeed }
}

const READ_UNFINISHED = statement(
  'erasure_begun',
  `select (after ->> 'erased')::boolean as erased, after ->> 'pseudonym' as pseudonym from purser.action
   where subject = $1::text and operation = '${ERASURE_OPERATION}' order by at desc, request_id desc limit 1`,
)

interface UnfinishedErasure extends Row {
  erased: boolean
  pseudonym: string
}

/** Undefined if no interrupted erasure exists. */
async function readUnfinishedErasure(tx: Tx, userId: string): Promise<UnfinishedErasure | undefined> {
  const [unfinished] = await tx.query<UnfinishedErasure>(READ_UNFINISHED, [userId])
  return unfinished
}

/**
 * Checks if the player can be erased, and changes nothing. False: the player does not exist. Throws
 * UsageError with the reasons if the erasure is not possible now.
 */
export function canErasePlayer({ db, buckets }: Pick<ErasureDeps, 'db' | 'buckets'>, userId: string): Promise<boolean> {
  return db.longTransaction(async (tx) => {
    await tx.query(STATEMENT_TIMEOUT_MINUTES)
    return withErasablePlayer(tx, bucketOf(userId, buckets), userId, async () => {})
  })
}

async function withErasablePlayer(tx: Tx, bucket: number, userId: string, work: (player: Player) => Promise<void>) {
  const player = (await lockPlayers(tx, bucket, [userId as PlayerId])).get(userId as PlayerId)
  if (player === undefined) return false
  await requireNoObstacles(tx, bucket, userId)
  await work(player)
  return true
}

const RIGHTS = statement(
  'erasure_rights',
  `select (select bool_and(has_table_privilege('purser.' || t, 'update')) from unnest($1::text[]) t)
     and (select bool_and(has_table_privilege('purser.' || t, 'delete')) from unnest($2::text[]) t) as has_all`,
)

async function requireRights(db: Db): Promise<void> {
  const [rights] = await db.query<{ has_all: boolean }>(RIGHTS, [CHANGED, REDUCED])
  if (!rights?.has_all)
    throw new UsageError('the database role of a server cannot erase data: run this command as the owner of the tables')
}

const RANDOM_BYTES = 12
/** Bets per transaction. */
const SLICE = 1_000

/** The pseudonym is in the player's bucket, where the money stays. */
function generatePseudonym(bucket: number, buckets: number): string {
  for (;;) {
    const name = `erased-${environment.randomBytes(RANDOM_BYTES).toString('hex')}`
    if (bucketOf(name, buckets) === bucket) return name
  }
}

const COUNT_OBSTACLES = statement(
  'erasure_left',
  `select (select count(*)::int from purser.account where bucket = $1::int and player = $2::text and balance <> 0) as balances,
     (select count(*)::int from purser.bet where bucket = $1::int and player = $2::text and first_seen_at > '-infinity' and status = 'open') as bets,
     (select count(*)::int from purser.proposal where bucket = $1::int and player = $2::text and status = 'pending' and expires_at > now()) as proposals`,
)

async function requireNoObstacles(tx: Tx, bucket: number, userId: string): Promise<void> {
  const [left] = await tx.query<{ balances: number; bets: number; proposals: number }>(COUNT_OBSTACLES, [
    bucket,
    userId,
  ])
  if (left === undefined) throw new Error('counts have a row')
  const { balances, bets, proposals } = left
  const why = [
    balances > 0 && `money in ${balances} currencies: withdraw or adjust it first`,
    bets > 0 && `${bets} open bets, whose results would find no player`,
    proposals > 0 && `${proposals} adjustments that are pending approval`,
  ].filter((reason) => reason !== false)
  if (why.length > 0) throw new UsageError(`${userId} cannot be erased yet: ${why.join('; ')}`)
}

/**
 * Tables that contain the player's id. Bets are renamed last, because their details are found by
 * them.
 */
const NAMED = ['account', 'transfer', 'cash_movement', 'proposal', 'bet_call', 'carried_balance'] as const
/** Tables whose rows are changed, and tables whose rows are deleted. */
const CHANGED = [...NAMED, 'bet', 'bet_details', 'player', 'action', 'change', 'feed_counter', 'journal']
const REDUCED = ['session', 'journal']
const RENAMED = NAMED.map((table) =>
  statement(
    `erasure_rename_${table}`,
    `update purser.${table} set player = $3::text where bucket = $1::int and player = $2::text`,
  ),
)

const RENAME_BETS = statement(
  'erasure_rename_bets',
  `update purser.bet set player = $3::text where bucket = $1::int and player = $2::text and first_seen_at > '-infinity'`,
)
const DROP_SESSIONS = statement(
  'erasure_drop_sessions',
  'delete from purser.session where bucket = $1::int and player = $2::text',
)
const RENAME_PLAYER = statement(
  'erasure_rename_player',
  `update purser.player set player = $3::text, status = 'blocked', operator_user = null, custom_fields = null, verified = null, birthday = null,
     limits = '{}', waiting = null, nickname_key = null, email_key = null, unrestricted_as = null, created_as = $4::json
   where bucket = $1::int and player = $2::text`,
)

/** Bets from calls about an unknown player; they hold no money. */
const LOCK_UNPLACED_BETS = statement(
  'erasure_lock_strays',
  `select bet_id as id from purser.bet
   where bucket = $1::int and player = $2::text and first_seen_at > '-infinity' and stake is null
   order by first_seen_at, bet_id limit ${SLICE} for update`,
)
const RENAME_UNPLACED_BETS = ['bet_call', 'bet'].map((table) =>
  statement(
    `erasure_rename_stray_${table}`,
    `update purser.${table} set player = $3::text where bucket = $1::int and player = $2::text and bet_id = any($4::text[])`,
  ),
)

/**
 * These bets get a pseudonym of their own, because an id may equal the id of one of the player's
 * bets.
 */
async function pseudonymizeUnplacedBets(db: Db, bucket: number, userId: string, name: string): Promise<void> {
  const renameSome = async (tx: Tx) => {
    await tx.query(STATEMENT_TIMEOUT_SECONDS)
    const bets = await tx.query<{ id: string }>(LOCK_UNPLACED_BETS, [bucket, userId])
    const ids = bets.map(({ id }) => id)
    for (const query of RENAME_UNPLACED_BETS) await tx.execute(query, [bucket, userId, name, ids])
    return ids.length
  }
  while ((await db.longTransaction(renameSome)) === SLICE);
}

async function pseudonymizePlayer(tx: Tx, bucket: number, player: Player, pseudonym: string): Promise<void> {
  const names = [bucket, player.id, pseudonym]
  await eraseDetails(tx, bucket, player.id, pseudonym)
  for (const query of [...RENAMED, RENAME_BETS]) await tx.execute(query, names)
  await tx.execute(DROP_SESSIONS, [bucket, player.id])
  const unknown = { ...player, id: pseudonym as PlayerId, operatorUser: null, customFields: null }
  const { id, currency, currencies, isTest, operatorUser, customFields, brand, createdAt } = unknown
  const created = creationOf({ id, currency, currencies, isTest, operatorUser, customFields, brand, createdAt })
  await tx.execute(RENAME_PLAYER, [...names, JSON.stringify(created)])
}
