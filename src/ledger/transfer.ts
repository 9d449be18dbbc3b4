/** One movement of money: the amount leaves `debit` and reaches `credit`. Rows are immutable; a correction is a new one. */
import { type Statement, statement, type Tx } from '../db/db.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../protocol/ids.ts'
import type { Money } from '../protocol/money.ts'
import type { AccountName, Posting, TransferKind } from './posting.ts'

/** A posting with its number in the player's account and the player's balance after it. */
export interface Transfer extends Posting {
  readonly version: bigint
  readonly balanceAfter: Money
  readonly at: Date
}

interface TransferRow extends Record<string, unknown> {
  player: PlayerId
  currency: Currency
  version: bigint
  kind: TransferKind
  debit: AccountName
  credit: AccountName
  amount: Money
  balance_after: Money
  bet_id: BetId | null
  request_id: RequestId | null
  reference: string | null
  at: Date
}

const COLUMNS =
  'player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, at'
const PREFIXED = COLUMNS.replaceAll(/\w+/g, 't.$&')

const TRANSFERS_OF_TODAY = statement(
  'transfers_of_today',
  `select ${PREFIXED} from unnest($2::text[], $3::text[], $4::bigint[]) as k (player, currency, opening)
   cross join lateral (
     select ${COLUMNS} from purser.transfer
     where bucket = $1::int and player = k.player and currency = k.currency and version > k.opening
     order by version limit 100000
   ) t`,
)

/** The transfers of accounts after their opening version: all of the account's current day. */
export async function readTransfersAfter(
  tx: Tx,
  bucket: number,
  openings: readonly { player: PlayerId; currency: Currency; version: bigint }[],
): Promise<Transfer[]> {
  const values = [
    bucket,
    openings.map((o) => o.player),
    openings.map((o) => o.currency),
    openings.map((o) => o.version),
  ]
  return toTransfers(tx, TRANSFERS_OF_TODAY, values)
}

const TRANSFERS_BY_VERSION = statement(
  'transfers_by_version',
  `select ${COLUMNS} from purser.transfer
   where bucket = $1::int and player = $2::text and currency = $3::text and version = any($4::bigint[]) order by version`,
)

/** Some transfers of one account, by number. */
export function readTransfers(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  player: PlayerId,
  currency: Currency,
  versions: readonly bigint[],
): Promise<Transfer[]> {
  return toTransfers(tx, TRANSFERS_BY_VERSION, [bucket, player, currency, versions])
}

const STATEMENT = statement(
  'account_statement',
  `select ${PREFIXED} from purser.account a
   cross join lateral (
     select ${COLUMNS} from purser.transfer
     where bucket = a.bucket and player = a.player and currency = a.currency and (debit = 'player' or credit = 'player')
       and ($4::timestamptz is null or at >= $4::timestamptz) and ($5::timestamptz is null or at < $5::timestamptz)
       and ($6::timestamptz is null or (at, currency, version) < ($6::timestamptz, $7::text, $8::bigint))
     order by at desc, version desc limit $9::int
   ) t
   where a.bucket = $1::int and a.player = $2::text and ($3::text is null or a.currency = $3::text)
   order by t.at desc, t.currency desc, t.version desc limit $9::int`,
)

export interface StatementQuery {
  readonly currency?: string
  /** Inclusive. */
  readonly from?: Date
  /** Exclusive. */
  readonly to?: Date
  /** The last transfer of the page before. */
  readonly after?: { at: Date; currency: string; version: bigint }
  readonly limit: number
}

/** The player's own transfers, newest first: those that touch the player's balance. */
export function readStatement(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  player: PlayerId,
  query: StatementQuery,
): Promise<Transfer[]> {
  const { currency = null, from = null, to = null, after, limit } = query
  const cursor = after === undefined ? [null, null, null] : [after.at, after.currency, after.version]
  return toTransfers(tx, STATEMENT, [bucket, player, currency, from, to, ...cursor, limit])
}

async function toTransfers(tx: Pick<Tx, 'query'>, query: Statement, values: readonly unknown[]): Promise<Transfer[]> {
  return (await tx.query<TransferRow>(query, values)).map(toTransfer)
}

function toTransfer({ balance_after, bet_id, request_id, reference, ...row }: TransferRow): Transfer {
  return {
    ...row,
    balanceAfter: balance_after,
    ...(bet_id !== null && { betId: bet_id }),
    ...(request_id !== null && { requestId: request_id }),
    ...(reference !== null && { reference }),
  }
}
