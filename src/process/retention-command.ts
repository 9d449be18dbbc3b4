/** `purser retention`: what the platform no longer needs is counted, and with --apply taken away (O-6). */
import { type Command, InvalidArgumentError } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import type { Db } from '../db/db.ts'
import { isDenied } from '../db/errors.ts'
import { requireMigrated } from '../db/migrate.ts'
import { openExistingDb } from '../db/open.ts'
import { type Amounts, clearOld, countOld } from '../platform/retention.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { EXIT } from './ending.ts'
import { withDb } from './schema-commands.ts'
import { stopSignal } from './stopping.ts'

/** Tokens of yesterday may still be those of users who are in the frame. */
const LEAST_AGE_MS = 86_400_000

interface Flags {
  readonly before: Date
  readonly apply?: true
  readonly json?: true
}

export function addRetentionCommand(program: Command): void {
  program
    .command('retention')
    .description('takes away what the platform no longer needs; bets, deliveries and their money stay')
    .requiredOption('--before <date>', 'what is over since before this day (UTC) or time', toDate)
    .option('--apply', 'take it away; else it is only counted')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://owner@… purser retention --before 2026-08-01',
        'DATABASE_URL=postgres://owner@… purser retention --before 2026-08-01 --apply',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async ({ before, apply, json }: Flags) => {
      const result = await withDb(openExistingDb, (db) => retain(db, before, apply === true))
      print(json ? JSON.stringify({ before: before.toISOString(), ...result }) : describe(before, result))
      if (result.kind === 'applied' && !isNothing(result.left)) process.exitCode = EXIT.findings
    })
}

function toDate(text: string): Date {
  const date = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('It is a day or a time: 2026-08-01, 2026-08-01T12:00:00Z.')
  if (Date.now() - date.getTime() < LEAST_AGE_MS)
    throw new InvalidArgumentError('It must be a day ago: tokens of today may be in use.')
  return date
}

type Result =
  | { readonly kind: 'counted'; readonly found: Amounts }
  | { readonly kind: 'applied'; readonly taken: Amounts; readonly left: Amounts }

async function retain(db: Db, before: Date, apply: boolean): Promise<Result> {
  await requireMigrated(db)
  if (!apply) return { kind: 'counted', found: await countOld(db, before) }
  const taken = await clearOld(db, before, stopSignal()).catch((error: unknown) => {
    if (!isDenied(error)) throw error
    throw new WrongUse('the role of a server may delete nothing: run this as the owner of the tables', { cause: error })
  })
  return { kind: 'applied', taken, left: await countOld(db, before) }
}

function isNothing({ bets, frameSessions, changes }: Amounts): boolean {
  return bets + frameSessions + changes === 0
}

function describe(before: Date, result: Result): string {
  const title = `before ${before.toISOString()}:`
  if (result.kind === 'counted')
    return [title, ...lines(result.found), 'nothing was changed; --apply takes it away'].join('\n')
  const { taken, left } = result
  const end = isNothing(left)
    ? []
    : ['left, because it was being changed or this was stopped; run it again:', ...lines(left)]
  return [`taken away, ${title}`, ...lines(taken), ...end].join('\n')
}

function lines({ bets, attempts, frameSessions, changes }: Amounts): string[] {
  return [
    `  the tokens of ${bets} bets that are over, and ${attempts} answers of partners about them`,
    `  the tokens and profiles of ${frameSessions} frame sessions`,
    `  ${changes} rows of the feed of changes`,
  ]
}
