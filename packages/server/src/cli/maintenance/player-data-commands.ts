/**
 * `purser export-player` exports all data of a player (O-9), and `purser erase-player` erases the
 * personal data (O-10).
 */

import { systemClock } from '@purser/runtime/clock'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { writeToStdout } from '@purser/runtime/command/stop-signals'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Command } from 'commander'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import type { Db } from '../../core/database/db.ts'
import { recordBucketCount } from '../../core/database/schema/buckets.ts'
import { readRecordedScales } from '../../core/database/schema/currency-scales.ts'
import { Problem } from '../../core/http/api/problem-details.ts'
import type { ExportLine } from '../../wallet/operator-api/players/player-export.ts'
import { withMigratedDb } from './command-database.ts'

interface Flags {
  readonly apply?: true
  readonly person?: string
  readonly reason?: string
}

export function addPlayerDataCommands(program: Command): void {
  program
    .command('export-player <userId>')
    .description('exports all data of one player, one JSON object per line')
    .addHelpText('before', formatExamples('DATABASE_URL=postgres://… purser export-player alice > alice.ndjson'))
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action((userId: string) => withWallet((db, buckets) => exportToStdout(db, buckets, userId)))
  program
    .command('erase-player <userId>')
    .description(
      'erases the personal data of a player: profile, sessions and calls; the ledger stays under a pseudonym',
    )
    .option('--apply', 'erase the data permanently; without it, only check whether the data can be erased')
    .option('--person <name>', 'name of the person who erases, for the audit log')
    .option('--reason <text>', 'reason, for the audit log')
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://owner@… purser erase-player alice --apply --person maria --reason "request 4711"',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action((userId: string, flags: Flags) => withWallet((db, buckets) => eraseOrCheck(db, buckets, userId, flags)))
}

function withWallet(work: (db: Db, buckets: number) => Promise<void>): Promise<void> {
  return withMigratedDb(async (db, { buckets }) => work(db, await recordBucketCount(db, buckets))).catch(
    (error: unknown) => {
      if (error instanceof Problem) throw new UsageError(error.message, { cause: error })
      throw error
    },
  )
}

async function exportToStdout(db: Db, buckets: number, userId: string): Promise<void> {
  const { exportPlayer } = await import('../../wallet/operator-api/players/player-export.ts')
  const deps = { db, clock: systemClock, buckets, scales: await readRecordedScales(db, 'wallet') }
  await writeToStdout(formatLines(exportPlayer(deps, userId)))
}

async function* formatLines(objects: AsyncIterable<ExportLine>): AsyncGenerator<string> {
  let isArchived = false
  for await (const one of objects) {
    isArchived ||= one.kind === 'archived'
    yield `${JSON.stringify(one)}\n`
  }
  if (isArchived)
    process.stderr.write(
      `purser: the export is not complete: lines of kind "archived" refer to data in archive files\n`,
    )
}

async function eraseOrCheck(db: Db, buckets: number, userId: string, flags: Flags): Promise<void> {
  const [{ erasePlayer, canErasePlayer }, { ERASURE_OPERATION }, { createCommandActor }] = await Promise.all([
    import('../../wallet/operator-api/players/player-erasure.ts'),
    import('../../wallet/operator-api/players/user-id-lock.ts'),
    import('../../core/auth/audit-log/audit-log.ts'),
  ])
  if (!flags.apply) {
    const isThere = await canErasePlayer({ db, buckets }, userId)
    printResult(
      isThere
        ? `${userId} can be erased: nothing was changed; --apply permanently erases the data that export-player shows`
        : `${userId} is not a player here; --apply permanently erases the remaining calls and changes`,
    )
    return
  }
  const { pseudonym, calls, rowsOfFeed } = await erasePlayer(
    { db, buckets, now: systemClock.now() },
    createCommandActor('purser', 'purser erase-player', ERASURE_OPERATION, flags),
    userId,
  )
  const who = pseudonym === undefined ? `${userId} is not a player here` : `${userId} is ${pseudonym} now`
  printResult(`${who}; ${calls} calls were removed from the journal, ${rowsOfFeed} rows of the feed were changed`)
}
