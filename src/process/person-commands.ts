/** `purser export-player` and `purser erase-player`: all that a wallet knows of one person, and the end of it (O-9, O-10). */
import type { Command } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import { fixBuckets } from '../db/buckets.ts'
import type { Db } from '../db/db.ts'
import { readScales } from '../db/scales.ts'
import { Problem } from '../http/problem.ts'
import type { ExportLine } from '../operator/export.ts'
import { systemClock } from '../runtime/clock.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { writeLines } from './stopping.ts'
import { withMigrated } from './with-database.ts'

interface Flags {
  readonly apply?: true
  readonly person?: string
  readonly reason?: string
}

export function addPersonCommands(program: Command): void {
  program
    .command('export-player <userId>')
    .description('all that the wallet knows of one person, a line of JSON each')
    .addHelpText('before', examples('DATABASE_URL=postgres://… purser export-player alice > alice.ndjson'))
    .addHelpText('after', environment('tool'))
    .action((userId: string) => withWallet((db, buckets) => exportTo(db, buckets, userId)))
  program
    .command('erase-player <userId>')
    .description("a person's data: profile, sessions and calls go, the ledger stays under a pseudonym")
    .option('--apply', 'erase it, for good; else only say whether it can be')
    .option('--person <name>', 'who erases, for the action log')
    .option('--reason <text>', 'why, for the action log')
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://owner@… purser erase-player alice --apply --person maria --reason "request 4711"',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action((userId: string, flags: Flags) => withWallet((db, buckets) => erase(db, buckets, userId, flags)))
}

function withWallet(work: (db: Db, buckets: number) => Promise<void>): Promise<void> {
  return withMigrated(async (db, { buckets }) => work(db, await fixBuckets(db, buckets))).catch((error: unknown) => {
    if (error instanceof Problem) throw new WrongUse(error.message, { cause: error })
    throw error
  })
}

async function exportTo(db: Db, buckets: number, userId: string): Promise<void> {
  const { exportPlayer } = await import('../operator/export.ts')
  const deps = { db, clock: systemClock, buckets, scales: await readScales(db, 'wallet') }
  await writeLines(linesOf(exportPlayer(deps, userId)))
}

async function* linesOf(objects: AsyncIterable<ExportLine>): AsyncGenerator<string> {
  let isArchived = false
  for await (const one of objects) {
    isArchived ||= one.kind === 'archived'
    yield `${JSON.stringify(one)}\n`
  }
  if (isArchived)
    process.stderr.write(`purser: not all of it is here: what the lines of kind "archived" say lies in files\n`)
}

async function erase(db: Db, buckets: number, userId: string, flags: Flags): Promise<void> {
  const [{ erasePlayer, mayErase }, { ERASURE }, { authorOfCommand }] = await Promise.all([
    import('../operator/erasure.ts'),
    import('../operator/name-hold.ts'),
    import('../people/actions.ts'),
  ])
  if (!flags.apply) {
    const isThere = await mayErase({ db, buckets }, userId)
    print(
      isThere
        ? `${userId} can be erased: nothing was changed; --apply erases what export-player shows, for good`
        : `${userId} is no player here; --apply erases what calls and changes are left, for good`,
    )
    return
  }
  const { pseudonym, calls, rowsOfFeed } = await erasePlayer(
    { db, buckets, now: systemClock.now() },
    authorOfCommand('purser', 'purser erase-player', ERASURE, flags),
    userId,
  )
  const who = pseudonym === undefined ? `${userId} is no player here` : `${userId} is ${pseudonym} now`
  print(`${who}; ${calls} calls are out of the journal, ${rowsOfFeed} rows of the feed are changed`)
}
