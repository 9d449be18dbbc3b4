/** `purser retention`: what platform and wallet no longer need is counted, and with --apply taken away (O-6). */
import { type Command, InvalidArgumentError } from 'commander'
import { environment, examples, print } from '../config/help.ts'
import type { Db } from '../db/db.ts'
import { isDenied } from '../db/errors.ts'
import { clearOldChanges, countOldChanges } from '../feed/retention.ts'
import { clearEndedSessions, countEndedSessions } from '../people/old-sessions.ts'
import { type Amounts, clearOld, countOld } from '../platform/retention.ts'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { WALLET_CHANGES } from '../wallet/store/change.ts'
import { EXIT } from './ending.ts'
import { stopSignal } from './stopping.ts'
import { withMigrated } from './with-database.ts'

/** Tokens of yesterday may still be those of users who are in the frame. */
const LEAST_AGE_MS = 86_400_000

interface Flags {
  readonly before?: Date
  readonly keepDays?: Date
  readonly apply?: true
  readonly json?: true
}

export function addRetentionCommand(program: Command): void {
  program
    .command('retention')
    .description('takes away what platform and wallet no longer need; bets, deliveries and their money stay')
    .option('--before <date>', 'what is over since before this day (UTC) or time', toDate)
    .option('--keep-days <days>', 'the same by its age, for a timer: what is over for longer than so many days', toAge)
    .option('--apply', 'take it away; else it is only counted')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://owner@… purser retention --before 2026-08-01',
        'DATABASE_URL=postgres://owner@… purser retention --before 2026-08-01 --apply',
        'DATABASE_URL=postgres://owner@… purser retention --keep-days 90 --apply',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async ({ before: day, keepDays, apply, json }: Flags) => {
      const before = day ?? keepDays
      if (before === undefined || (day && keepDays)) throw new WrongUse('give either --before or --keep-days')
      const result = await withMigrated((db) => retain(db, before, apply === true))
      print(json ? JSON.stringify({ before: before.toISOString(), ...result }) : describe(before, result))
      if (result.kind === 'applied' && !isNothing(result.left)) process.exitCode = EXIT.findings
    })
}

function toDate(text: string): Date {
  const date = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('It is a day or a time: 2026-08-01, 2026-08-01T12:00:00Z.')
  if (world.wall() - date.getTime() < LEAST_AGE_MS)
    throw new InvalidArgumentError('It must be a day ago: tokens of today may be in use.')
  return date
}

const MAX_DAYS = 3_650
const DAY_MS = 86_400_000

function toAge(text: string): Date {
  const days = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (days < 1 || days > MAX_DAYS) throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_DAYS}.`)
  return new Date(world.wall() - days * DAY_MS)
}

interface All extends Amounts {
  /** Rows of the wallet's feed; `changes` are the platform's. */
  readonly walletChanges: number
  /** Of both consoles. */
  readonly consoleSessions: number
}

type Result =
  | { readonly kind: 'counted'; readonly found: All }
  | { readonly kind: 'applied'; readonly taken: All; readonly left: All }

async function countAll(db: Db, before: Date): Promise<All> {
  const [walletChanges, consoleSessions] = await db.snapshot(async (tx) => [
    await countOldChanges(tx, WALLET_CHANGES, before),
    await countEndedSessions(tx, before),
  ])
  return { ...(await countOld(db, before)), walletChanges, consoleSessions }
}

async function clearAll(db: Db, before: Date, signal: AbortSignal): Promise<All> {
  const amounts = await clearOld(db, before, signal)
  const walletChanges = await clearOldChanges(db, WALLET_CHANGES, before, signal)
  return { ...amounts, walletChanges, consoleSessions: await clearEndedSessions(db, before, signal) }
}

async function retain(db: Db, before: Date, apply: boolean): Promise<Result> {
  if (!apply) return { kind: 'counted', found: await countAll(db, before) }
  const taken = await clearAll(db, before, stopSignal()).catch((error: unknown) => {
    if (!isDenied(error)) throw error
    throw new WrongUse('the role of a server may delete nothing: run this as the owner of the tables', { cause: error })
  })
  return { kind: 'applied', taken, left: await countAll(db, before) }
}

function isNothing({ bets, frameSessions, changes, walletChanges, retries, consoleSessions }: All): boolean {
  return bets + frameSessions + changes + walletChanges + retries + consoleSessions === 0
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

function lines({ bets, attempts, frameSessions, changes, walletChanges, retries, consoleSessions }: All): string[] {
  return [
    `  ${attempts} answers of partners about ${bets} bets that are over, and what tokens these still have`,
    `  the tokens and profiles of ${frameSessions} frame sessions`,
    `  ${changes} rows of the platform's feed of changes, ${walletChanges} of the wallet's`,
    `  ${retries} retries of deliveries, ${consoleSessions} sessions of the consoles that have ended`,
  ]
}
