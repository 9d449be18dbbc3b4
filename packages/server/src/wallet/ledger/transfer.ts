/**
 * Transfer: one movement of money from the account `debit` to the account `credit`. Rows are
 * immutable; a correction is a new transfer.
 */

import type { Money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import { type Statement, statement, type Tx } from '../../core/database/db.ts'
import { buildQuery } from '../../core/database/query-builder.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import type { AccountName, Posting, TransferKind } from './posting.ts'

export interface Transfer extends Posting {
  readonly version: bigint
  readonly balanceAfter: Money
  readonly at: Date
}

export interface TransferRow extends Record<string, unknown> {
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

export const TRANSFER_COLUMNS =
  'player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, at'
export const PREFIXED_COLUMNS = TRANSFER_COLUMNS.replaceAll(/\w+/g, 't.$&')

interface Opening {
  readonly player: PlayerId
  readonly currency: Currency
  readonly version: bigint
}

const OPENINGS = mapRows<Opening>(2, {
  player: ['text', ({ player }) => player],
  currency: ['text', ({ currency }) => currency],
  opening: ['bigint', ({ version }) => version],
})

const TRANSFERS_OF_TODAY = statement(
  'transfers_of_today',
  `select ${PREFIXED_COLUMNS} from ${OPENINGS.from} k
   cross join lateral (
     select ${TRANSFER_COLUMNS} from purser.transfer
     where bucket = $1::int and player = k.player and currency = k.currency and version > k.opening
     order by version
   ) t`,
)

/** Transfers after the opening version of each account, which are the account's current day. */
export function readTodaysTransfers(tx: Tx, bucket: number, openings: readonly Opening[]): Promise<Transfer[]> {
  return queryTransfers(tx, TRANSFERS_OF_TODAY, [bucket, ...OPENINGS.values(openings)])
}

const TRANSFERS_BY_VERSION = statement(
  'transfers_by_version',
  `select ${TRANSFER_COLUMNS} from purser.transfer
   where bucket = $1::int and player = $2::text and currency = $3::text and version = any($4::bigint[]) order by version`,
)

export function readTransfers(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  player: PlayerId,
  currency: Currency,
  versions: readonly bigint[],
): Promise<Transfer[]> {
  return queryTransfers(tx, TRANSFERS_BY_VERSION, [bucket, player, currency, versions])
}

/** Position of a statement in one account: transfers below this number follow. */
export interface StatementPosition {
  readonly currency: Currency
  readonly below: bigint
}

export interface StatementQuery {
  readonly places: readonly StatementPosition[]
  /** Inclusive. */
  readonly from?: Date
  /** Exclusive. */
  readonly to?: Date
  readonly limit: number
}

/**
 * Transfers that change the player's balance, newest first: by number within an account, by time
 * across accounts. The cost depends only on the rows of the page.
 */
export function readStatement(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  player: PlayerId,
  { places, from, to, limit }: StatementQuery,
): Promise<Transfer[]> {
  const accounts = [places.map(({ currency }) => currency), places.map(({ below }) => below)]
  const filters = {
    from:
      from &&
      ([
        `version >= ${firstVersionSql("?::timestamptz - interval '1 hour'")} and at >= ?::timestamptz`,
        from,
        from,
      ] as const),
    to:
      to &&
      ([`version < ${firstVersionSql("?::timestamptz + interval '1 hour'")} and at < ?::timestamptz`, to, to] as const),
  }
  const { statement, values } = buildQuery(
    'account_statement',
    [bucket, player, limit, ...accounts],
    filters,
    buildStatementSql,
  )
  return queryTransfers(tx, statement, values)
}

const BALANCES_AT = statement(
  'balances_at',
  `select t.currency, t.balance_after as balance from unnest($3::text[], $4::bigint[]) as k (currency, below)
   cross join lateral (
     select currency, balance_after from purser.transfer
     where bucket = $1::int and player = $2::text and currency = k.currency
       and version < ${firstVersionSql("$5::timestamptz + interval '1 hour'")} and at <= $5::timestamptz
     order by version desc limit 1
   ) t`,
)

/** Balance after the last transfer up to `at`. Accounts without such a transfer are left out. */
export function readBalancesAt(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  player: PlayerId,
  places: readonly StatementPosition[],
  at: Date,
): Promise<{ currency: Currency; balance: Money }[]> {
  const accounts = [places.map(({ currency }) => currency), places.map(({ below }) => below)]
  return tx.query(BALANCES_AT, [bucket, player, ...accounts, at])
}

function buildStatementSql(conditions: string): string {
  return `select ${TRANSFER_COLUMNS} from (
     select t.*, min(t.at) over (partition by t.currency order by t.version desc) as turn
     from unnest($4::text[], $5::bigint[]) as k (currency, below)
     cross join lateral (
       select ${TRANSFER_COLUMNS} from purser.transfer
       where bucket = $1::int and player = $2::text and currency = k.currency and version < k.below
         and (debit = 'player' or credit = 'player')${conditions}
       order by version desc limit $3::int
     ) t
   ) t order by turn desc, currency desc, version desc limit $3::int`
}

/**
 * SQL for the number of an account's first transfer at or after a time, by binary search (about 20
 * lookups). Times rise with the numbers, except for the clock difference of two processes. So the
 * caller widens the range by an hour and compares each time.
 */
function firstVersionSql(time: string): string {
  return `(with recursive halves (low, high) as (
       select 0::bigint, k.below
       union all
       select case when is_before then middle else low end, case when is_before then high else middle end
       from (
         select low, high, middle, coalesce((
           select at < ${time} from purser.transfer
           where bucket = $1::int and player = $2::text and currency = k.currency and version = middle), true) as is_before
         from (select low, high, (low + high) / 2 as middle from halves where high - low > 1) h
       ) m
     ) select min(high) from halves)`
}

async function queryTransfers(
  tx: Pick<Tx, 'query'>,
  query: Statement,
  values: readonly unknown[],
): Promise<Transfer[]> {
  return (await tx.query<TransferRow>(query, values)).map(toTransfer)
}

export function toTransfer({ balance_after, bet_id, request_id, reference, ...row }: TransferRow): Transfer {
  return {
    ...row,
    balanceAfter: balance_after,
    ...(bet_id !== null && { betId: bet_id }),
    ...(request_id !== null && { requestId: request_id }),
    ...(reference !== null && { reference }),
  }
}
