/** Writes a book: its transfers and the accounts they changed, each in one set-based statement. */
import { statement, type Tx } from '../db/db.ts'
import type { Book } from './book.ts'

const INSERT_TRANSFERS = statement(
  'insert_transfers',
  `insert into purser.transfer
     (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, at)
   select $1::int, r.* from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[],
     $9::bigint[], $10::text[], $11::text[], $12::text[], $13::timestamptz[]) as r`,
)

const UPDATE_ACCOUNTS = statement(
  'update_accounts',
  `update purser.account a
   set balance = r.balance, version = r.version, day = r.day, opening_version = r.opening_version
   from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::date[], $8::bigint[])
     as r (player, currency, seen_version, balance, version, day, opening_version)
   where a.bucket = $1::int and a.player = r.player and a.currency = r.currency and a.version = r.seen_version`,
)

/** Writes what was posted. Throws, so that the transaction is undone, unless exactly the accounts that were read are changed. */
export async function saveBook(tx: Tx, bucket: number, book: Book): Promise<void> {
  const changes = book.changes()
  if (changes.length === 0) return
  const [inserted, updated] = await Promise.all([insertTransfers(tx, bucket, book), updateAccounts(tx, bucket, changes)])
  if (inserted !== book.transfers.length || updated !== changes.length) throw new Error('accounts changed while they were locked')
}

function insertTransfers(tx: Tx, bucket: number, { transfers }: Book): Promise<number> {
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
    transfers.map((t) => t.at.toISOString()),
  ])
}

function updateAccounts(tx: Tx, bucket: number, changes: ReturnType<Book['changes']>): Promise<number> {
  return tx.execute(UPDATE_ACCOUNTS, [
    bucket,
    changes.map((c) => c.after.player),
    changes.map((c) => c.after.currency),
    changes.map((c) => c.before.version),
    changes.map((c) => c.after.balance),
    changes.map((c) => c.after.version),
    changes.map((c) => c.after.day),
    changes.map((c) => c.after.openingVersion),
  ])
}
