/**
 * Carried balance of an account: the balance after its transfers in archive files (O-13). A balance
 * is this carried balance plus the later transfers. An account has one row for each file with its
 * transfers, and the last row is the current carried balance.
 */

import type { Money } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Queryable, statement } from '../../core/database/db.ts'

/** The file has the account's transfers up to `version`, from the previous row on. */
export interface CarriedBalance {
  readonly currency: Currency
  readonly version: bigint
  readonly balance: Money
  /** Time of transfer number `version`. */
  readonly at: Date
  readonly file: string
  /** Place of the account in the file, from 1, because no file names a player (O-10). */
  readonly place: number
}

const CARRIED_BALANCES = statement(
  'carried_balances',
  `select currency, version, balance, at, file, place from purser.carried_balance
   where bucket = $1::int and player = $2::text order by currency, version`,
)

/** Ordered by account and version. */
export function readCarriedBalances(db: Queryable, bucket: number, player: PlayerId): Promise<CarriedBalance[]> {
  return db.query<CarriedBalance & Record<string, unknown>>(CARRIED_BALANCES, [bucket, player])
}

/** Undefined if the transfer is not in a file. */
export function findArchiveFile(
  carried: readonly CarriedBalance[],
  currency: string,
  version: bigint,
): CarriedBalance | undefined {
  return carried.find((one) => one.currency === currency && version <= one.version)
}

/** SQL for audits: all columns of a transfer. */
export const AUDIT_TRANSFER_COLUMNS =
  'bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, at, platform, site'

/** SQL for audits: the rows of `from` as base transfers (ledger-audit.ts, `is_base`). */
export function buildBaseRows(from: string): string {
  return `select c.bucket, c.player, c.currency, c.version, 'opening', 'openings', 'player', 0, c.balance, null, null, null, c.at, '', '', true from ${from}`
}
