/** `purser archive`: what is old of transfers and of what describes bets goes into files (O-13). Done by the owner of the tables, as migrations are. */
import { type Command, InvalidArgumentError } from 'commander'
import { formatEnvironmentHelp, formatExamples, printResult } from '../config/command-help.ts'
import { systemClock } from '../runtime/clock.ts'
import { environment } from '../runtime/environment.ts'
import { withMigratedDb } from './command-database.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { createStopSignal } from './stop-signals.ts'

/** What people look at most are the bets of the last days, and a file answers nobody at once. */
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
    .description('moves old transfers, and what describes their bets, into checked files; bets and calls stay')
    .requiredOption('--before <date>', 'what is over since before this day (UTC)', parseDay)
    .requiredOption('--to <folder>', 'where the files go; with those of earlier runs')
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
      const { runArchive } = await import('../archive/archive-run.ts')
      const signal = createStopSignal()
      const done = await withMigratedDb((db) =>
        runArchive({ db, folder: to, before, now: systemClock.now(), signal, printStatus }),
      )
      const { files, transfers, bets, heldBack, changed, broken } = done
      if (json) printResult(JSON.stringify({ before: before.toISOString(), isWhole: !signal.aborted, ...done }))
      else {
        printResult(`${transfers} transfers, and what describes ${bets} bets, are in ${files} new files of ${to}`)
        if (heldBack > 0)
          printResult(
            `left: old transfers of ${heldBack} accounts, behind one of a bet that is not over since before that day`,
          )
        if (changed > 0) printResult(`left: ${changed} portions of accounts that changed meanwhile; run it again`)
        if (signal.aborted) printResult('stopped; run it again to go on')
        if (broken > 0)
          printResult(`left: ${broken} accounts whose transfers do not follow from each other; run the audit`)
      }
      if (broken > 0) process.exitCode = EXIT_CODES.findings
    })
}

function printStatus(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

function parseDay(text: string): Date {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  // Some take 30 February for 2 March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError('It is a day: 2026-01-01.')
  if (environment.now() - day.getTime() < MIN_DAYS * DAY_MS)
    throw new InvalidArgumentError(`It must be ${MIN_DAYS} days ago.`)
  return day
}
