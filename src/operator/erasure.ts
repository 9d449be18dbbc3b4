/**
 * The end of a person's data (O-10): what describes the person goes, and what the ledger needs stays, under a pseudonym that nothing leads to.
 * Done by the owner of the tables, as servers may neither delete nor change what is written once.
 */
import { randomBytes } from 'node:crypto'
import { type Db, statement, type Tx } from '../db/db.ts'
import { forgetCalls, renameEvents } from '../feed/forget.ts'
import type { Author } from '../people/actions.ts'
import type { PlayerId } from '../protocol/ids.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { bucketOf } from '../wallet/store/bucket.ts'
import { renamed, WALLET_CHANGES } from '../wallet/store/change.ts'
import { creationOf, lockPlayers, type Player } from '../wallet/store/player.ts'
import { eraseActions, eraseDetails } from './erasure-texts.ts'

export interface ErasureDeps {
  readonly db: Db
  readonly buckets: number
  readonly now: Date
}

export interface Erased {
  /** Absent when there is no such player, who may have been erased before: then only calls and events are looked for. */
  readonly pseudonym?: string
  /** Taken out of the journal. */
  readonly calls: number
  /** Rows of the feed in which the pseudonym stands now. */
  readonly rowsOfFeed: number
}

/**
 * Throws WrongUse while the player has money or something under way. Feed and journal come before the player, and once more behind, for what
 * came meanwhile: so what breaks off is simply begun again.
 */
export async function erasePlayer({ db, buckets, now }: ErasureDeps, author: Author, userId: string): Promise<Erased> {
  const bucket = bucketOf(userId, buckets)
  const pseudonym = newPseudonym(bucket, buckets)
  const sweep = async () => ({
    rowsOfFeed: await renameEvents(db, WALLET_CHANGES, bucket, userId, (item) => renamed(item, userId, pseudonym)),
    calls: await forgetCalls(db, userId),
  })
  const isThere = await mayErase({ db, buckets }, userId)
  const first = await sweep()
  if (!isThere) return first
  await whilePlayer(db, bucket, userId, async (tx, player) => {
    await rename(tx, bucket, player, pseudonym)
    await author.record(tx, { on: { userId: pseudonym }, before: {}, after: { erased: true }, at: now })
  })
  const then = await sweep()
  return { pseudonym, calls: first.calls + then.calls, rowsOfFeed: first.rowsOfFeed + then.rowsOfFeed }
}

/** False when there is no such player; throws WrongUse with what stands in the way. Changes nothing. */
export function mayErase({ db, buckets }: Pick<ErasureDeps, 'db' | 'buckets'>, userId: string): Promise<boolean> {
  return whilePlayer(db, bucketOf(userId, buckets), userId, async () => {})
}

function whilePlayer(db: Db, bucket: number, userId: string, work: (tx: Tx, player: Player) => Promise<void>) {
  return db.unhurried(async (tx) => {
    const player = (await lockPlayers(tx, bucket, [userId as PlayerId])).get(userId as PlayerId)
    if (player === undefined) return false
    await requireNothingLeft(tx, bucket, userId)
    await work(tx, player)
    return true
  })
}

const RANDOM_BYTES = 12

/** In the player's bucket, where the money stays. */
function newPseudonym(bucket: number, buckets: number): string {
  for (;;) {
    const name = `erased-${randomBytes(RANDOM_BYTES).toString('hex')}`
    if (bucketOf(name, buckets) === bucket) return name
  }
}

const LEFT = statement(
  'erasure_left',
  `select (select count(*)::int from purser.account where bucket = $1::int and player = $2::text and balance <> 0) as balances,
     (select count(*)::int from purser.bet where bucket = $1::int and player = $2::text and first_seen_at > '-infinity' and status = 'open') as bets,
     (select count(*)::int from purser.proposal where bucket = $1::int and player = $2::text and status = 'pending' and expires_at > now()) as proposals`,
)

async function requireNothingLeft(tx: Tx, bucket: number, userId: string): Promise<void> {
  const [left] = await tx.query<{ balances: number; bets: number; proposals: number }>(LEFT, [bucket, userId])
  if (left === undefined) throw new Error('counts have a row')
  const { balances, bets, proposals } = left
  const why = [
    balances > 0 && `money in ${balances} currencies: withdraw or adjust it first`,
    bets > 0 && `${bets} open bets, whose results would find nobody`,
    proposals > 0 && `${proposals} adjustments that wait for a second person`,
  ].filter((reason) => reason !== false)
  if (why.length > 0) throw new WrongUse(`${userId} cannot be erased yet: ${why.join('; ')}`)
}

/** What hangs on the player by name alone. Bets come last: details are found by them. */
const NAMED = ['account', 'transfer', 'cash_movement', 'proposal', 'bet_call'] as const
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
     limits = '{}', nickname_key = null, email_key = null, plain_as = null, created_as = $4::json, version = version + 1
   where bucket = $1::int and player = $2::text`,
)

async function rename(tx: Tx, bucket: number, player: Player, pseudonym: string): Promise<void> {
  const names = [bucket, player.id, pseudonym]
  await eraseDetails(tx, bucket, player.id, pseudonym)
  for (const query of [...RENAMED, RENAME_BETS]) await tx.execute(query, names)
  await tx.execute(DROP_SESSIONS, [bucket, player.id])
  const unknown = { ...player, id: pseudonym as PlayerId, operatorUser: null, customFields: null }
  const { id, currency, currencies, isTest, operatorUser, customFields, brand, createdAt } = unknown
  const created = creationOf({ id, currency, currencies, isTest, operatorUser, customFields, brand, createdAt })
  await tx.execute(RENAME_PLAYER, [...names, JSON.stringify(created)])
  await eraseActions(tx, player.id, pseudonym)
}
