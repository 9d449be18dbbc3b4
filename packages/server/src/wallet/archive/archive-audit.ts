/**
 * Audit of the archive files against the database. A file must be unchanged, and its last balance
 * of an account must equal the carried balance of that account in the database.
 */

import { errorText } from '@purser/runtime/errors/error-text'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import { type ArchiveFile, DamagedArchiveError, readArchive } from './archive-file.ts'
import type { ArchivedAccount } from './archive-lines.ts'
import { readDatabaseId } from './archive-run.ts'
import { type DaySum, sumTransfersByDay } from './portion-removal.ts'

export const ARCHIVE_CHECKS = {
  file: 'each file of the archive exists and is unchanged',
  carried: 'the carried balance of an account is the final balance of its transfers in a file',
  known: 'the carried balance of an account names a file of the archive',
  sums: 'the stored sums of archived transfers are the sums of the files',
} as const

/** Receiver of findings (invariant-checks.ts). */
interface FindingSink {
  add(check: string, row: Row): void
}

const LIST_FILES = statement('audit_archive_files', 'select file from purser.archive order by made_at, file')
const FIND_UNKNOWN_FILES = statement(
  'audit_archive_unknown',
  `select c.player, c.currency, c.version, c.file from purser.carried_balance c
   where c.file not in (select a.file from purser.archive a) limit 100`,
)
const LIST_ARCHIVED_ACCOUNTS = statement(
  'audit_archive_taken',
  `select c.place, c.player, c.currency, c.version, c.balance, coalesce(p.version, 0) as from_version, coalesce(p.balance, 0) as from_balance
   from purser.carried_balance c left join lateral (
     select version, balance from purser.carried_balance p
     where p.bucket = c.bucket and p.player = c.player and p.currency = c.currency and p.version < c.version order by p.version desc limit 1
   ) p on true
   where c.file = $1::text order by c.place`,
)
const LIST_SUMS = statement(
  'audit_archive_sums',
  `select day::text as day, currency, brand, kind, debit, credit, platform, site, transfers::text as transfers, amount::text as amount
   from purser.archived_sum`,
)

interface ArchivedAccountRow extends Row {
  place: number
  player: string
  currency: string
  version: bigint
  balance: bigint
  from_version: bigint
  from_balance: bigint
}

/**
 * Must not run while files are written, because each file and the sums have snapshots of their own.
 */
export async function auditArchive(
  db: Pick<Db, 'snapshot' | 'query'>,
  folder: string,
  findings: FindingSink,
  progress: (done: number, of: number) => void,
): Promise<void> {
  const files = await db.snapshot((tx) => tx.query<{ file: string }>(LIST_FILES))
  const database = await readDatabaseId(db)
  const sums = new Map<string, DaySum>()
  for (const [index, { file }] of files.entries()) {
    const archivedRows = await db.snapshot((tx) => tx.query<ArchivedAccountRow>(LIST_ARCHIVED_ACCOUNTS, [file]))
    const content = await readContent(folder, file, database, findings)
    if (content !== undefined)
      for (const archivedRow of archivedRows) auditAccount(archivedRow, file, content.accounts, sums, findings)
    progress(index + 1, files.length)
  }
  for (const row of await db.snapshot((tx) => tx.query(FIND_UNKNOWN_FILES))) findings.add(ARCHIVE_CHECKS.known, row)
  await auditSums(db, sums, findings)
}

async function readContent(
  folder: string,
  file: string,
  database: string | undefined,
  findings: FindingSink,
): Promise<ArchiveFile | undefined> {
  try {
    const content = await readArchive(folder, file)
    if (content.header.database !== database) throw new DamagedArchiveError('it belongs to another database')
    return content
  } catch (error) {
    findings.add(ARCHIVE_CHECKS.file, { file, why: errorText(error) })
    return undefined
  }
}

function auditAccount(
  archivedRows: ArchivedAccountRow,
  file: string,
  accounts: readonly ArchivedAccount[],
  sums: Map<string, DaySum>,
  findings: FindingSink,
): void {
  const account = accounts[archivedRows.place - 1]
  const { place, player, currency, version, balance, from_version, from_balance } = archivedRows
  const [expected, found] = [
    [currency, from_version, from_balance, version, balance],
    account && [account.head.currency, ...toEnds(account)],
  ].map(String)
  if (account !== undefined) sumTransfersByDay(account.head.currency, account.head.brand, account.transfers, sums)
  if (found !== expected)
    findings.add(ARCHIVE_CHECKS.carried, { file, place, player, database: expected, in_file: found ?? 'nothing' })
}

function toEnds({ head: { from, to } }: ArchivedAccount): string[] {
  return [from.version, from.balance, to.version, to.balance]
}

async function auditSums(
  db: Pick<Db, 'snapshot'>,
  inFiles: ReadonlyMap<string, DaySum>,
  findings: FindingSink,
): Promise<void> {
  const recorded = new Map<string, string>()
  for (const { transfers, amount, ...of } of await db.snapshot((tx) => tx.query(LIST_SUMS)))
    recorded.set(JSON.stringify(Object.values(of)), `${transfers} of ${amount}`)
  for (const key of new Set([...recorded.keys(), ...inFiles.keys()])) {
    const sum = inFiles.get(key)
    const found = sum && `${sum.transfers} of ${sum.amount}`
    if (found !== recorded.get(key))
      findings.add(ARCHIVE_CHECKS.sums, { of: key, kept: recorded.get(key) ?? 'none', in_files: found ?? 'none' })
  }
}
