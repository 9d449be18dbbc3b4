/**
 * Record of the platforms for which a wallet on this database has run.
 *
 * A wallet that starts later must name each recorded platform that has bets (O-1). With another
 * name for the same secret, results would find no bet, and a Rollback would be answered 200 without
 * money (W-43).
 */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Config } from '../core/config/config.ts'
import { type Db, INDEX_PLANS_ONLY, type Queryable, statement, type Tx } from '../core/database/db.ts'

/** Replaces the empty name of the platform without a name. Names have no capitals. */
const NAMELESS = 'PARTNER_SECRET'
const SETTING_PREFIX = 'platform '
/** Stays after the first record, because the last platform may have been ended. */
const RECORDED_MARKER = 'platforms'

const READ_PLATFORMS = statement(
  'read_platforms',
  `select name from purser.setting where name like '${SETTING_PREFIX}%' or name = '${RECORDED_MARKER}' order by name`,
)
const RECORD_PLATFORMS = statement(
  'record_platforms',
  `insert into purser.setting (name, value) select name, 'named' from unnest($1::text[]) as p (name) on conflict (name) do nothing`,
)
const END_PLATFORM = statement('end_platform', 'delete from purser.setting where name = $1::text')

/**
 * The index leads from name to name. Bets of the platform without a name are searched among the
 * oldest and the newest.
 */
const SCANNED_BETS = 1_000
const READ_OF_BETS = statement(
  'read_platforms_of_bets',
  `with recursive named as (
     (select platform from purser.bet where platform <> '' order by platform limit 1)
     union all
     select (select b.platform from purser.bet b where b.platform <> '' and b.platform > n.platform order by b.platform limit 1)
     from named n where n.platform is not null
   )
   select platform from named where platform is not null
   union (select platform from purser.bet where first_seen_at < 'infinity' order by first_seen_at, bucket limit ${SCANNED_BETS})
   union (select platform from purser.bet where first_seen_at < 'infinity' order by first_seen_at desc, bucket desc limit ${SCANNED_BETS})`,
  // Each worker reads all of its index of platforms.
  `(select distinct platform from purser.bet where platform <> '')
   union (select platform from purser.bet where first_seen_at < 'infinity' order by first_seen_at, bucket limit ${SCANNED_BETS})
   union (select platform from purser.bet where first_seen_at < 'infinity' order by first_seen_at desc, bucket desc limit ${SCANNED_BETS})`,
)

/**
 * Throws when a recorded platform with bets has no secret here. Records the platforms with a
 * secret.
 */
export async function requirePlatforms(
  db: Pick<Db, 'query' | 'transaction' | 'reportSnapshot' | 'kind'>,
  { secrets, platformSecrets }: Pick<Config, 'secrets' | 'platformSecrets'>,
): Promise<void> {
  const configured = [
    ...(secrets.length > 0 ? [NAMELESS] : []),
    ...new Set(platformSecrets.map(({ platform }) => platform)),
  ]
  const recorded = await readPlatforms(db)
  if (recorded === undefined) await recordPlatforms(db, await readPlatformsOfBets(db))
  const known = recorded ?? (await readPlatforms(db)) ?? []
  const unnamed = known.filter((name) => !configured.includes(name))
  const withBets = unnamed.length === 0 ? [] : await readPlatformsOfBets(db)
  const missing = unnamed.filter((name) => withBets.includes(name))
  if (missing.length > 0) throw new UsageError(missing.map(explainMissingPlatform).join('\n'))
  const added = configured.filter((name) => !known.includes(name))
  if (added.length > 0) await recordPlatforms(db, added)
}

async function recordPlatforms(db: Pick<Db, 'transaction'>, names: readonly string[]): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(RECORD_PLATFORMS, [[RECORDED_MARKER, ...names.map((name) => SETTING_PREFIX + name)]]),
  )
}

function explainMissingPlatform(name: string): string {
  const [platform, where] =
    name === NAMELESS
      ? ['the platform without a name', 'PARTNER_SECRET is not set']
      : [`the platform ${name}`, `PARTNER_SECRETS does not name it`]
  return `this database has bets of ${platform}, and ${where}: its calls would be rejected, or would find no bet under another name. Set its secret; or, if it will never call again, run as the owner: purser settings wallet --end-platform ${name}`
}

/** Undefined when no platform has been recorded. */
async function readPlatforms(db: Pick<Db, 'query'>): Promise<string[] | undefined> {
  const names = (await db.query<{ name: string }>(READ_PLATFORMS)).map(({ name }) => name)
  if (!names.includes(RECORDED_MARKER)) return undefined
  return names.filter((name) => name !== RECORDED_MARKER).map((name) => name.slice(SETTING_PREFIX.length))
}

/**
 * On Citus the query runs on the connections for reports, because it reads each bucket (shard key):
 * 3 s for 1,024 buckets, even without a bet.
 */
async function readPlatformsOfBets(db: Pick<Db, 'query' | 'reportSnapshot' | 'kind'>): Promise<string[]> {
  const read = (of: Queryable) => of.query<{ platform: string }>(READ_OF_BETS)
  const readWithIndexPlans = async (tx: Tx) => {
    await tx.query(INDEX_PLANS_ONLY)
    return read(tx)
  }
  const rows = await (db.kind === 'citus' ? db.reportSnapshot(readWithIndexPlans) : read(db))
  return rows.map(({ platform }) => platform || NAMELESS)
}

/** True if a wallet was started for the platform, or a bet has its name. */
export async function isKnownPlatform(
  db: Pick<Db, 'query' | 'reportSnapshot' | 'kind'>,
  name: string,
): Promise<boolean> {
  return (await readPlatforms(db))?.includes(name) || (await readPlatformsOfBets(db)).includes(name)
}

/** Later wallets start without the platform. Throws when it is not recorded. */
export async function endPlatform(
  db: Pick<Db, 'query' | 'transaction' | 'reportSnapshot' | 'kind'>,
  name: string,
): Promise<void> {
  if ((await readPlatforms(db)) === undefined) await recordPlatforms(db, await readPlatformsOfBets(db))
  const ended = await db.transaction((tx) => tx.execute(END_PLATFORM, [SETTING_PREFIX + name]))
  if (ended === 0) throw new UsageError(`no wallet of this database was started for a platform ${name}: check the name`)
}
