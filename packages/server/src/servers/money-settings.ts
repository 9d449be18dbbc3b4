/**
 * Settings that affect money, such as PURSER_CURRENCIES. The first server that uses a database
 * records its settings there.
 *
 * A server whose settings differ from the recorded ones does not start (O-1). Otherwise a process
 * that lacks a setting would silently pay by other rules. A command changes the recorded settings
 * and explains the consequences.
 */

import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Config } from '../core/config/config.ts'
import type { SettingName } from '../core/config/settings.ts'
import { type Db, statement } from '../core/database/db.ts'
import { type MoneyServer, requireRecordedScales } from '../core/database/schema/currency-scales.ts'
import { OTHER_CURRENCIES } from '../wallet/operator-api/money/dual-approval.ts'

export type { MoneyServer }

interface MoneySetting {
  readonly name: SettingName
  configured(config: Config): string
  /** Sentence about the bets that the value changes, and from when on. */
  meaning(configuredValue: string): string
}

/** Value of an absent setting without a default. */
const NONE = 'none'
const DAY_MS = 86_400_000

const CURRENCY_SETTING: MoneySetting = {
  name: 'PURSER_CURRENCIES',
  configured: ({ scales }) =>
    [...scales]
      .filter(([currency, scale]) => STANDARD_SCALES.get(currency) !== scale)
      .map(([currency, scale]) => `${currency}:${scale}`)
      .sort()
      .join(',') || NONE,
  meaning: (configuredValue) =>
    `amounts are read and stored with ${configuredValue === NONE ? 'the decimals of ISO 4217, and no other currencies are known' : 'these decimals'}; they cannot change for a currency in use. Stop every server first: a running server reads with the old decimals`,
}

const MONEY_SETTINGS: Readonly<Record<MoneyServer, readonly MoneySetting[]>> = {
  wallet: [
    {
      name: 'PURSER_CLAWBACK',
      configured: ({ clawback }) => clawback,
      meaning: (configuredValue) =>
        configuredValue === 'refuse'
          ? 'from now on a lower result that the player has spent is answered 400/21; balances below zero stay, and the audit reports them until they are covered'
          : 'from now on a lower result that the player has spent is taken, and the balance falls below zero',
    },
    {
      name: 'PURSER_RESETTLE_WINDOW',
      configured: ({ resettleWindowMs }) => (resettleWindowMs === null ? NONE : String(resettleWindowMs / DAY_MS)),
      meaning: (configuredValue) =>
        configuredValue === NONE
          ? 'from now on no result becomes final; results that were final can be changed again'
          : `from now on a result is final after ${configuredValue} ${configuredValue === '1' ? 'day' : 'days'}, also of bets that are settled already`,
    },
    {
      name: 'PURSER_FREEBET_STAKE',
      configured: ({ freebetStake }) => freebetStake,
      meaning: (configuredValue) =>
        `the stakes of new bets with a bonusId above 0 are paid by the ${configuredValue === 'player' ? 'player' : 'promotions account'}; existing bets keep their payer`,
    },
    {
      name: 'PURSER_BEHIND_AGGREGATOR',
      configured: ({ behindAggregator }) => String(behindAggregator),
      meaning: (configuredValue) =>
        `calls name their player by ${configuredValue === 'true' ? 'operatorUser' : 'userId'}. Where the two differ, results of earlier bets find no bet`,
    },
    {
      name: 'PURSER_SHARED_BETS',
      configured: ({ sharedBets }) => String(sharedBets),
      meaning: (configuredValue) =>
        configuredValue === 'true'
          ? 'from now on results and rollbacks of one platform reach the bets of another one. A bet that is stored as ID@NAME, because its id was in use, is no longer reached'
          : 'from now on results and rollbacks of one platform no longer reach the bets of another one',
    },
    {
      name: 'PURSER_APPROVE_ABOVE',
      configured: ({ approveAbove }) =>
        [...approveAbove]
          .map(([currency, amount]) => (currency === OTHER_CURRENCIES ? amount : `${currency}:${amount}`))
          .sort()
          .join(',') || NONE,
      meaning: describeApprovalMeaning,
    },
    {
      name: 'PURSER_COOLING_OFF',
      configured: ({ coolingOff }) => (typeof coolingOff === 'number' ? `${coolingOff}h` : coolingOff),
      meaning: meaningOfCoolingOff,
    },
    CURRENCY_SETTING,
  ],
  platform: [CURRENCY_SETTING],
}

function describeApprovalMeaning(configuredValue: string): string {
  if (configuredValue === NONE)
    return 'from now on one person can make adjustments of any amount; pending adjustments still need a second person'
  const isForAll = configuredValue.split(',').some((one) => !one.includes(':'))
  const others = isForAll ? '' : ', and in every other currency all adjustments,'
  return `from now on adjustments of more than this${others} need a second person; pending adjustments stay pending`
}

