/**
 * Run of `purser archive`, file by file.
 *
 * A file is written, read again and recorded in the database. Then each of its portions is removed
 * from the database in a transaction. After an interruption each transfer is in the database or in
 * a recorded file, and the next run continues. A portion in a file counts as archived only if a row
 * of `carried_balance` names it.
 */

import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { withExclusiveRun } from '../../core/database/advisory-lock.ts'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import { iterateBuckets } from '../../core/database/schema/buckets.ts'
import { readRecordedScales } from '../../core/database/schema/currency-scales.ts'
import { closeDays, readFirstOpenDay } from '../ledger/daily-sums.ts'
import { type ArchiveWriter, removePartialFiles, writeArchive } from './archive-file.ts'
import { ARCHIVE_FORMAT, type ArchiveHeader, formatArchiveLine, sumArchivedTransfers } from './archive-lines.ts'
import {
  type AccountKey,
  type ArchivePortion,
  BrokenAccountError,
  MAX_PORTION,
  type PortionSearchResult,
  type PortionSize,
  readPortion,
  toPortionEnd,
} from './archive-portion.ts'
import { removePortion } from './portion-removal.ts'

/**
 * Approximate size of a file, which is held in memory. `bytes` are characters before compression.
 */
const MAX_FILE: PortionSize = { transfers: 50_000, bytes: 32_000_000 }
/** Accounts per query. */
const ACCOUNTS_PER_READ = 500

export interface ArchiveOptions {
  readonly db: Db
  readonly folder: string
  /** Midnight (UTC); only earlier transfers are archived. */
  readonly before: Date
  readonly now: Date
  readonly signal: AbortSignal
  printStatus(line: string): void
  /** Other limits of files and portions, for tests. */
  readonly file?: PortionSize
  readonly portion?: PortionSize
}

export interface ArchiveResult {
  files: number
  transfers: number
  /** Bets whose details were archived. */
  bets: number
  /** Accounts with old transfers that must stay, because a bet is open or ended too recently. */
  heldBack: number
  /**
   * Portions that changed before their removal, or follow such a portion; another run archives
   * them.
   */
  changed: number
  /** Accounts that were skipped, because the audit has findings for them. */
  broken: number
}

export async function runArchive(options: ArchiveOptions): Promise<ArchiveResult> {
  const { db, folder } = options
  await requireDeletePrivilege(db)
  return withExclusiveRun(db, 'archive', async (requireLock) => {
    await requireClosedDays(options)
    const writer = { database: await ensureDatabaseId(db), run: environment.uuid() }
    await removePartialFiles(folder, writer.database)
    return archivePortions({ ...options, writer, requireLock })
  })
}

interface ArchiveRun extends ArchiveOptions {
  readonly writer: ArchiveWriter
  requireLock(): Promise<void>
}

async function archivePortions(run: ArchiveRun): Promise<ArchiveResult> {
  const { signal, file = MAX_FILE } = run
  const done: ArchiveResult = { files: 0, transfers: 0, bets: 0, heldBack: 0, changed: 0, broken: 0 }
  let [gathered, transfers, bytes]: [ArchivePortion[], number, number] = [[], 0, 0]
  for await (const portion of iteratePortions(run, done)) {
    gathered.push(portion)
    transfers += portion.transfers.length
    bytes += portion.text.length
    if (transfers < file.transfers && bytes < file.bytes) continue
    await archiveFile(run, gathered, done)
    ;[gathered, transfers, bytes] = [[], 0, 0]
  }
  if (gathered.length > 0 && !signal.aborted) await archiveFile(run, gathered, done)
  return done
}

const READ_DELETE_PRIVILEGE = statement(
  'archive_rights',
  `select (select bool_and(has_table_privilege('purser.' || t, 'delete')) from unnest($1::text[]) t) as has_all`,
)

async function requireDeletePrivilege(db: Db): Promise<void> {
  const [rights] = await db.query<{ has_all: boolean }>(READ_DELETE_PRIVILEGE, [['transfer', 'bet_details']])
  if (!rights?.has_all)
    throw new UsageError('this role may not delete rows: run the command as the owner of the tables')
}

/**
 * The transfers of open days must stay, because sums are computed from them. If a wallet closes
 * days meanwhile, the check is repeated.
 */
async function requireClosedDays({ db, before, now }: ArchiveOptions): Promise<void> {
  for (let last: Date | undefined; ; ) {
    await closeDays(db, now)
    const open = await readFirstOpenDay(db, now)
    if (before <= open) return
    if (open.getTime() === last?.getTime())
      throw new UsageError(
        `the sums of ${open.toISOString().slice(0, 10)} are not saved yet: choose that day, or an earlier one`,
      )
    last = open
  }
}

/**
 * Yields all portions. The previous portion of an account may not be removed yet, so the next one
 * starts at its end.
 */
async function* iteratePortions(options: ArchiveOptions, done: ArchiveResult): AsyncGenerator<ArchivePortion> {
  const { db, before, signal } = options
  for await (const account of iterateOldAccounts(db, before)) {
    let last: ArchivePortion | undefined
    for (let hasMore = true; hasMore && !signal.aborted; ) {
      const found: PortionSearchResult = await findPortion(options, account, last, done)
      if (found.isHeldBack) done.heldBack += 1
      hasMore = found.hasMore
      last = found.portion
      if (last !== undefined) yield last
    }
    if (signal.aborted) return
  }
}

