/** The commands for the owner of the database: its schema, the rights of the servers' roles, the settings that it keeps. */
import type { Command } from 'commander'
import { MAX_BUCKETS, NO_DATABASE } from '../config/config.ts'
import { environment, examples, print } from '../config/help.ts'
import { fixBuckets } from '../db/buckets.ts'
import { BUCKETS_ON_CITUS, distribute, type Spread } from '../db/citus.ts'
import { repairCounters } from '../db/counters.ts'
import type { Db } from '../db/db.ts'
import { migrate } from '../db/migrate.ts'
import { openDb, type StoreConfig } from '../db/open.ts'
import { grantsFor } from '../db/rights.ts'
import { saveRetention } from '../feed/journal-retention.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { GATE_ON_CITUS } from '../wallet/apply/gate-on-citus.ts'
import { type Compared, changeSettings, compareSettings, isOther, type Keeper } from './money-settings.ts'
import { endPlatform } from './platform-names.ts'
import { withDb, withMigrated } from './with-database.ts'

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
    .option('--grant <server=role...>', 'also give roles the rights that these servers need, and no more', toGrants, [])
    .option(
      '--citus [buckets]',
      `also distribute the wallet's tables over the workers of Citus, by so many buckets where the database has no number yet (${BUCKETS_ON_CITUS})`,
    )
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://owner@… purser migrate',
        'DATABASE_URL=postgres://owner@… purser migrate --grant wallet=purser_wallet platform=purser_platform',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async ({ json, grant, citus }: { json?: true; grant: readonly string[]; citus?: true | string }) => {
      const report = await withDb(openToMigrate, async (db, { journalDays }) => {
        const migrated = await migrate(db)
        await saveRetention(db, journalDays, { isGiven: Boolean(process.env.PURSER_JOURNAL_DAYS) })
        const repaired = (await Promise.all(SERVERS.map((server) => repairCounters(db, server)))).flat()
        const spread = citus === undefined ? {} : { citus: await distributed(db, citus) }
        await db.script(async (run) => {
          for (const sql of grant) await run(sql)
        })
        return { ...migrated, ...(repaired.length > 0 && { repaired }), ...spread }
      })
      if (json) return print(JSON.stringify(report))
      print(`schema version ${report.version}; applied: ${report.applied.join(', ') || 'nothing, it was up to date'}`)
      report.repaired?.forEach(print)
      for (const [worker, buckets] of Object.entries(report.citus?.buckets ?? {}))
        print(`${worker}: ${buckets} buckets`)
    })
}

const isNumberOfBuckets = (number: number) => number >= 1 && number <= MAX_BUCKETS

async function distributed(db: Db, wanted: true | string): Promise<Spread> {
  if (wanted !== true && !(/^\d{1,4}$/.test(wanted) && isNumberOfBuckets(Number.parseInt(wanted, 10))))
    throw new WrongUse(`--citus takes a number of buckets from 1 to ${MAX_BUCKETS}`)
  const number = wanted === true ? undefined : Number.parseInt(wanted, 10)
  return distribute(db, await fixBuckets(db, number, BUCKETS_ON_CITUS), GATE_ON_CITUS)
}

/** In production a forgotten setting must not make a database of its own, which nobody will use (O-1). */
async function openToMigrate(store: StoreConfig): Promise<Db> {
  if (store.kind === 'pglite' && process.env.NODE_ENV === 'production') throw new WrongUse(NO_DATABASE)
  return openDb(store)
}

function addGrants(program: Command): void {
  program
    .command('grants <server> <role>')
    .description('prints the SQL with which the owner of the tables gives a role the rights that a server needs')
    .addHelpText('before', examples('purser grants wallet purser_wallet | psql postgres://owner@…'))
    .action((server: string, role: string) => toGrants(`${server}=${role}`).forEach(print))
}

function addSettings(program: Command): void {
  program
    .command('settings <wallet|platform>')
    .description(
      'the settings that decide about money: those of the database beside those of this environment; exit 1 if they differ',
    )
    .option('--apply', "make this environment's those of the database, for every server that starts from now on")
    .option(
      '--end-platform <name>',
      'let wallets start without this platform, which will never call again (PARTNER_SECRET: the one without a name)',
    )
    .option('--json', 'print them as JSON')
    .addHelpText(
      'before',
      examples(
        'DATABASE_URL=postgres://… PURSER_CLAWBACK=allow-negative purser settings wallet',
        'DATABASE_URL=postgres://owner@… PURSER_CLAWBACK=allow-negative purser settings wallet --apply',
      ),
    )
    .addHelpText('after', environment('tool'))
    .action(async (name: string, { apply, json, endPlatform: ended }: SettingsFlags) => {
      const keeper = toKeeper(name)
      if (ended !== undefined) return endOf(ended, keeper)
      const compared = await withMigrated(async (db, config) => {
        const before = await compareSettings(db, keeper, config)
        if (apply) await changeSettings(db, keeper, config)
        return before
      })
      print(json ? JSON.stringify(compared) : describe(compared, apply === true))
      if (!apply && compared.some(isOther)) process.exitCode = 1
    })
}

interface SettingsFlags {
  readonly apply?: true
  readonly json?: true
  readonly endPlatform?: string
}

async function endOf(platform: string, keeper: Keeper): Promise<void> {
  if (keeper !== 'wallet') throw new WrongUse('only a wallet has platforms: purser settings wallet --end-platform NAME')
  await withMigrated((db) => endPlatform(db, platform))
  print(`${platform} has ended: wallets start without it, and results of its bets find none of them`)
}

function toKeeper(name: string): Keeper {
  const keeper = (['wallet', 'platform'] as const).find((one) => one === name)
  if (keeper === undefined) throw new WrongUse(`there are settings of a wallet and of a platform, not of "${name}"`)
  return keeper
}

function describe(compared: readonly Compared[], isApplied: boolean): string {
  const lines = compared.flatMap((setting) => {
    const { name, recorded, configured, meaning } = setting
    if (recorded === configured) return [`${name}: ${recorded}`]
    if (recorded === undefined) return [`${name}: not yet recorded, ${configured} here`]
    return [`${name}: ${recorded} in the database, ${configured} here`, `  ${meaning}`]
  })
  const isChanged = isApplied && compared.some(({ recorded, configured }) => recorded !== configured)
  if (!compared.some(isOther) && !isChanged) return [...lines, 'nothing differs'].join('\n')
  const end = isApplied
    ? 'changed; start every server of this database again with these settings: those that run keep the old ones'
    : 'nothing was changed; --apply makes the settings of this environment those of the database'
  return [...lines, end].join('\n')
}

/** One SQL text for each `server=role`. */
function toGrants(text: string, earlier: readonly string[] = []): readonly string[] {
  const [server = '', role = ''] = text.split(/=(.*)/s)
  const known = SERVERS.find((one) => one === server)
  if (known === undefined || role === '')
    throw new WrongUse('a grant is wallet, platform or gateway, and a role: wallet=purser_wallet')
  return [...earlier, grantsFor(known, role)]
}
