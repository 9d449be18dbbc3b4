/**
 * Book: the accounts of one batch in memory. Postings are applied one after another, so each call
 * sees the balances that earlier calls left. `saveBook` (book-store.ts) then writes all changes at
 * once.
 *
 * Invariant: after each posting, an account's balance is the `balanceAfter` of its last transfer,
 * and its versions have no gaps.
 */

import { fitsBalance } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { groupBy } from '@purser/runtime/group'
import { type Account, dayOf } from './account.ts'
import { effectOnPlayer, type Posting } from './posting.ts'
import type { Transfer } from './transfer.ts'

export interface Book {
  account(player: PlayerId, currency: Currency): Account | undefined
  /**
   * Applies a posting; throws if the account is missing or the balance leaves the range of a
   * bigint.
   */
  post(posting: Posting, at: Date): Transfer
  readonly transfers: readonly Transfer[]
  transfersOf(player: PlayerId, currency: Currency): readonly Transfer[]
  changed(): ChangedAccount[]
}

export interface ChangedAccount extends Account {
  /** Version of the account as read. */
  readonly basedOn: bigint
}

interface Page {
  readonly read: Account
  now: Account
  readonly transfers: Transfer[]
}

export function openBook(accounts: readonly Account[]): Book {
  const pages = accounts.map((read): Page => ({ read, now: read, transfers: [] }))
  const byPlayer = groupBy(pages, ({ read }) => read.player)
  const pageOf = (player: PlayerId, currency: Currency) =>
    byPlayer.get(player)?.find(({ read }) => read.currency === currency)
  const transfers: Transfer[] = []
  return {
    transfers,
    transfersOf: (player, currency) => pageOf(player, currency)?.transfers ?? [],
    account: (player, currency) => pageOf(player, currency)?.now,
    post(posting, at) {
      const page = pageOf(posting.player, posting.currency)
      if (page === undefined) throw new Error(`no ${posting.currency} account to post to`)
      const time = clampToDay(page.now.day, at)
      page.now = applyPosting(page.now, posting, dayOf(time))
      const transfer = toTransfer(posting, page.now, time)
      transfers.push(transfer)
      page.transfers.push(transfer)
      return transfer
    },
    changed: () => pages.filter(({ transfers }) => transfers.length > 0).map(toChanged),
  }
}

function toChanged({ read, now }: Page): ChangedAccount {
  return {
    player: now.player,
    currency: now.currency,
    balance: now.balance,
    version: now.version,
    day: now.day,
    openingVersion: now.openingVersion,
    basedOn: read.version,
  }
}

function toTransfer(posting: Posting, after: Account, at: Date): Transfer {
  return {
    player: posting.player,
    currency: posting.currency,
    kind: posting.kind,
    debit: posting.debit,
    credit: posting.credit,
    amount: posting.amount,
    betId: posting.betId,
    requestId: posting.requestId,
    platform: posting.platform,
    site: posting.site,
    reference: posting.reference,
    version: after.version,
    balanceAfter: after.balance,
    at,
  }
}

/**
 * The clock of another process may be ahead around midnight. The day that it has begun then stays.
 */
function clampToDay(day: string, at: Date): Date {
  return dayOf(at) < day ? new Date(`${day}T00:00:00.000Z`) : at
}

function applyPosting(account: Account, posting: Posting, day: string): Account {
  if (posting.amount < 0n || posting.debit === posting.credit)
    throw new Error('a transfer moves an amount from one account to another')
  const balance = account.balance + effectOnPlayer(posting)
  if (!fitsBalance(balance)) throw new Error('a balance would leave its range')
  const isNewDay = day > account.day
  return {
    player: account.player,
    currency: account.currency,
    balance,
    version: account.version + 1n,
    day,
    openingVersion: isNewDay ? account.version : account.openingVersion,
  }
}
