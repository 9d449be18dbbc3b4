/** `purser import`: players and what they had in another wallet, from a CSV file (O-8). */
import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { environment, examples, print } from '../config/help.ts'
import type { Db } from '../db/db.ts'
import { checkScales } from '../db/scales.ts'
import { EXIT } from './ending.ts'
import type { Flags } from './import-work.ts'
import { refuseOtherSettings, requireSettings } from './money-settings.ts'
import { withMigrated } from './with-database.ts'

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
      examples(
        'purser import players.csv --check',
        'DATABASE_URL=postgres://… PURSER_CURRENCIES=USD:4 purser import players.csv',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async (file: string, flags: Flags) => {
      const { importFile } = await import('./import-work.ts')
      const result = await withMigrated(async (db, config) => {
        await requireCurrencies(db, config, flags)
        return importFile(db, config, file, flags)
      })
      const { known, ...told } = result
      const verb = flags.check ? 'can be imported' : 'imported'
      const here = flags.check ? '' : ` ${known} already here,` // the file alone does not say who is
      if (flags.json) print(JSON.stringify(flags.check ? told : result))
      else print(`${file}: ${result.imported} ${verb},${here} ${result.refused} refused`)
      if (result.refused > 0) process.exitCode = EXIT.findings
    })
}

/**
 * The amounts of the file are read and stored in the scales of the wallet, also of currencies that nobody has yet: what this shell has forgotten
 * would be another amount (M-5). Where no wallet has started, the import says what the first one must have.
 */
async function requireCurrencies(db: Db, config: Config, { check }: Flags): Promise<void> {
  await checkScales(db, 'wallet', config.scales)
  const agree = check ? refuseOtherSettings : requireSettings
  await agree(db, 'wallet', config, ['PURSER_CURRENCIES'])
}
