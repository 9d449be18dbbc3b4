/**
 * What an account carries on from: its transfers up to there lie in files (O-13), and its sums begin with this balance. An account has a row for each
 * file that has some of its transfers; the last one is what it carries on from.
 */

import type { Money } from '../../../protocol/values/money.ts'
import type { Currency, PlayerId } from '../../../protocol/wire-ids.ts'
import { type Queryable, statement } from '../../core/database/db.ts'

/** Of an account, the file that has the transfers up to `version`, from behind the row before. */
export interface CarriedBalance {
  readonly currency: Currency
  readonly version: bigint
  readonly balance: Money
  /** When transfer number `version` was made. */
  readonly at: Date
  readonly file: string
  /** Which account of the file it is: no file has a player's name in it (O-10). */
  readonly place: number
}

const CARRIED_BALANCES = statement(
  'carried_balances',
  `select currency, version, balance, at, file, place from purser.carried_balance
   where bucket = $1::int and player = $2::text order by currency, version`,
)

/** All of them, of each account in the order of its numbers. */
export function readCarriedBalances(db: Queryable, bucket: number, player: PlayerId): Promise<CarriedBalance[]> {
  return db.query<CarriedBalance & Record<string, unknown>>(CARRIED_BALANCES, [bucket, player])
}

/** Where the transfer with this number lies; undefined when it is no transfer in a file. */
export function findArchiveFile(
  carried: readonly CarriedBalance[],
  currency: string,
  version: bigint,
): CarriedBalance | undefined {
  return carried.find((one) => one.currency === currency && version <= one.version)
}

/** For audits, as SQL: all columns of a transfer. */
export const AUDIT_TRANSFER_COLUMNS =
  'bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, at, platform, site'

/**
 * For audits, as SQL: what stands in `from`, as the transfers that it stands for (ledger-audit.ts,
 * `is_base`).
 */
export function buildBaseRows(from: string): string {
  return `select c.bucket, c.player, c.currency, c.version, 'opening', 'openings', 'player', 0, c.balance, null, null, null, c.at, '', '', true from ${from}`
}
