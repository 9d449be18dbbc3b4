/** Writes the transfers and the changed accounts of a book (book.ts), each with one statement. */
import type { Tx } from '../../core/database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../../core/database/row-mapping.ts'
import { isoOf } from './account.ts'
import type { Book, ChangedAccount } from './book.ts'
import type { Transfer } from './transfer.ts'

const TRANSFERS = mapRows<Transfer>(2, {
  player: ['text', (t) => t.player],
  currency: ['text', (t) => t.currency],
  version: ['bigint', (t) => t.version],
  kind: ['text', (t) => t.kind],
  debit: ['text', (t) => t.debit],
  credit: ['text', (t) => t.credit],
  amount: ['bigint', (t) => t.amount],
  balance_after: ['bigint', (t) => t.balanceAfter],
  bet_id: ['text', (t) => t.betId ?? null],
  request_id: ['text', (t) => t.requestId ?? null],
  reference: ['text', (t) => t.reference ?? null],
  platform: ['text', (t) => t.platform ?? ''],
  site: ['text', (t) => t.site ?? ''],
  at: ['timestamptz', (t) => isoOf(t.at)],
})
const INSERT_TRANSFERS = createInsertStatement(
  'insert_transfers',
  TRANSFERS,
  (count) => `insert into purser.transfer (bucket, ${TRANSFERS.columns}) ${formatInsertSource(TRANSFERS, count)}`,
)

const ACCOUNTS = mapRows<ChangedAccount>(2, {
  player: ['text', (a) => a.player],
  currency: ['text', (a) => a.currency],
  balance: ['bigint', (a) => a.balance],
  version: ['bigint', (a) => a.version],
  day: ['date', (a) => a.day],
  opening_version: ['bigint', (a) => a.basedOn],
})

/**
 * The statement is an upsert because its conflict target forces the primary key; for a joined
 * UPDATE the planner could choose another index. The parameter `opening_version` is the version
 * that was read. The account must still have this version, which becomes the opening version when a
 * new day begins. A stale account raises an SQL error, because the COMMIT may already be on its
 * way.
 */
const SAVE_ACCOUNTS = createInsertStatement(
  'save_accounts',
  ACCOUNTS,
  (count) => `with saved as (
     insert into purser.account as a (bucket, ${ACCOUNTS.columns}) ${formatInsertSource(ACCOUNTS, count)}
     on conflict (bucket, player, currency) do update
     set balance = excluded.balance, version = excluded.version, day = excluded.day,
       opening_version = case when excluded.day > a.day then excluded.opening_version else a.opening_version end
     where a.version = excluded.opening_version
     returning 1
   ) select case when count(*) < cardinality($2::text[]) then purser.raise_stale_row('an account') end from saved`,
)

/**
 * Writes the postings. In addition to the players' locks, a taken transfer number or a stale
 * account rolls the transaction back. All statements are sent before the first wait.
 */
export async function saveBook(tx: Tx, bucket: number, book: Book): Promise<void> {
  const changed = book.changed()
  if (changed.length === 0) return
  await Promise.all([insertTransfers(tx, bucket, book.transfers), saveAccounts(tx, bucket, changed)])
}

function insertTransfers(tx: Tx, bucket: number, transfers: readonly Transfer[]): Promise<number> {
  return tx.execute(INSERT_TRANSFERS, [bucket, ...TRANSFERS.values(transfers)])
}

function saveAccounts(tx: Tx, bucket: number, accounts: readonly ChangedAccount[]): Promise<number> {
  return tx.execute(SAVE_ACCOUNTS, [bucket, ...ACCOUNTS.values(accounts)])
}
