/** `purser import`: players and what they had in another wallet, from a CSV file (O-8). */
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { environment, examples, print } from '../config/help.ts'
import { fixBuckets } from '../db/buckets.ts'
import type { Db } from '../db/db.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openExistingDb } from '../db/open.ts'
import { checkScales } from '../db/scales.ts'
import { type ImportRow, importRows } from '../operator/import.ts'
import { readPlayers } from '../operator/import-file.ts'
import { authorOfCommand } from '../people/actions.ts'
import { systemClock } from '../runtime/clock.ts'
import { EXIT } from './ending.ts'
import { withDb } from './schema-commands.ts'

interface Flags {
  readonly check?: true
  readonly person?: string
  readonly reason?: string
  readonly json?: true
}

interface Result {
  imported: number
  known: number
  refused: number
}

/** Players of one transaction. */
const SLICE = 500

export function addImportCommand(program: Command): void {
  program
    .command('import <file>')
    .description('players and their opening balances from a CSV file; run it again to go on where it broke off')
    .option('--check', 'only read the file and say what is wrong with it')
    .option('--person <name>', 'who imports, for the action log')
    .option('--reason <text>', 'why, for the action log')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      examples('purser import players.csv --check', 'DATABASE_URL=postgres://… purser import players.csv'),
    )
    .addHelpText('after', environment('tool'))
    .action(async (file: string, flags: Flags) => {
      const result = await withDb(openExistingDb, async (db, config) => {
        await requireMigrated(db)
        await checkScales(db, 'wallet', config.scales)
        return importFile(db, config, file, flags)
      })
      const verb = flags.check ? 'can be imported' : 'imported'
      if (flags.json) print(JSON.stringify(result))
      else print(`${file}: ${result.imported} ${verb}, ${result.known} already here, ${result.refused} refused`)
      if (result.refused > 0) process.exitCode = EXIT.findings
    })
}

async function importFile(db: Db, { scales, buckets: wanted }: Config, file: string, flags: Flags): Promise<Result> {
  const buckets = await fixBuckets(db, wanted)
  const result: Result = { imported: 0, known: 0, refused: 0 }
  const refuse = (line: number, reason: string) => {
    result.refused++
    process.stderr.write(`${file}:${line}: ${reason}\n`)
  }
  const { person = null, reason = null } = flags
  const authorOf = () =>
    authorOfCommand('purser', {
      command: 'purser import',
      operation: 'importPlayers',
      person,
      reason,
      id: randomUUID(),
    })
  const take = async (rows: readonly ImportRow[]) => {
    if (flags.check) {
      result.imported += rows.length
      return
    }
    const { imported, known, refused } = await importRows(
      { db, buckets, scales, now: systemClock.now() },
      authorOf,
      rows,
    )
    result.imported += imported
    result.known += known
    for (const { line, reason } of refused) refuse(line, reason)
    if (process.stderr.isTTY) process.stderr.write(`\r${result.imported + result.known} `)
  }
  let slice: ImportRow[] = []
  for await (const line of readPlayers({ clock: systemClock, buckets, scales }, file)) {
    if (line.kind === 'fault') refuse(line.line, line.reason)
    else slice.push(line.row)
    if (slice.length < SLICE) continue
    await take(slice)
    slice = []
  }
  if (slice.length > 0) await take(slice)
  if (process.stderr.isTTY) process.stderr.write('\r')
  return result
}
