/** One movement of money: the amount leaves `debit` and reaches `credit`. Rows are immutable; a correction is a new one. */
import { compose } from '../db/conditions.ts'
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
     order by version
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
  { currency, from, to, after, limit }: StatementQuery,
): Promise<Transfer[]> {
  const asked = {
    currency: currency === undefined ? undefined : (['currency = ?::text', currency] as const),
    from: from && (['at >= ?::timestamptz', from] as const),
    to: to && (['at < ?::timestamptz', to] as const),
    after:
      after &&
      ([
        '(at, currency, version) < (?::timestamptz, ?::text, ?::bigint)',
        after.at,
        after.currency,
        after.version,
      ] as const),
  }
  const { statement, values } = compose('account_statement', [bucket, player, limit], asked, statementText)
  return toTransfers(tx, statement, values)
}

/** Account by account, each with as many rows as a page can take; an account is a part of the primary key. */
function statementText(conditions: string): string {
  return `select ${PREFIXED} from purser.account a
   cross join lateral (
     select ${COLUMNS} from purser.transfer
     where bucket = a.bucket and player = a.player and currency = a.currency and (debit = 'player' or credit = 'player')${conditions}
     order by at desc, version desc limit $3::int
   ) t
   where a.bucket = $1::int and a.player = $2::text
   order by t.at desc, t.currency desc, t.version desc limit $3::int`
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
