/** Writes a book: its transfers and the accounts they changed, set-based. */
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
 * An upsert, because its conflict target leaves the planner no choice but the primary key; a joined UPDATE has one. What comes in as
 * `opening_version` is the version that was read: the account must still have it, and it is the one before the day's first transfer
 * when a new day begins. An account that has moved on is an error in SQL, because COMMIT may travel behind.
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
 * Writes what was posted. A second fence behind the players' locks: a transfer number that is taken, or an account that has moved on,
 * makes this fail, and the transaction is undone. Sends everything before it first waits.
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
