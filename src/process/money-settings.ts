/**
 * The settings that decide about money are kept in the database, by the first server that starts on it. Whoever starts
 * later with others is refused (O-1): two wallets that judge by different rules would both be right, and a new process of
 * a site with a setting forgotten would silently pay otherwise. They change by a command, which says what that means.
 */
import type { Config } from '../config/config.ts'
import type { SettingName } from '../config/settings.ts'
import { type Db, statement } from '../db/db.ts'
import { checkScales, type Keeper } from '../db/scales.ts'
import { OTHERS } from '../operator/second-person.ts'
import { STANDARD_SCALES } from '../protocol/money.ts'
import { WrongUse } from '../runtime/wrong-use.ts'

export type { Keeper }

interface MoneySetting {
  readonly name: SettingName
  configured(config: Config): string
  /** Says for whom this value changes something, and from when on. */
  meaning(wanted: string): string
}

/** The value of a setting that is absent and has no default. */
const NONE = 'none'
const DAY_MS = 86_400_000

const CURRENCIES: MoneySetting = {
  name: 'PURSER_CURRENCIES',
  configured: ({ scales }) =>
    [...scales]
      .filter(([currency, scale]) => STANDARD_SCALES.get(currency) !== scale)
      .map(([currency, scale]) => `${currency}:${scale}`)
      .sort()
      .join(',') || NONE,
  meaning: (wanted) =>
    `amounts are read and stored with ${wanted === NONE ? 'the decimals of ISO 4217, and no other currencies are known' : 'these decimals'}; of a currency in use they cannot change. End every server first: one that goes on reads with the old ones`,
}

const MONEY_SETTINGS: Readonly<Record<Keeper, readonly MoneySetting[]>> = {
  wallet: [
    {
      name: 'PURSER_CLAWBACK',
      configured: ({ clawback }) => clawback,
      meaning: (wanted) =>
        wanted === 'refuse'
          ? 'from now on a lower result that the player has spent is answered 400/21; balances below zero stay, and the audit reports them until they are covered'
          : 'from now on a lower result that the player has spent is taken, and the balance falls below zero',
    },
    {
      name: 'PURSER_RESETTLE_WINDOW',
      configured: ({ resettleWindowMs }) => (resettleWindowMs === null ? NONE : String(resettleWindowMs / DAY_MS)),
      meaning: (wanted) =>
        wanted === NONE
          ? 'from now on no result becomes final; results that were final can be changed again'
          : `from now on a result is final after ${wanted} ${wanted === '1' ? 'day' : 'days'}, also of bets that are settled already`,
    },
    {
      name: 'PURSER_FREEBET_STAKE',
      configured: ({ freebetStake }) => freebetStake,
      meaning: (wanted) =>
        `the stakes of new bets with a bonusId above 0 are paid by the ${wanted === 'player' ? 'player' : 'promotions account'}; bets that are placed keep who paid them`,
    },
    {
      name: 'PURSER_BEHIND_AGGREGATOR',
      configured: ({ behindAggregator }) => String(behindAggregator),
      meaning: (wanted) =>
        `calls are about the player of ${wanted === 'true' ? 'operatorUser' : 'userId'}. Where the two differ, results of bets placed before find no bet`,
    },
    {
      name: 'PURSER_SHARED_BETS',
      configured: ({ sharedBets }) => String(sharedBets),
      meaning: (wanted) =>
        wanted === 'true'
          ? 'from now on results and rollbacks of one platform reach the bets of another one. A bet whose id was taken, and stands as ID@NAME, is not reached any more'
          : 'from now on results and rollbacks of one platform no longer reach the bets of another one',
    },
    {
      name: 'PURSER_APPROVE_ABOVE',
      configured: ({ approveAbove }) =>
        [...approveAbove]
          .map(([currency, amount]) => (currency === OTHERS ? amount : `${currency}:${amount}`))
          .sort()
          .join(',') || NONE,
      meaning: meaningOfApproval,
    },
    {
      name: 'PURSER_COOLING_OFF',
      configured: ({ coolingOff }) => (typeof coolingOff === 'number' ? `${coolingOff}h` : coolingOff),
      meaning: meaningOfCoolingOff,
    },
    CURRENCIES,
  ],
  platform: [CURRENCIES],
}

function meaningOfApproval(wanted: string): string {
  if (wanted === NONE)
    return 'from now on adjustments of any amount are made by one person; those that wait already still need a second one'
  const isForAll = wanted.split(',').some((one) => !one.includes(':'))
  const others = isForAll ? '' : ', and in every other currency all adjustments,'
  return `from now on adjustments of more than this${others} wait for a second person; those that wait already go on waiting`
}

