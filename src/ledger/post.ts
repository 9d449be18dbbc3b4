/** Writes a book: its transfers and the accounts they changed, set-based. */
import { statement, type Tx } from '../db/db.ts'
import { isoOf } from './account.ts'
import type { Book, ChangedAccount } from './book.ts'
import type { Transfer } from './transfer.ts'

const INSERT_TRANSFERS = statement(
  'insert_transfers',
  `insert into purser.transfer
     (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, at)
   select $1::int, r.* from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[],
     $9::bigint[], $10::text[], $11::text[], $12::text[], $13::timestamptz[]) as r`,
)

/**
 * An upsert, because its conflict target leaves the planner no choice but the primary key; a joined UPDATE has one. What comes in as
 * `opening_version` is the version that was read: the account must still have it, and it is the one before the day's first transfer
 * when a new day begins. An account that has moved on is an error in SQL (a division by zero), because COMMIT may travel behind.
 */
const SAVE_ACCOUNTS = statement(
  'save_accounts',
  `with saved as (
     insert into purser.account as a (bucket, player, currency, balance, version, day, opening_version)
     select $1::int, r.*
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::date[], $7::bigint[]) as r
     on conflict (bucket, player, currency) do update
     set balance = excluded.balance, version = excluded.version, day = excluded.day,
       opening_version = case when excluded.day > a.day then excluded.opening_version else a.opening_version end
     where a.version = excluded.opening_version
     returning 1
   ) select 1 / (count(*) = $8::int)::int from saved`,
)

/**
 * Writes what was posted. A second fence behind the players' locks: a transfer number that is taken, or an account that has moved on,
 * makes this fail, and the transaction is undone. Sends everything before it first waits.
 */
export async function saveBook(tx: Tx, bucket: number, book: Book): Promise<void> {
  const changed = book.changed()
  if (changed.length === 0) return
  await Promise.all([insertTransfers(tx, bucket, book.transfers), saveAccounts(tx, bucket, changed)])
}

function insertTransfers(tx: Tx, bucket: number, transfers: readonly Transfer[]): Promise<number> {
  return tx.execute(INSERT_TRANSFERS, [
    bucket,
    transfers.map((t) => t.player),
    transfers.map((t) => t.currency),
    transfers.map((t) => t.version),
    transfers.map((t) => t.kind),
    transfers.map((t) => t.debit),
    transfers.map((t) => t.credit),
    transfers.map((t) => t.amount),
    transfers.map((t) => t.balanceAfter),
    transfers.map((t) => t.betId ?? null),
    transfers.map((t) => t.requestId ?? null),
    transfers.map((t) => t.reference ?? null),
    transfers.map((t) => isoOf(t.at)),
  ])
}

function saveAccounts(tx: Tx, bucket: number, accounts: readonly ChangedAccount[]): Promise<number> {
  return tx.execute(SAVE_ACCOUNTS, [
    bucket,
    accounts.map((a) => a.player),
    accounts.map((a) => a.currency),
    accounts.map((a) => a.balance),
    accounts.map((a) => a.version),
    accounts.map((a) => a.day),
    accounts.map((a) => a.basedOn),
    accounts.length,
  ])
}
