/**
 * `purser archive` moves old transfers and bet details into files (O-13). The owner of the tables
 * runs it.
 */

import { systemClock } from '@purser/runtime/clock'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { environment } from '@purser/runtime/environment'
import { type Command, InvalidArgumentError } from 'commander'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import { withMigratedDb } from './command-database.ts'

/** Bets of the last days are looked up most, and files are slow to search. */
const MIN_DAYS = 7
const DAY_MS = 86_400_000

interface Flags {
  readonly before: Date
  readonly to: string
  readonly json?: true
}

export function addArchiveCommand(program: Command): void {
  program
    .command('archive')
    .description('moves old transfers and the details of their bets into verified files; bets and calls stay')
    .requiredOption('--before <date>', 'archive transfers of bets that ended before this day (UTC)', parseDay)
    .requiredOption('--to <folder>', 'folder for the files, also for the files of earlier runs')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://owner@… purser archive --before 2026-01-01 --to /backup/purser',
        'DATABASE_URL=postgres://owner@… purser audit --archive /backup/purser',
        'OPERATOR_API_KEY=… purser show 7b1c8f --archive /backup/purser',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async ({ before, to, json }: Flags) => {
      const { runArchive } = await import('../../wallet/archive/archive-run.ts')
      const signal = createStopSignal()
      const done = await withMigratedDb((db) =>
        runArchive({ db, folder: to, before, now: systemClock.now(), signal, printStatus }),
      )
      const { files, transfers, bets, heldBack, changed, broken } = done
      if (json) printResult(JSON.stringify({ before: before.toISOString(), isWhole: !signal.aborted, ...done }))
      else {
        printResult(`${transfers} transfers and the details of ${bets} bets are in ${files} new files in ${to}`)
        if (heldBack > 0)
          printResult(
            `left: old transfers of ${heldBack} accounts, which follow a transfer of a bet that had not ended by that day`,
          )
        if (changed > 0)
          printResult(`left: ${changed} portions of accounts, which changed during the run; run the command again`)
        if (signal.aborted) printResult('stopped; run the command again to continue')
        if (broken > 0)
          printResult(`left: ${broken} accounts whose transfers are not a complete sequence; run purser audit`)
      }
      if (broken > 0) process.exitCode = EXIT_CODES.findings
    })
}

function printStatus(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

function parseDay(text: string): Date {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  // JavaScript engines may read 30 February as 2 March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError('Use a day such as 2026-01-01.')
  if (environment.now() - day.getTime() < MIN_DAYS * DAY_MS)
    throw new InvalidArgumentError(`It must be at least ${MIN_DAYS} days ago.`)
  return day
}
