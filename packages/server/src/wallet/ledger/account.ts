/**
 * Players' accounts: one row per player and currency, with balance and version. All other accounts
 * have no rows (posting.ts).
 *
 * Invariant: balance = sum of the account's transfers = `balance_after` of transfer number
 * `version`.
 */

import { type Money, type Scales, ZERO } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import type { Tx } from '../../core/database/db.ts'
import { statement } from '../../core/database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../../core/database/row-mapping.ts'
import { recordScales } from '../../core/database/schema/currency-scales.ts'

export interface Account {
  readonly player: PlayerId
  readonly currency: Currency
  readonly balance: Money
  readonly version: bigint
  /**
   * UTC day (YYYY-MM-DD) of the last transfer; `openingVersion` is the version before that day's
   * first transfer.
   */
  readonly day: string
  readonly openingVersion: bigint
}

interface AccountRow extends Record<string, unknown> {
  player: PlayerId
  currency: Currency
  balance: Money
  version: bigint
  day: string
  opening_version: bigint
}

const CURRENCIES = mapRows<string>(4, { currency: ['text', (currency) => currency] })

const OPEN_ACCOUNTS = createInsertStatement(
  'open_accounts',
  CURRENCIES,
  (count) =>
    `insert into purser.account (bucket, player, currency, balance, version, day, opening_version)
     ${formatInsertSource(CURRENCIES, count, ([currency]) => `$1::int, $2::text, ${currency}, 0, 0, $3::date, 0`)}
     on conflict (bucket, player, currency) do nothing`,
)

/** Existing accounts stay unchanged. */
export async function openAccounts(
  tx: Tx,
  bucket: number,
  player: PlayerId,
  currencies: readonly string[],
  scales: Scales,
  at: Date,
): Promise<void> {
  await recordScales(tx, 'wallet', currencies, scales)
  await tx.execute(OPEN_ACCOUNTS, [bucket, player, dayOf(at), ...CURRENCIES.values(currencies)])
}

interface NewAccount {
  readonly player: PlayerId
  readonly currency: Currency
}

const NEW_ACCOUNTS = mapRows<NewAccount>(3, {
  player: ['text', ({ player }) => player],
  currency: ['text', ({ currency }) => currency],
})

const OPEN_NEW_ACCOUNTS = createInsertStatement(
  'open_new_accounts',
  NEW_ACCOUNTS,
  (count) =>
    `insert into purser.account (bucket, ${NEW_ACCOUNTS.columns}, balance, version, day, opening_version)
     ${formatInsertSource(NEW_ACCOUNTS, count, (columns) => `$1::int, ${columns.join(', ')}, 0, 0, $2::date, 0`)}`,
)

/** The players must be new in this transaction. */
export async function openNewAccounts(
  tx: Tx,
  bucket: number,
  accounts: readonly NewAccount[],
  scales: Scales,
  at: Date,
): Promise<Account[]> {
  const day = dayOf(at)
  await recordScales(tx, 'wallet', [...new Set(accounts.map(({ currency }) => currency))], scales)
  await tx.execute(OPEN_NEW_ACCOUNTS, [bucket, day, ...NEW_ACCOUNTS.values(accounts)])
  return accounts.map(({ player, currency }) => ({
    ...{ player, currency, day },
    balance: ZERO,
    version: 0n,
    openingVersion: 0n,
  }))
}

const READ_ACCOUNTS = statement(
  'read_accounts',
  `select player, currency, balance, version, day::text as day, opening_version
   from purser.account where bucket = $1::int and player = any($2::text[])`,
)

/** A caller that posts to the accounts must hold the players' locks. */
export async function readAccounts(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  players: readonly PlayerId[],
): Promise<Account[]> {
  const rows = await tx.query<AccountRow>(READ_ACCOUNTS, [bucket, players])
  return rows.map(toAccount)
}

/** Members are copied one by one: in objects made once per call, a spread costs microseconds. */
function toAccount(row: AccountRow): Account {
  return {
    player: row.player,
    currency: row.currency,
    balance: row.balance,
    version: row.version,
    day: row.day,
    openingVersion: row.opening_version,
  }
}

/** Key of an account in a map. The separator NUL occurs in no id (wire-ids.ts). */
export function accountKey({ player, currency }: { player: PlayerId; currency: Currency }): string {
  return `${currency}\u0000${player}`
}

/** UTC day, YYYY-MM-DD. */
export function dayOf(at: Date): string {
  return isoOf(at).slice(0, 10)
}

let lastDate: Date | undefined
let lastText = ''

/** RFC 3339 in UTC. The calls of a batch share one Date, so its text is cached. */
export function isoOf(at: Date): string {
  if (at !== lastDate) {
    lastText = at.toISOString()
    lastDate = at
  }
  return lastText
}
