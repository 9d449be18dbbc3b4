/** `purser audit` checks all invariants of the books in the configured database. */
import { access } from 'node:fs/promises'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { environment } from '@purser/runtime/environment'
import type { Command } from 'commander'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import type { AuditProgress } from '../../wallet/operator-api/audit/wallet-audit.ts'
import { withMigratedDb } from './command-database.ts'

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('checks every invariant of the ledger, of the bets and of the platform; exit 1 if one is broken')
    .option('--changed', 'check only changes since the last clean audit; if there is none, check everything')
    .option('--archive <folder>', 'also check the files of purser archive in this folder')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'before',
      formatExamples('DATABASE_URL=postgres://… purser audit', 'purser audit --changed', 'purser audit --json'),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async ({ changed, archive, json }: { changed?: true; archive?: string; json?: true }) => {
      const { auditBooks } = await import('./audit-runner.ts')
      if (archive !== undefined) await access(archive)
      const findings = await withMigratedDb((db, config) =>
        auditBooks(db, {
          config,
          onlyChanged: changed === true,
          archive,
          printStatus,
          progress: createProgressPrinter(),
        }),
      )
      const isClean = findings.length === 0
      if (json) printResult(JSON.stringify({ ok: isClean, findings }))
      else if (isClean) printResult('audit: no findings')
      else for (const { check, row } of findings) printResult(`${check}: ${JSON.stringify(row)}`)
      if (!isClean) process.exitCode = EXIT_CODES.findings
    })
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 10_000

function printStatus(line: string): void {
  process.stderr.write(`purser: ${line}\n`)
}

/**
 * Prints progress to stderr; a short audit prints none. The time counts from the first rows,
 * because opening the database can take seconds.
 */
function createProgressPrinter(): AuditProgress {
  let printedAt: number | undefined
  return (unit, done, of) => {
    printedAt ??= environment.monotonicNow()
    if (environment.monotonicNow() - printedAt < PROGRESS_MS) return
    printedAt = environment.monotonicNow()
    printStatus(
      `audit: ${done.toLocaleString('en')}${of === undefined ? '' : ` of ${of.toLocaleString('en')}`} ${unit}`,
    )
  }
}