function meaningOfCoolingOff(wanted: string): string {
  if (wanted === NONE)
    return 'from now on a change that lifts an exclusion or raises a limit is made at once; a change that waits is made by the next request for it'
  const condition = wanted === 'second-person' ? 'a second person' : wanted
  return `from now on a change that lifts an exclusion or raises a limit waits for ${condition}; a change that waits already keeps its condition`
}

const TABLES = { wallet: 'purser.setting', platform: 'platform.setting' } as const

const STATEMENTS = {
  wallet: statementsOn('wallet', TABLES.wallet),
  platform: statementsOn('platform', TABLES.platform),
}

function statementsOn(keeper: Keeper, table: string) {
  const insert = `insert into ${table} (name, value) select * from unnest($1::text[], $2::text[])`
  return {
    read: statement(`read_settings_of_${keeper}`, `select name, value from ${table} where name = any($1::text[])`),
    record: statement(`record_settings_of_${keeper}`, `${insert} on conflict (name) do nothing`),
    change: statement(
      `change_settings_of_${keeper}`,
      `${insert} on conflict (name) do update set value = excluded.value`,
    ),
  }
}

export interface Compared {
  readonly name: string
  /** Undefined: no server has started on this database yet. */
  readonly recorded: string | undefined
  readonly configured: string
  /** Says what the configured value changes once it is applied. */
  readonly meaning: string
}

/** Of a command that reads some of the settings only; absent: all. */
type Names = readonly SettingName[] | undefined

export async function compareSettings(
  db: Pick<Db, 'query'>,
  keeper: Keeper,
  config: Config,
  only?: Names,
): Promise<Compared[]> {
  const settings = MONEY_SETTINGS[keeper].filter(({ name }) => only?.includes(name) ?? true)
  const names = settings.map(({ name }) => name)
  const rows = await db.query<{ name: string; value: string }>(STATEMENTS[keeper].read, [names])
  const recorded = new Map(rows.map(({ name, value }) => [name, value]))
  return settings.map((setting) => {
    const [{ name }, configured] = [setting, setting.configured(config)]
    return { name, recorded: recorded.get(name), configured, meaning: setting.meaning(configured) }
  })
}

/** Records what is not recorded yet; throws when this process would judge by other rules than the others. */
export async function requireSettings(db: Db, keeper: Keeper, config: Config, names?: Names): Promise<void> {
  const missing = (await compareSettings(db, keeper, config, names)).filter(({ recorded }) => recorded === undefined)
  if (missing.length > 0) await write(db, STATEMENTS[keeper].record, missing)
  await refuseOtherSettings(db, keeper, config, names)
}

/** Throws when one is recorded and is another one here. Records nothing. */
export async function refuseOtherSettings(db: Db, keeper: Keeper, config: Config, names?: Names): Promise<void> {
  const compared = await compareSettings(db, keeper, config, names)
  const different = compared.filter(isOther)
  if (different.length === 0) return
  const lines = different.map(
    ({ name, recorded, configured }) => `  ${name} is ${configured} here and ${recorded} in the database`,
  )
  throw new WrongUse(
    [
      'settings that decide about money are not those of this database:',
      ...lines,
      `start with the database's, or change them for all processes with: purser settings ${keeper} --apply`,
    ].join('\n'),
  )
}

/**
 * Makes this environment's settings those of the database; throws when a currency in use would get another scale. Processes
 * that run keep theirs until they start again.
 */
export async function changeSettings(db: Db, keeper: Keeper, config: Config): Promise<void> {
  await checkScales(db, keeper, config.scales)
  const compared = await compareSettings(db, keeper, config)
  await write(
    db,
    STATEMENTS[keeper].change,
    compared.filter(({ recorded, configured }) => recorded !== configured),
  )
}

/** What the wallets of this database run with; what is configured when none has started yet. */
export async function recordedClawback(db: Db, config: Config): Promise<Config['clawback']> {
  const compared = await compareSettings(db, 'wallet', config)
  const recorded = compared.find(({ name }) => name === 'PURSER_CLAWBACK')?.recorded
  return recorded === 'refuse' || recorded === 'allow-negative' ? recorded : config.clawback
}

/** What is not recorded yet will be what the first server has. */
export function isOther({ recorded, configured }: Compared): boolean {
  return recorded !== undefined && recorded !== configured
}

async function write(
  db: Db,
  query: (typeof STATEMENTS)[Keeper]['record'],
  settings: readonly Compared[],
): Promise<void> {
  const values = [settings.map(({ name }) => name), settings.map(({ configured }) => configured)]
  await db.transaction((tx) => tx.execute(query, values))
}
