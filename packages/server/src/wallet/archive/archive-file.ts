/**
 * Archive files: compressed NDJSON.
 *
 * The name contains the SHA-256 of the bytes, so damage shows without a database, and no two files
 * collide. A file gets its name when it is on disk and was read again. Files with other names are
 * ignored.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { money } from '@purser/protocol/values/money'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { toDiskFullError } from '@purser/runtime/errors/file-error'
import { effectOnPlayer } from '../ledger/posting.ts'
import {
  type AccountLine,
  ARCHIVE_FORMAT,
  type ArchivedAccount,
  type ArchiveHeader,
  type BetLine,
  sumArchivedTransfers,
  type TransferLine,
} from './archive-lines.ts'

const FILE_NAME = /^purser-archive-[\d-]{10}-([0-9a-f]{64})\.ndjson\.gz$/
/** Only the user of the command has access, as with the files of a database. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** The file differs from the bytes that were written. */
export class DamagedArchiveError extends Error {}

export interface ArchiveFile {
  readonly header: ArchiveHeader
  /** In the order of their places, from 1. */
  readonly accounts: readonly ArchivedAccount[]
}

/** Owner of a file: the database, and during the write the run. */
export interface ArchiveWriter {
  readonly database: string
  readonly run: string
}

/** Writes the file, reads it again, and resolves to its name when the file is durable. */
export async function writeArchive(
  folder: string,
  writer: ArchiveWriter,
  before: string,
  text: string,
): Promise<string> {
  const bytes = await promisify(gzip)(text)
  const sha = computeSha256(bytes)
  const name = `purser-archive-${before.slice(0, 10)}-${sha}.ndjson.gz`
  const partial = join(folder, `${formatPartialPrefix(writer.database)}${writer.run}${PARTIAL_SUFFIX}`)
  try {
    await makeFolderDurably(folder)
    await withFsync(partial, 'wx', (file) => file.writeFile(bytes))
    const read = await readFile(partial)
    if (computeSha256(read) !== sha || `${await promisify(gunzip)(read)}` !== text)
      throw new DamagedArchiveError(`${partial} does not contain the bytes that were written to it`)
    await rename(partial, join(folder, name))
    await withFsync(folder, 'r', async () => {})
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {}) // the first error names the cause
    throw toDiskFullError(error, `the file of ${text.length} bytes in ${folder}`) ?? error
  }
  return name
}

/** A new folder is durable after an fsync of its parent. */
async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = resolve(folder); made.length >= resolve(first).length; made = dirname(made))
    await withFsync(dirname(made), 'r', async () => {})
}

async function withFsync(
  path: string,
  flags: 'wx' | 'r',
  work: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, FILE_MODE)
  try {
    await work(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

const PARTIAL_SUFFIX = '.partial'
const formatPartialPrefix = (database: string) => `purser-archive-${database}-`

/**
 * Removes partial files of earlier runs of this database; no other run is active. Files of other
 * databases may be in use.
 */
export async function removePartialFiles(folder: string, database: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.startsWith(formatPartialPrefix(database)) && name.endsWith(PARTIAL_SUFFIX))
      await rm(join(folder, name), { force: true })
}

/** Throws DamagedArchiveError with the fault, or UsageError if the file cannot be read. */
export async function readArchive(folder: string, name: string): Promise<ArchiveFile> {
  const bytes = await readFile(join(folder, name)).catch(() => {
    throw new UsageError(`${join(folder, name)} cannot be read: check that this is the folder of the archive`)
  })
  if (computeSha256(bytes) !== FILE_NAME.exec(name)?.[1])
    throw new DamagedArchiveError('its bytes do not have the hash in its name')
  const [first, ...lines] = `${await promisify(gunzip)(bytes)}`.trimEnd().split('\n')
  const header = JSON.parse(first ?? '{}') as ArchiveHeader
  if (header.purser !== 'archive' || header.format !== ARCHIVE_FORMAT)
    throw new DamagedArchiveError('it is not an archive, or a newer version of this program wrote it')
  const accounts = parseAccounts(lines)
  requireTotals(header, accounts)
  return { header, accounts }
}

type Line = AccountLine | TransferLine | BetLine

function parseAccounts(lines: readonly string[]): ArchivedAccount[] {
  const accounts: { head: AccountLine; transfers: TransferLine[]; bets: BetLine[] }[] = []
  for (const text of lines) {
    const line = JSON.parse(text) as Line
    const last = accounts.at(-1)
    if ('from' in line) accounts.push({ head: line, transfers: [], bets: [] })
    else if (last === undefined) throw new DamagedArchiveError('a line precedes the first account')
    else if ('version' in line) last.transfers.push(line)
    else last.bets.push(line)
  }
  return accounts
}

function requireTotals(header: ArchiveHeader, accounts: readonly ArchivedAccount[]): void {
  const count = (of: (account: ArchivedAccount) => number) => accounts.reduce((sum, account) => sum + of(account), 0)
  const [transfers, bets] = [count((one) => one.transfers.length), count((one) => one.bets.length)]
  if (accounts.length !== header.accounts || transfers !== header.transfers || bets !== header.bets)
    throw new DamagedArchiveError('its numbers of accounts, transfers or bets differ from its header')
  if (JSON.stringify(sumArchivedTransfers(accounts)) !== JSON.stringify(header.sums))
    throw new DamagedArchiveError('the sums of its transfers differ from its header')
  for (const account of accounts) requireChain(account)
}

function requireChain({ head, transfers }: ArchivedAccount): void {
  let [version, balance] = [BigInt(head.from.version), BigInt(head.from.balance)]
  for (const transfer of transfers) {
    version += 1n
    balance += effectOnPlayer({ ...transfer, amount: money(BigInt(transfer.amount)) })
    if (`${version}` !== transfer.version || `${balance}` !== transfer.balance)
      throw new DamagedArchiveError(`its transfer ${transfer.version} does not follow from the one before it`)
  }
  if (`${version}` !== head.to.version || `${balance}` !== head.to.balance || transfers.at(-1)?.at !== head.to.at)
    throw new DamagedArchiveError('the final balance of an account differs from its head')
}

function computeSha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
