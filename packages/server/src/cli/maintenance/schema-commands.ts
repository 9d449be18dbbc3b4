/** Commands for the owner of the database tables: migrations, grants and recorded settings. */

import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Command } from 'commander'
import { saveJournalRetention } from '../../core/call-journal/journal-retention.ts'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import { MAX_BUCKETS, NO_DATABASE } from '../../core/config/config.ts'
import { type DatabaseConfig, openDb } from '../../core/database/database-factory.ts'
import type { Db } from '../../core/database/db.ts'
import { BUCKETS_ON_CITUS, type BucketDistribution, distributeTables } from '../../core/database/postgres/citus.ts'
import { recordBucketCount } from '../../core/database/schema/buckets.ts'
import { formatGrants } from '../../core/database/schema/database-privileges.ts'
import { migrateSchema } from '../../core/database/schema/schema-migration.ts'
import { repairCounters } from '../../core/database/schema/sequence-repair.ts'
import {
  changeSettings,
  compareSettings,
  differsFromRecorded,
  type MoneyServer,
  type SettingComparison,
} from '../../servers/money-settings.ts'
import { endPlatform } from '../../servers/recorded-platforms.ts'
import { CITUS_FAST_PATH } from '../../wallet/queue/citus-fast-path.ts'
import { withDb, withMigratedDb } from './command-database.ts'

const SERVERS = ['wallet', 'platform', 'gateway'] as const

export function addSchemaCommands(program: Command): void {
  addMigrate(program)
  addGrants(program)
  addSettings(program)
}

function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('creates or updates the schema of the configured database')
    .option('--json', 'print the result as JSON')
    .option(
      '--grant <server=role...>',
      'also grant each role the rights that its server needs, and no others',
      parseGrants,
      [],
    )
    .option(
      '--citus [buckets]',
      `also distribute the wallet's tables over the workers of Citus; a new database gets this number of buckets (${BUCKETS_ON_CITUS})`,
    )
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://owner@… purser migrate',
        'DATABASE_URL=postgres://owner@… purser migrate --grant wallet=purser_wallet platform=purser_platform',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async ({ json, grant, citus }: { json?: true; grant: readonly string[]; citus?: true | string }) => {
      const report = await withDb(openToMigrate, async (db, { journalDays }) => {
        const migrated = await migrateSchema(db)
        await saveJournalRetention(db, journalDays, { isGiven: Boolean(process.env.PURSER_JOURNAL_DAYS) })
        const repaired = (await Promise.all(SERVERS.map((server) => repairCounters(db, server)))).flat()
        const distribution = citus === undefined ? {} : { citus: await distributeOverCitus(db, citus) }
        await db.script(async (run) => {
          for (const sql of grant) await run(sql)
        })
        return { ...migrated, ...(repaired.length > 0 && { repaired }), ...distribution }
      })
      if (json) return printResult(JSON.stringify(report))
      printResult(
        `schema version ${report.version}; applied: ${report.applied.join(', ') || 'nothing, it was up to date'}`,
      )
      report.repaired?.forEach(printResult)
      for (const [worker, buckets] of Object.entries(report.citus?.buckets ?? {}))
        printResult(`${worker}: ${buckets} buckets`)
    })
}

const isNumberOfBuckets = (number: number) => number >= 1 && number <= MAX_BUCKETS

async function distributeOverCitus(db: Db, requested: true | string): Promise<BucketDistribution> {
  if (requested !== true && !(/^\d{1,4}$/.test(requested) && isNumberOfBuckets(Number.parseInt(requested, 10))))
    throw new UsageError(`--citus takes a number of buckets from 1 to ${MAX_BUCKETS}`)
  const number = requested === true ? undefined : Number.parseInt(requested, 10)
  return distributeTables(db, await recordBucketCount(db, number, BUCKETS_ON_CITUS), CITUS_FAST_PATH)
}

