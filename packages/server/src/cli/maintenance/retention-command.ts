/**
 * `purser retention` counts the data that platform and wallet no longer need, and deletes it with
 * --apply (O-6).
 */

import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Command, InvalidArgumentError } from 'commander'
import { countEndedSessions, deleteEndedSessions } from '../../core/auth/sign-in/console-session-retention.ts'
import { countOldChanges, deleteOldChanges } from '../../core/change-feed/feed-retention.ts'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import { isPermissionDenied } from '../../core/database/database-errors.ts'
import type { Db } from '../../core/database/db.ts'
import { clearOld, countOld, type RetentionCounts } from '../../platform/platform-retention.ts'
import { WALLET_CHANGES } from '../../wallet/store/wallet-changes.ts'
import { withMigratedDb } from './command-database.ts'

/** Tokens of yesterday may belong to users who are still in the frame. */
const MIN_AGE_MS = 86_400_000

interface Flags {
  readonly before?: Date
  readonly keepDays?: Date
  readonly apply?: true
  readonly json?: true
}

export function addRetentionCommand(program: Command): void {
  program
    .command('retention')
    .description('deletes data that platform and wallet no longer need; bets, deliveries and their money stay')
    .option('--before <date>', 'delete data of bets and sessions that ended before this day (UTC) or time', parseDate)
    .option('--keep-days <days>', 'the same by age, for scheduled runs: the number of days to keep data', parseAge)
    .option('--apply', 'delete the data; without it, the data is only counted')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://owner@… purser retention --before 2026-08-01',
        'DATABASE_URL=postgres://owner@… purser retention --before 2026-08-01 --apply',
        'DATABASE_URL=postgres://owner@… purser retention --keep-days 90 --apply',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async ({ before: day, keepDays, apply, json }: Flags) => {
      const before = day ?? keepDays
      if (before === undefined || (day && keepDays))
        throw new UsageError('the age of the data is missing or given twice: give either --before or --keep-days')
      const result = await withMigratedDb((db) => countOrDelete(db, before, apply === true))
      printResult(json ? JSON.stringify({ before: before.toISOString(), ...result }) : describe(before, result))
      if (result.kind === 'applied' && !isEmpty(result.left)) process.exitCode = EXIT_CODES.findings
    })
}

function parseDate(text: string): Date {
  const date = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Use a day or a time, such as 2026-08-01 or 2026-08-01T12:00:00Z.')
  if (environment.now() - date.getTime() < MIN_AGE_MS)
    throw new InvalidArgumentError('It must be at least one day ago: tokens of today may be in use.')
  return date
}

const MAX_DAYS = 3_650
const DAY_MS = 86_400_000

function parseAge(text: string): Date {
  const days = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (days < 1 || days > MAX_DAYS) throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_DAYS}.`)
  return new Date(environment.now() - days * DAY_MS)
}

interface AllRetentionCounts extends RetentionCounts {
  /** Rows of the wallet's feed; `changes` counts the platform's. */
  readonly walletChanges: number
  /** Sessions of both consoles. */
  readonly consoleSessions: number
}

type RetentionResult =
  | { readonly kind: 'counted'; readonly found: AllRetentionCounts }
  | { readonly kind: 'applied'; readonly taken: AllRetentionCounts; readonly left: AllRetentionCounts }

async function countAll(db: Db, before: Date): Promise<AllRetentionCounts> {
  const [walletChanges, consoleSessions] = await db.snapshot(async (tx) => [
    await countOldChanges(tx, WALLET_CHANGES, before),
    await countEndedSessions(tx, before),
  ])
  return { ...(await countOld(db, before)), walletChanges, consoleSessions }
}

async function deleteAll(db: Db, before: Date, signal: AbortSignal): Promise<AllRetentionCounts> {
  const amounts = await clearOld(db, before, signal)
  const walletChanges = await deleteOldChanges(db, WALLET_CHANGES, before, signal)
  return { ...amounts, walletChanges, consoleSessions: await deleteEndedSessions(db, before, signal) }
}

async function countOrDelete(db: Db, before: Date, apply: boolean): Promise<RetentionResult> {
  if (!apply) return { kind: 'counted', found: await countAll(db, before) }
  const taken = await deleteAll(db, before, createStopSignal()).catch((error: unknown) => {
    if (!isPermissionDenied(error)) throw error
    throw new UsageError('this role may not delete rows: run the command as the owner of the tables', {
      cause: error,
    })
  })
  return { kind: 'applied', taken, left: await countAll(db, before) }
}

function isEmpty({
  bets,
  frameSessions,
  changes,
  walletChanges,
  retries,
  consoleSessions,
}: AllRetentionCounts): boolean {
  return bets + frameSessions + changes + walletChanges + retries + consoleSessions === 0
}

function describe(before: Date, result: RetentionResult): string {
  const title = `before ${before.toISOString()}:`
  if (result.kind === 'counted')
    return [title, ...formatCounts(result.found), 'nothing was changed; --apply deletes the data'].join('\n')
  const { taken, left } = result
  const end = isEmpty(left)
    ? []
    : ['left, because the data changed or the command was stopped; run the command again:', ...formatCounts(left)]
  return [`deleted, ${title}`, ...formatCounts(taken), ...end].join('\n')
}

function formatCounts({
  bets,
  attempts,
  frameSessions,
  changes,
  walletChanges,
  retries,
  consoleSessions,
}: AllRetentionCounts): string[] {
  return [
    `  ${attempts} answers of partners about ${bets} bets that have ended, and the tokens of these bets`,
    `  the tokens and profiles of ${frameSessions} frame sessions`,
    `  ${changes} rows of the platform's feed of changes, ${walletChanges} of the wallet's`,
    `  ${retries} retries of deliveries, ${consoleSessions} sessions of the consoles that have ended`,
  ]
}
