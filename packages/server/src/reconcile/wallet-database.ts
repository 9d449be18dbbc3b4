/** Reads the wallet's bets from its database. */

import { sentBetIdSql } from '@purser/protocol/qualified-bet-id'
import type { Money } from '@purser/protocol/values/money'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Row, statement, type Tx } from '../core/database/db.ts'
import { readBucketCount } from '../core/database/schema/buckets.ts'
import { bucketOf } from '../wallet/store/bucket.ts'
import {
  formatStoredAmount,
  type Pages,
  type Platforms,
  toPlatformRequiredError,
  toWalletIds,
  type WalletSide,
} from './bet-sides.ts'

interface BetRow extends Row {
  bucket: number
  bet_id: string
  own_id: string
  player: string
  status: WalletSide['status']
  currency: string | null
  stake: Money | null
  payout: Money | null
  result_type: string | null
  scale: number | null
}

const SENT_ID = sentBetIdSql('b.bet_id')
const COLUMNS = `b.bucket, ${SENT_ID} as bet_id, b.bet_id as own_id, b.player, b.status, b.currency, b.stake, b.payout, b.result_type, c.scale`
const HAS_NAMES = statement(
  'reconcile_has_names',
  "select exists (select 1 from purser.bet where platform <> '') as has_names",
)
/** A wallet was started for the platform, or a bet has its name. */
const KNOWS_PLATFORM = statement(
  'reconcile_knows_platform',
  `select exists (select from purser.setting where name = 'platform ' || $1::text)
     or exists (select from purser.bet where platform = $1::text and platform <> '') as is_known`,
)
const DECLARE = statement(
  'reconcile_declare_wallet',
  `declare reconcile_wallet no scroll cursor for select ${COLUMNS}
   from purser.bet b left join purser.currency c on c.currency = b.currency
   where $1::text[] is null or b.platform = any($1::text[])
   order by ${SENT_ID} collate "C", b.player collate "C", b.bet_id collate "C"`,
)
const FETCH = statement('reconcile_fetch_wallet', 'fetch 1000 from reconcile_wallet')
const READ = statement(
  'reconcile_read_wallet',
  `select ${COLUMNS} from unnest($1::text[], $2::text[], $4::int[]) as k (player, bet_id, bucket)
   join purser.bet b on b.bucket = k.bucket and b.player = k.player and b.bet_id = k.bet_id
   left join purser.currency c on c.currency = b.currency
   where $3::text[] is null or b.platform = any($3::text[]) order by b.bet_id collate "C"`,
)

/** A misspelt name is an error, because nothing would be compared. */
async function requireKnownPlatforms(tx: Pick<Tx, 'query'>, platforms: Platforms): Promise<void> {
  for (const name of platforms ?? []) {
    const [row] = name === '' ? [{ is_known: true }] : await tx.query<{ is_known: boolean }>(KNOWS_PLATFORM, [name])
    if (!row?.is_known)
      throw new UsageError(
        `no wallet of this database was started for a platform ${name}: give its name in PARTNER_SECRETS`,
      )
  }
}

/** All bets in order, from the snapshot of `tx`. The database sorts them, on disk if necessary. */
export async function* streamWallet(tx: Tx, platforms: Platforms): Pages<WalletSide> & AsyncGenerator<WalletSide[]> {
  const [names] = platforms === undefined ? await tx.query<{ has_names: boolean }>(HAS_NAMES) : []
  if (names?.has_names) throw toPlatformRequiredError()
  await requireKnownPlatforms(tx, platforms)
  await tx.execute(DECLARE, [platforms ?? null])
  for (;;) {
    const rows = await tx.query<BetRow>(FETCH)
    if (rows.length === 0) return
    yield rows.map(rowToWalletSide)
  }
}

/** Player and bet id identify a bet (I-1). */
export interface BetKey {
  readonly player: string
  readonly betId: string
  /** The bucket in which an earlier reading found the bet. */
  readonly bucket?: number | undefined
}

/**
 * Current state of some bets, each once. A row outside its player's bucket is read where it was
 * found.
 */
export async function readWallet(
  db: Pick<Tx, 'query'>,
  keys: readonly BetKey[],
  platforms: Platforms,
): Promise<WalletSide[]> {
  const buckets = await readBucketCount(db)
  const all = keys.flatMap(({ player, betId, bucket = bucketOf(player, buckets) }) =>
    toWalletIds(betId, platforms).flatMap((id) =>
      [bucket, bucketOf(player, buckets)].map((place) => ({ player, id, place })),
    ),
  )
  const places = [...new Map(all.map((location) => [JSON.stringify(location), location])).values()]
  const values = [
    ...[places.map(({ player }) => player), places.map(({ id }) => id), platforms ?? null],
    places.map(({ place }) => place),
  ]
  return (await db.query<BetRow>(READ, values)).map(rowToWalletSide)
}

function rowToWalletSide(row: BetRow): WalletSide {
  const { bucket, bet_id: betId, own_id: ownId, player, status, currency, stake, payout, result_type: resultType } = row
  const formatAmount = (amount: Money | null) => (amount === null ? null : formatStoredAmount(row, amount))
  return {
    bucket,
    betId,
    ownId,
    player,
    status,
    currency,
    stake: formatAmount(stake),
    payout: formatAmount(payout),
    resultType,
  }
}