/** In production a missing setting must not create an unused embedded database (O-1). */
async function openToMigrate(store: DatabaseConfig): Promise<Db> {
  if (store.kind === 'pglite' && process.env.NODE_ENV === 'production') throw new UsageError(NO_DATABASE)
  return openDb(store)
}

function addGrants(program: Command): void {
  program
    .command('grants <server> <role>')
    .description('prints the SQL that grants a role the rights of a server; the owner of the tables runs it')
    .addHelpText('before', formatExamples('purser grants wallet purser_wallet | psql postgres://owner@…'))
    .action((server: string, role: string) => parseGrants(`${server}=${role}`).forEach(printResult))
}

function addSettings(program: Command): void {
  program
    .command('settings <wallet|platform>')
    .description(
      'compares the money settings of this environment with the settings in the database; exit 1 if they differ',
    )
    .option('--apply', "record this environment's settings in the database, for every server that starts from now on")
    .option(
      '--end-platform <name>',
      'let wallets start without this platform, which will never call again (PARTNER_SECRET: the unnamed platform)',
    )
    .option('--json', 'print them as JSON')
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://… PURSER_CLAWBACK=allow-negative purser settings wallet',
        'DATABASE_URL=postgres://owner@… PURSER_CLAWBACK=allow-negative purser settings wallet --apply',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (name: string, { apply, json, endPlatform: ended }: SettingsFlags) => {
      const moneyServer = parseMoneyServer(name)
      if (ended !== undefined) return endRecordedPlatform(ended, moneyServer)
      const comparisons = await withMigratedDb(async (db, config) => {
        const before = await compareSettings(db, moneyServer, config)
        if (apply) await changeSettings(db, moneyServer, config)
        return before
      })
      printResult(json ? JSON.stringify(comparisons) : describe(comparisons, apply === true))
      if (!apply && comparisons.some(differsFromRecorded)) process.exitCode = 1
    })
}

interface SettingsFlags {
  readonly apply?: true
  readonly json?: true
  readonly endPlatform?: string
}

async function endRecordedPlatform(platform: string, moneyServer: MoneyServer): Promise<void> {
  if (moneyServer !== 'wallet')
    throw new UsageError('only a wallet has platforms: purser settings wallet --end-platform NAME')
  await withMigratedDb((db) => endPlatform(db, platform))
  printResult(`${platform} has ended: wallets start without it, and results of its bets find no bet`)
}

function parseMoneyServer(name: string): MoneyServer {
  const moneyServer = (['wallet', 'platform'] as const).find((one) => one === name)
  if (moneyServer === undefined)
    throw new UsageError(`"${name}" has no settings that decide about money: use wallet or platform`)
  return moneyServer
}

function describe(comparisons: readonly SettingComparison[], isApplied: boolean): string {
  const lines = comparisons.flatMap((setting) => {
    const { name, recorded, configured, meaning } = setting
    if (recorded === configured) return [`${name}: ${recorded}`]
    if (recorded === undefined) return [`${name}: not yet recorded, ${configured} here`]
    return [`${name}: ${recorded} in the database, ${configured} here`, `  ${meaning}`]
  })
  const isChanged = isApplied && comparisons.some(({ recorded, configured }) => recorded !== configured)
  if (!comparisons.some(differsFromRecorded) && !isChanged) return [...lines, 'nothing differs'].join('\n')
  const end = isApplied
    ? 'changed; restart every server of this database with these settings: running servers keep the old ones'
    : 'nothing was changed; --apply records the settings of this environment in the database'
  return [...lines, end].join('\n')
}

/** Appends the SQL for one `server=role`. */
function parseGrants(text: string, earlier: readonly string[] = []): readonly string[] {
  const [server = '', role = ''] = text.split(/=(.*)/s)
  const known = SERVERS.find((one) => one === server)
  if (known === undefined || role === '')
    throw new UsageError('a grant names a server (wallet, platform or gateway) and a role, as in wallet=purser_wallet')
  return [...earlier, formatGrants(known, role)]
}
