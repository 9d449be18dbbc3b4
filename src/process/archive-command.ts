/** `purser archive`: what is old of transfers and of what describes bets goes into files (O-13). Done by the owner of the tables, as migrations are. */
import { type Command, InvalidArgumentError } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import { systemClock } from '../runtime/clock.ts'
import { world } from '../runtime/world.ts'
import { EXIT } from './ending.ts'
import { stopSignal } from './stopping.ts'
import { withMigrated } from './with-database.ts'

/** What people look at most are the bets of the last days, and a file answers nobody at once. */
const LEAST_DAYS = 7
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
    .requiredOption('--before <date>', 'what is over since before this day (UTC)', toDay)
    .requiredOption('--to <folder>', 'where the files go; with those of earlier runs')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://owner@… purser archive --before 2026-01-01 --to /backup/purser',
        'DATABASE_URL=postgres://owner@… purser audit --archive /backup/purser',
        'OPERATOR_API_KEY=… purser show 7b1c8f --archive /backup/purser',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async ({ before, to, json }: Flags) => {
      const { archive } = await import('../archive/run.ts')
      const signal = stopSignal()
      const done = await withMigrated((db) => archive({ db, folder: to, before, now: systemClock.now(), signal, say }))
      const { files, transfers, bets, heldBack, changed, broken } = done
      if (json) print(JSON.stringify({ before: before.toISOString(), isWhole: !signal.aborted, ...done }))
      else {
        print(`${transfers} transfers, and what describes ${bets} bets, are in ${files} new files of ${to}`)
        if (heldBack > 0)
          print(
            `left: old transfers of ${heldBack} accounts, behind one of a bet that is not over since before that day`,
          )
        if (changed > 0) print(`left: ${changed} portions of accounts that changed meanwhile; run it again`)
        if (signal.aborted) print('stopped; run it again to go on')
        if (broken > 0) print(`left: ${broken} accounts whose transfers do not follow from each other; run the audit`)
      }
      if (broken > 0) process.exitCode = EXIT.findings
    })
}

function say(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

function toDay(text: string): Date {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  // Some take 30 February for 2 March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError('It is a day: 2026-01-01.')
  if (world.wall() - day.getTime() < LEAST_DAYS * DAY_MS)
    throw new InvalidArgumentError(`It must be ${LEAST_DAYS} days ago.`)
  return day
}
