/** `purser audit`: everything that must be true of the books, on the configured database; for a person, or at night. */
import { access } from 'node:fs/promises'
import type { Command } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import type { Progress } from '../operator/audit.ts'
import { world } from '../runtime/world.ts'
import { EXIT } from './ending.ts'
import { withMigrated } from './with-database.ts'

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('checks every invariant of the ledger, of the bets and of the platform; exit 1 if one is broken')
    .option('--changed', 'only what changed since the last audit that was clean; everything when there is none')
    .option('--archive <folder>', 'also the files of purser archive, which are there')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'before',
      examples('DATABASE_URL=postgres://… purser audit', 'purser audit --changed', 'purser audit --json'),
    )
    .addHelpText('after', environment('tool'))
    .action(async ({ changed, archive, json }: { changed?: true; archive?: string; json?: true }) => {
      const { auditAll } = await import('./audit-work.ts')
      if (archive !== undefined) await access(archive)
      const findings = await withMigrated((db, config) =>
        auditAll(db, { config, onlyChanged: changed === true, archive, say, progress: progressLines() }),
      )
      const isClean = findings.length === 0
      if (json) print(JSON.stringify({ ok: isClean, findings }))
      else if (isClean) print('audit: no findings')
      else for (const { check, row } of findings) print(`${check}: ${JSON.stringify(row)}`)
      if (!isClean) process.exitCode = EXIT.findings
    })
}

/** Milliseconds between two lines about how far it is. */
const PROGRESS_MS = 10_000

function say(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

/**
 * Standard error shows how far the audit is; a short audit prints nothing. The time counts from
 * the first rows, because the schema alone can take seconds.
 */
function progressLines(): Progress {
  let saidAt: number | undefined
  return (what, done, of) => {
    saidAt ??= world.elapsed()
    if (world.elapsed() - saidAt < PROGRESS_MS) return
    saidAt = world.elapsed()
    say(`audit: ${done.toLocaleString('en')}${of === undefined ? '' : ` of ${of.toLocaleString('en')}`} ${what}`)
  }
}
