/** `purser import` imports players and their balances from a CSV file (O-8). */

import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import type { Command } from 'commander'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import type { Config } from '../../core/config/config.ts'
import type { Db } from '../../core/database/db.ts'
import { requireRecordedScales } from '../../core/database/schema/currency-scales.ts'
import { recordAndRequireSettings, refuseDifferentSettings } from '../../servers/money-settings.ts'
import { withMigratedDb } from './command-database.ts'
import type { ImportFlags } from './import-runner.ts'

export function addImportCommand(program: Command): void {
  program
    .command('import <file>')
    .description(
      'imports players and their opening balances from a CSV file; after an interruption, run it again to continue',
    )
    .option('--check', 'only check the file and print its errors')
    .option('--person <name>', 'name of the person who imports, for the audit log')
    .option('--reason <text>', 'reason, for the audit log')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'purser import players.csv --check',
        'DATABASE_URL=postgres://… PURSER_CURRENCIES=USD:4 purser import players.csv',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (file: string, flags: ImportFlags) => {
      const { importFile } = await import('./import-runner.ts')
      const result = await withMigratedDb(async (db, config) => {
        await requireCurrencies(db, config, flags)
        return importFile(db, config, file, flags)
      })
      const { known, ...checkSummary } = result
      const verb = flags.check ? 'can be imported' : 'imported'
      const knownText = flags.check ? '' : ` ${known} already here,` // the file alone does not show which players exist
      if (flags.json) printResult(JSON.stringify(flags.check ? checkSummary : result))
      else printResult(`${file}: ${result.imported} ${verb},${knownText} ${result.refused} refused`)
      if (result.refused > 0) process.exitCode = EXIT_CODES.findings
    })
}

/**
 * The file must be read in the scales of the wallet, even for new currencies: another scale is
 * another amount (M-5). Before the first start of a wallet, the import records the scales.
 */
async function requireCurrencies(db: Db, config: Config, { check }: ImportFlags): Promise<void> {
  await requireRecordedScales(db, 'wallet', config.scales)
  const agree = check ? refuseDifferentSettings : recordAndRequireSettings
  await agree(db, 'wallet', config, ['PURSER_CURRENCIES'])
}
