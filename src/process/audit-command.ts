/** `purser audit`: everything that must be true of the books, on the configured database; for a person, or at night. */
import type { Command } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openExistingDb } from '../db/open.ts'
import { EXIT } from './ending.ts'
import { withDb } from './schema-commands.ts'

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('checks every invariant of the ledger, of the bets and of the platform; exit 1 if one is broken')
    .option('--json', 'print the findings as JSON')
    .addHelpText('before', examples('DATABASE_URL=postgres://… purser audit', 'purser audit --json'))
    .addHelpText('after', environment('tool'))
    .action(async ({ json }: { json?: true }) => {
      const { auditAll } = await import('./audit-work.ts')
      const findings = await withDb(openExistingDb, async (db, config) => {
        await requireMigrated(db)
        return auditAll(db, config)
      })
      const isClean = findings.length === 0
      if (json) print(JSON.stringify({ ok: isClean, findings }))
      else if (isClean) print('audit: no findings')
      else for (const { check, row } of findings) print(`${check}: ${JSON.stringify(row)}`)
      if (!isClean) process.exitCode = EXIT.findings
    })
}