async function findPortion(
  { db, before, printStatus, portion = MAX_PORTION }: ArchiveOptions,
  account: AccountKey,
  last: ArchivePortion | undefined,
  done: ArchiveResult,
): Promise<PortionSearchResult> {
  try {
    return await db.snapshot((tx) => readPortion(tx, account, before, portion, last && toPortionEnd(last)))
  } catch (error) {
    if (!(error instanceof BrokenAccountError)) throw error
    done.broken += 1
    printStatus(`${account.player} ${account.currency}: ${error.message}`)
    return { isHeldBack: false, hasMore: false }
  }
}

const RECORD_FILE = statement(
  'archive_note_file',
  `insert into purser.archive (file, before, made_at, accounts, transfers)
   values ($1::text, $2::timestamptz, $3::timestamptz, $4::int, $5::bigint)`,
)

async function archiveFile(run: ArchiveRun, portions: readonly ArchivePortion[], done: ArchiveResult): Promise<void> {
  const { db, folder, writer, before, now, signal, printStatus } = run
  await run.requireLock()
  const header = await createHeader(run, portions)
  const text = formatArchiveLine(header) + portions.map((one) => one.text).join('')
  const file = await writeArchive(folder, writer, header.before, text)
  await db.longTransaction((tx) => tx.execute(RECORD_FILE, [file, before, now, header.accounts, header.transfers]))
  done.files += 1
  for (const [index, portion] of portions.entries()) {
    if (signal.aborted) return
    const isTaken = await removePortion(db, portion, file, index + 1, before)
    if (!isTaken) done.changed += 1
    else {
      done.transfers += portion.transfers.length
      done.bets += portion.bets.length
    }
  }
  printStatus(`${file}: ${header.transfers} transfers of ${header.accounts} accounts`)
}

async function createHeader(
  { db, writer, before, now }: ArchiveRun,
  portions: readonly ArchivePortion[],
): Promise<ArchiveHeader> {
  const sums = sumArchivedTransfers(portions)
  const scales = await readRecordedScales(db, 'wallet')
  return {
    ...{ purser: 'archive', format: ARCHIVE_FORMAT, database: writer.database },
    ...{ before: before.toISOString(), madeAt: now.toISOString() },
    scales: Object.fromEntries([...scales].filter(([currency]) => currency in sums)),
    accounts: portions.length,
    transfers: portions.reduce((sum, { transfers }) => sum + transfers.length, 0),
    bets: portions.reduce((sum, { bets }) => sum + bets.length, 0),
    sums,
  }
}

const READ_DATABASE_ID = statement('archive_read_database', "select value from purser.setting where name = 'database'")
const CREATE_DATABASE_ID = statement(
  'archive_make_database',
  "insert into purser.setting (name, value) values ('database', $1::text) on conflict (name) do nothing",
)

async function ensureDatabaseId(db: Db): Promise<string> {
  await db.longTransaction((tx) => tx.execute(CREATE_DATABASE_ID, [environment.uuid()]))
  return (await readDatabaseId(db)) ?? ''
}

/**
 * Returns the id by which archive files name this database; undefined if the database has no
 * archive.
 */
export async function readDatabaseId(db: Pick<Db, 'query'>): Promise<string | undefined> {
  const [row] = await db.query<{ value: string }>(READ_DATABASE_ID)
  return row?.value
}

const NEXT_BUCKET = statement(
  'archive_next_bucket',
  'select bucket from purser.account where bucket > $1::int order by bucket limit 1',
)
/** `is_old` concerns the first transfer after the carried balance. */
const NEXT_ACCOUNTS = statement(
  'archive_next_accounts',
  `select a.player, a.currency, coalesce((
     select t.at < $4::timestamptz from purser.transfer t
     where t.bucket = $1::int and t.player = a.player and t.currency = a.currency and t.version = 1 + coalesce((
       select max(c.version) from purser.carried_balance c where c.bucket = $1::int and c.player = a.player and c.currency = a.currency), 0)
   ), a.version > coalesce((
     select max(c.version) from purser.carried_balance c where c.bucket = $1::int and c.player = a.player and c.currency = a.currency), 0)) as is_old
   from purser.account a
   where a.bucket = $1::int and (a.player, a.currency) > ($2::text, $3::text) order by a.player, a.currency limit ${ACCOUNTS_PER_READ}`,
)

interface AccountRow extends Row {
  player: PlayerId
  currency: Currency
  is_old: boolean
}

/**
 * Yields accounts that may have a portion. An account without its first transfer is included, and
 * reported as broken later.
 */
async function* iterateOldAccounts(db: Db, before: Date): AsyncGenerator<AccountKey> {
  for await (const bucket of iterateBuckets(db, NEXT_BUCKET))
    for (let position: readonly string[] | undefined = ['', '']; position !== undefined; ) {
      const values: unknown[] = [bucket, ...position, before]
      const rows: AccountRow[] = await db.snapshot((tx) => tx.query<AccountRow>(NEXT_ACCOUNTS, values))
      for (const { player, currency, is_old } of rows) if (is_old) yield { bucket, player, currency }
      const last: AccountRow | undefined = rows.at(-1)
      position = last && [last.player, last.currency]
    }
}
