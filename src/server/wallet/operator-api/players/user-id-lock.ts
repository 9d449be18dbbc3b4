/**
 * The id of a player whose data are being erased is nobody's until that is done (O-10): what the erasure finds by the name must be the earlier
 * player's. Whoever makes a player of the name waits for an erasure that begins, and one that has begun refuses.
 */
import { statement, type Tx } from '../../../core/database/db.ts'

/** The operation in the action log. While an erasure is not done, its action stands under the name. */
export const ERASURE_OPERATION = 'erasePlayer'

/** Sorted, so that two never wait for each other. */
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

/** For who makes players: no erasure of these names begins until the transaction ends. Resolves to those that are being erased. */
export async function lockUserIdsShared(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  await tx.query(LOCK_SHARED, [names])
  const rows = await tx.query<{ name: string }>(BEING_ERASED, [names]) // behind the lock, so it sees what was waited for
  return new Set(rows.map(({ name }) => name))
}

/** For an erasure that begins: nobody makes a player of this name until the transaction ends. */
export async function lockUserIdExclusive(tx: Tx, name: string): Promise<void> {
  await tx.query(LOCK_EXCLUSIVE, [name])
}

export const IS_BEING_ERASED =
  'the data of an earlier player with this id are not erased completely: run purser erase-player again first'
