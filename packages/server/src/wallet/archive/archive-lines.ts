/**
 * Lines of an archive file: a header, then per account a head, transfers, and details of bets.
 * Amounts are texts of minor units.
 */
import type { AccountName, TransferKind } from '../ledger/posting.ts'

export const ARCHIVE_FORMAT = 1

export interface ArchiveHeader {
  readonly purser: 'archive'
  readonly format: typeof ARCHIVE_FORMAT
  /** Id of the database. Only the database knows the players of a file (O-10). */
  readonly database: string
  readonly before: string
  readonly madeAt: string
  /** Decimals per currency. */
  readonly scales: Readonly<Record<string, number>>
  readonly accounts: number
  readonly transfers: number
  readonly bets: number
  /** Sum per currency and ledger account; the sums of a currency add up to zero. */
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
  /** The player's, after the transfer. */
  readonly balance: string
  readonly at: string
  readonly bet?: string
  readonly request?: string
  readonly reference?: string
  readonly platform?: string
  readonly site?: string
}

export interface BetLine {
  readonly bet: string
  readonly details: unknown
}

/**
 * Content of a file for one account, or for a portion of a large account. Its place in the file,
 * from 1, leads to the player in the database.
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
