/** The lines of a file: a header, then of each account a head, its transfers and what describes its bets. Amounts are in minor units, as texts. */
import type { AccountName, TransferKind } from '../ledger/posting.ts'

export const ARCHIVE_FORMAT = 1

export interface ArchiveHeader {
  readonly purser: 'archive'
  readonly format: typeof ARCHIVE_FORMAT
  /** Which database it is of; a file knows no player by name, the database does (O-10). */
  readonly database: string
  readonly before: string
  readonly madeAt: string
  /** The decimals of each currency. */
  readonly scales: Readonly<Record<string, number>>
  readonly accounts: number
  readonly transfers: number
  readonly bets: number
  /** By currency, what each account of the ledger came to: they come to zero together. */
  readonly sums: ArchiveSums
}

export type ArchiveSums = Readonly<Record<string, Readonly<Partial<Record<AccountName, string>>>>>

export interface AccountLine {
  readonly currency: string
  readonly brand: string
  readonly from: { readonly version: string; readonly balance: string }
  readonly to: { readonly version: string; readonly balance: string; readonly at: string }
  readonly transfers: number
}

export interface TransferLine {
  readonly version: string
  readonly kind: TransferKind
  readonly debit: AccountName
  readonly credit: AccountName
  readonly amount: string
  /** The player's, after it. */
  readonly balance: string
  readonly at: string
  readonly bet?: string
  readonly request?: string
  readonly reference?: string
  readonly platform?: string
  readonly site?: string
}

/** Behind the transfers of its account. */
export interface BetLine {
  readonly bet: string
  readonly details: unknown
}

/**
 * What a file has of one account, or a portion of it: one with many transfers has several places. The place in the file, from 1 on, is how the
 * database knows whose it is.
 */
export interface ArchivedAccount {
  readonly head: AccountLine
  readonly transfers: readonly TransferLine[]
  readonly bets: readonly BetLine[]
}

export function formatArchiveLine(line: ArchiveHeader | AccountLine | TransferLine | BetLine): string {
  return `${JSON.stringify(line)}\n`
}

export function sumArchivedTransfers(accounts: readonly ArchivedAccount[]): ArchiveSums {
  const sums: Record<string, Partial<Record<AccountName, bigint>>> = {}
  for (const { head, transfers } of accounts) {
    const own = sums[head.currency] ?? {}
    sums[head.currency] = own
    for (const { debit, credit, amount } of transfers) {
      own[debit] = (own[debit] ?? 0n) - BigInt(amount)
      own[credit] = (own[credit] ?? 0n) + BigInt(amount)
    }
  }
  const texts = Object.entries(sums).map(([currency, own]) => [
    currency,
    Object.fromEntries(Object.entries(own).map(([name, sum]) => [name, `${sum}`])),
  ])
  return Object.fromEntries(texts)
}
