/**
 * Lock on a user id during the erasure of its player (O-10). The erasure finds data by the id, so
 * no new player may have the id until the erasure is complete. A request that creates a player with
 * this id waits while the erasure starts, and is refused afterwards.
 */
import { statement, type Tx } from '../../../core/database/db.ts'

/** Operation in the audit log. Until the erasure is complete, its entry has the player's id. */
export const ERASURE_OPERATION = 'erasePlayer'

/** Sorted keys prevent deadlocks. */
const LOCK_SHARED = statement(
  'share_names',
  `select pg_advisory_xact_lock_shared(3, key)
   from (select distinct hashtext(name) as key from unnest($1::text[]) as n (name) order by key offset 0) s`,
)
const LOCK_EXCLUSIVE = statement('take_name', 'select pg_advisory_xact_lock(3, hashtext($1::text))')
const BEING_ERASED = statement(
  'names_being_erased',
  `select distinct subject as name from purser.action where subject = any($1::text[]) and operation = '${ERASURE_OPERATION}'`,
)

/**
 * For the creation of players: no erasure of these ids can start before the end of the transaction.
 * Resolves to the ids that are being erased.
 */
export async function lockUserIdsShared(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  await tx.query(LOCK_SHARED, [names])
  // after the lock, so it sees the commit that it waited for
  const rows = await tx.query<{ name: string }>(BEING_ERASED, [names])
  return new Set(rows.map(({ name }) => name))
}

/**
 * For the start of an erasure: no player with this id can be created before the end of the
 * transaction.
 */
export async function lockUserIdExclusive(tx: Tx, name: string): Promise<void> {
  await tx.query(LOCK_EXCLUSIVE, [name])
}

export const IS_BEING_ERASED =
  'the data of an earlier player with this id are not erased completely: run purser erase-player again first'
