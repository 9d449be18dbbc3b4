/** `purser import`: players and what they had in another wallet, from a CSV file (O-8). */
import type { Command } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openExistingDb } from '../db/open.ts'
import { checkScales } from '../db/scales.ts'
import { EXIT } from './ending.ts'
import type { Flags } from './import-work.ts'
import { withDb } from './schema-commands.ts'

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
      const { importFile } = await import('./import-work.ts')
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
