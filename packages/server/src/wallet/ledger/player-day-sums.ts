/** Sums of the transfers of one UTC day, for each player with transfers on that day. */

import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Db, statement } from '../../core/database/db.ts'
import { buildQuery } from '../../core/database/query-builder.ts'
import { DAY_MS } from './daily-sums.ts'
import type { TransferKind } from './posting.ts'

/** Kinds that change a player's balance. */
export const PLAYER_TRANSFER_KINDS: readonly TransferKind[] = [
  ...(['deposit', 'withdrawal', 'stake', 'refund'] as const),
  ...(['payout', 'payout_reversal', 'adjustment', 'opening'] as const),
]

export interface PlayerDay {
  readonly player: PlayerId
  readonly currency: Currency
  readonly transfers: number
  /** Minor units; positive means a credit to the player. */
  readonly moved: ReadonlyMap<TransferKind, bigint>
  readonly opening: bigint
}

export interface PlayerDayQuery {
  readonly day: Date
  readonly currency: string | undefined
  /** Exclusive position in the order of player and currency. */
  readonly after: readonly [player: string, currency: string] | undefined
  readonly limit: number
}

const EFFECT = "case when credit = 'player' then amount else -amount end"
const sumKindSql = (kind: TransferKind) =>
  `coalesce(sum(${EFFECT}) filter (where kind = '${kind}'), 0)::text as ${kind}`

/** Returns a row if some transfers of the day are in files (O-13). */
const IN_FILES = statement(
  'players_of_day_in_files',
  'select true as some from purser.carried_balance where at >= $1::timestamptz limit 1',
)

type Row = Record<string, unknown> &
  Record<TransferKind, string> & { player: PlayerId; currency: Currency; transfers: number; had: string }

/** One snapshot, ordered by player and currency; undefined if files have some of the transfers. */
export function readPlayerDays(
  db: Pick<Db, 'reportSnapshot'>,
  query: PlayerDayQuery,
): Promise<PlayerDay[] | undefined> {
  const { day, currency, after, limit } = query
  const { statement, values } = buildQuery(
    'players_of_day',
    [day, new Date(day.getTime() + DAY_MS), limit],
    {
      currency: currency === undefined ? undefined : ['currency = ?::text', currency],
      after: after && ['(player, currency) > (?::text, ?::text)', ...after],
    },
    (conditions) =>
      `select player, currency, count(*)::int as transfers, ${PLAYER_TRANSFER_KINDS.map(sumKindSql).join(', ')},
         (array_agg(balance_after - (${EFFECT}) order by version))[1]::text as had
       from purser.transfer where at >= $1::timestamptz and at < $2::timestamptz and (debit = 'player' or credit = 'player')${conditions}
       group by bucket, player, currency order by player, currency limit $3::int`,
  )
  return db.reportSnapshot(async (tx) => {
    const [inFiles] = await tx.query(IN_FILES, [day])
    if (inFiles !== undefined) return undefined
    return (await tx.query<Row>(statement, values)).map(toPlayerDay)
  })
}

function toPlayerDay({ player, currency, transfers, had, ...sums }: Row): PlayerDay {
  const moved = new Map(PLAYER_TRANSFER_KINDS.map((kind) => [kind, BigInt(sums[kind] as string)]))
  return { player, currency, transfers, moved, opening: BigInt(had) }
}