function meaningOfCoolingOff(configuredValue: string): string {
  if (configuredValue === NONE)
    return 'from now on a change that lifts an exclusion or raises a limit is made at once; the next request for a pending change makes it'
  const condition = configuredValue === 'second-person' ? 'a second person' : configuredValue
  return `from now on a change that lifts an exclusion or raises a limit waits for ${condition}; a pending change keeps its condition`
}

const TABLES = { wallet: 'purser.setting', platform: 'platform.setting' } as const

const STATEMENTS = {
  wallet: createStatements('wallet', TABLES.wallet),
  platform: createStatements('platform', TABLES.platform),
}

function createStatements(server: MoneyServer, table: string) {
  const insert = `insert into ${table} (name, value) select * from unnest($1::text[], $2::text[])`
  return {
    read: statement(`read_settings_of_${server}`, `select name, value from ${table} where name = any($1::text[])`),
    record: statement(`record_settings_of_${server}`, `${insert} on conflict (name) do nothing`),
    change: statement(
      `change_settings_of_${server}`,
      `${insert} on conflict (name) do update set value = excluded.value`,
    ),
  }
}

export interface SettingComparison {
  readonly name: string
  /** Undefined before the first start of a server on this database. */
  readonly recorded: string | undefined
  readonly configured: string
  /** Sentence about the change that the configured value causes. */
  readonly meaning: string
}

/** Names for a command that reads only some settings; undefined means all. */
type SettingNames = readonly SettingName[] | undefined

export async function compareSettings(
  db: Pick<Db, 'query'>,
  server: MoneyServer,
  config: Config,
  only?: SettingNames,
): Promise<SettingComparison[]> {
  const settings = MONEY_SETTINGS[server].filter(({ name }) => only?.includes(name) ?? true)
  const names = settings.map(({ name }) => name)
  const rows = await db.query<{ name: string; value: string }>(STATEMENTS[server].read, [names])
  const recorded = new Map(rows.map(({ name, value }) => [name, value]))
  return settings.map((setting) => {
    const [{ name }, configured] = [setting, setting.configured(config)]
    return { name, recorded: recorded.get(name), configured, meaning: setting.meaning(configured) }
  })
}

/** Records missing settings. Throws when this process has other rules than those recorded. */
export async function recordAndRequireSettings(
  db: Db,
  server: MoneyServer,
  config: Config,
  names?: SettingNames,
): Promise<void> {
  const missing = (await compareSettings(db, server, config, names)).filter(({ recorded }) => recorded === undefined)
  if (missing.length > 0) await writeSettings(db, STATEMENTS[server].record, missing)
  await refuseDifferentSettings(db, server, config, names)
}

/** Throws when a recorded setting differs from this process. Records nothing. */
export async function refuseDifferentSettings(
  db: Db,
  server: MoneyServer,
  config: Config,
  names?: SettingNames,
): Promise<void> {
  const comparisons = await compareSettings(db, server, config, names)
  const different = comparisons.filter(differsFromRecorded)
  if (different.length === 0) return
  const lines = different.map(
    ({ name, recorded, configured }) => `  ${name} is ${configured} here and ${recorded} in the database`,
  )
  throw new UsageError(
    [
      'settings that decide about money differ from the settings in this database:',
      ...lines,
      `start with the settings of the database, or change them for all processes with: purser settings ${server} --apply`,
    ].join('\n'),
  )
}

/**
 * Records the settings of this environment. Throws when a currency in use would get another scale.
 * Running processes keep their settings until they restart.
 */
export async function changeSettings(db: Db, server: MoneyServer, config: Config): Promise<void> {
  await requireRecordedScales(db, server, config.scales)
  const comparisons = await compareSettings(db, server, config)
  await writeSettings(
    db,
    STATEMENTS[server].change,
    comparisons.filter(({ recorded, configured }) => recorded !== configured),
  )
}

/** The recorded value, or the configured one before the first start of a wallet. */
export async function readRecordedClawback(db: Db, config: Config): Promise<Config['clawback']> {
  const comparisons = await compareSettings(db, 'wallet', config)
  const recorded = comparisons.find(({ name }) => name === 'PURSER_CLAWBACK')?.recorded
  return recorded === 'refuse' || recorded === 'allow-negative' ? recorded : config.clawback
}

/** A setting that is not recorded yet does not differ. */
export function differsFromRecorded({ recorded, configured }: SettingComparison): boolean {
  return recorded !== undefined && recorded !== configured
}

async function writeSettings(
  db: Db,
  query: (typeof STATEMENTS)[MoneyServer]['record'],
  settings: readonly SettingComparison[],
): Promise<void> {
  const values = [settings.map(({ name }) => name), settings.map(({ configured }) => configured)]
  await db.transaction((tx) => tx.execute(query, values))
}
