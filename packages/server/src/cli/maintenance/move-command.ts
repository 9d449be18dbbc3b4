/**
 * `purser move` copies the wallet's tables to another database during operation. The owner of the
 * tables runs it.
 */

import { systemClock } from '@purser/runtime/clock'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { createStopSignal } from '@purser/runtime/command/stop-signals'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Command, InvalidArgumentError } from 'commander'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import { MAX_BUCKETS } from '../../core/config/config.ts'
import { openDb } from '../../core/database/database-factory.ts'
import type { Db } from '../../core/database/db.ts'
import { findUrlProblem, formatDatabaseAddress } from '../../core/database/postgres/postgres-url.ts'
import { requireCurrentSchema } from '../../core/database/schema/schema-migration.ts'
import type { MoveResult } from '../../wallet/relocate/database-move.ts'
import { withMigratedDb } from './command-database.ts'

interface Flags {
  readonly to?: string
  readonly buckets?: number
  readonly finish?: true
  readonly reopen?: true
  readonly json?: true
}

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description(
      "copies the wallet's tables to another Postgres or to Citus while the wallet runs; --finish completes the move",
    )
    .option(
      '--to <url>',
      'target database, postgres://…: a new one after purser migrate, or the target of an earlier run',
    )
    .option('--buckets <number>', 'number of buckets of the new database; default: its own number, or 1', parseBuckets)
    .option('--finish', 'also run the final step: calls wait during it, and afterwards this database accepts none')
    .option('--reopen', 'return to a database that was moved away, in its state at the time of the move')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://owner@db/purser purser move --to postgres://owner@coordinator/purser --buckets 8',
        'DATABASE_URL=postgres://owner@db/purser purser move --to postgres://owner@coordinator/purser --finish',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (flags: Flags) => {
      if (flags.reopen) return reopenAgain()
      const { to } = flags
      if (to === undefined) throw new UsageError('the target database is missing: give --to postgres://…')
      const done = await moveToDatabase(to, flags)
      printResult(flags.json ? JSON.stringify(done) : describe(done, to))
      if (done.state === 'different') process.exitCode = EXIT_CODES.findings
    })
}

const SECOND_MS = 1_000

function parseBuckets(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (number < 1 || number > MAX_BUCKETS) throw new InvalidArgumentError(`Use a number from 1 to ${MAX_BUCKETS}.`)
  return number
}

async function moveToDatabase(to: string, { buckets, finish }: Flags): Promise<MoveResult> {
  const signal = createStopSignal()
  const { moveDatabase } = await import('../../wallet/relocate/database-move.ts')
  return withMigratedDb(async (from, { store, urlRules, durability }) => {
    const problem = findUrlProblem(to, urlRules)
    if (problem !== undefined) throw new UsageError(`the address in --to ${problem}`)
    const address = formatDatabaseAddress(to)
    const opened: Db[] = []
    const open = async (config: typeof store) => {
      const db = await openDb(config)
      opened.push(db)
      return db
    }
    try {
      const target = { kind: 'postgres', url: to, durability } as const
      const into = await open(target)
      await requireCurrentSchema(into).catch((error: unknown) => {
        throw error instanceof UsageError ? new UsageError(`in ${address} ${error.message}`) : error
      })
      const holders = { from: store.kind === 'pglite' ? from : await open(store), to: await open(target) }
      return await moveDatabase({
        ...{ from, to: into, holders, buckets, isLast: finish === true, address, signal, print: printStatus },
        now: () => systemClock.now(),
        progress: createProgressPrinter(),
      })
    } finally {
      for (const db of opened) await db.close()
    }
  })
}

async function reopenAgain(): Promise<void> {
  const [{ reopenMovedDatabase }, { TABLES_TO_CLOSE }] = await Promise.all([
    import('../../core/database/relocation-state.ts'),
    import('../../wallet/relocate/move-tables.ts'),
  ])
  await withMigratedDb((db) => reopenMovedDatabase(db, TABLES_TO_CLOSE))
  printResult(
    'wallets can use this database again; it lacks all later writes to the other database: run no wallet there',
  )
}

function describe({ state, players, ms, differences, totals }: MoveResult, to: string): string {
  const at = formatDatabaseAddress(to)
  const rows = Object.values(totals?.rows ?? {}).reduce((sum, count) => sum + BigInt(count), 0n)
  const seconds = Math.ceil(ms / SECOND_MS)
  switch (state) {
    case 'stopped':
      return 'stopped; run the command again to continue'
    case 'copied':
      return [
        `${players} players are in ${at}; later changes are not copied yet`,
        `calls will wait for about ${seconds} s in the final step: run the command again with --finish`,
      ].join('\n')
    case 'different':
      return [...differences, 'these differ, so the move was not completed: the wallets stay on this database'].join(
        '\n',
      )
    case 'ready':
      return [
        ...(totals === undefined
          ? []
          : [
              ...totals.money.map(({ currency, accounts }) => `${currency}: ${accounts} balances are the same`),
              ...totals.bets.map((row) => `${row.bets} ${row.status} bets${formatCurrency(row.currency)} are the same`),
              `${players} players with ${rows} rows were compared; calls waited for ${seconds} s`,
            ]),
        `${at} is ready: start the wallets with that DATABASE_URL. This database accepts no more calls`,
      ].join('\n')
    default:
      return state satisfies never
  }
}

const formatCurrency = (currency: unknown) => (currency === '' ? '' : ` in ${currency}`)

function printStatus(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 10_000

/** Prints progress and remaining time of a round to stderr; a short round prints none. */
function createProgressPrinter(): (unit: string, done: number, of: number) => void {
  let [printedAt, beganAt, last] = [environment.monotonicNow(), environment.monotonicNow(), 0]
  return (unit, done, of) => {
    if (done < last) beganAt = environment.monotonicNow() // the next round
    last = done
    if (environment.monotonicNow() - printedAt < PROGRESS_MS) return
    printedAt = environment.monotonicNow()
    const left = of > done ? ((environment.monotonicNow() - beganAt) / done) * (of - done) : 0
    const how = left > 0 ? `, about ${Math.ceil(left / SECOND_MS)} s left` : ''
    printStatus(`move: ${done.toLocaleString('en')}${of > 0 ? ` of ${of.toLocaleString('en')}` : ''} ${unit}${how}`)
  }
}
