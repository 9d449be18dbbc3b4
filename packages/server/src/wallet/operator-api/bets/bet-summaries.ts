/**
 * Short views of bets: the selections of the bets in a list, and the bet that a line of a statement
 * belongs to. The caller must request them, because each bet costs two lookups.
 */

import { parseSelections } from '@purser/protocol/bet-description'
import type { BetId, PlayerId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { renderSelections, selectionMembers } from '../../../core/http/bet-selections.ts'
import { BET_COLUMNS, type BetRow } from '../../store/bet-store.ts'
import { bucketOf } from '../../store/bucket.ts'
import { formatAmount, type OperatorDeps } from '../operator-context.ts'
import { WalletBetStatusSchema } from '../operator-schemas.ts'

const optional = Type.Optional

/** Bytes as stored; longer details are not read for a list. */
const MAX_DETAILS = 8_192

export const selectionProperties = selectionMembers(
  'The selections of the Place bet. They are absent if the call had none, or if its description is archived or too long for a list.',
)

export const LineBetSchema = Type.Object(
  {
    status: WalletBetStatusSchema,
    payout: optional(Type.String({ pattern: '^\\d+(\\.\\d+)?$' })),
    resultType: optional(Type.Enum(['won', 'lost', 'refund', 'cashout'])),
    ...selectionProperties,
  },
  { description: "Present with `bets=true` on a line that belongs to a bet: the bet's current status and selections." },
)

const DETAILS_IF_SHORT = `case when pg_column_size(details) <= ${MAX_DETAILS} then details end as details`
const READ = statement(
  'operator_read_described_bets',
  `select b.*, d.details from unnest($1::int[], $2::text[], $3::text[]) as k (bucket, player, bet_id)
   cross join lateral (
     select ${BET_COLUMNS} from purser.bet
     where bucket = k.bucket and bet_id = k.bet_id and player = k.player limit 1
   ) b
   left join lateral (
     select ${DETAILS_IF_SHORT} from purser.bet_details
     where bucket = k.bucket and first_seen_at = b.first_seen_at and bet_id = k.bet_id and player = k.player limit 1
   ) d on true`,
  `select b.*, d.details
   from (
     select bucket, ${BET_COLUMNS} from purser.bet
     where bucket = any($1::int[]) and (player, bet_id) in (select * from unnest($2::text[], $3::text[]))
   ) b
   left join (select bucket, first_seen_at, bet_id, player, ${DETAILS_IF_SHORT} from purser.bet_details) d
     on d.bucket = b.bucket and d.first_seen_at = b.first_seen_at and d.bet_id = b.bet_id and d.player = b.player`,
)

type Key = Pick<BetRow, 'player' | 'bet_id'>
type BetSummaryRow = BetRow & { readonly details: unknown }

export async function readBetSummaries(
  deps: OperatorDeps,
  bets: readonly Key[],
): Promise<(bet: Key) => BetSummaryRow | undefined> {
  const keys = new Map(bets.map((bet) => [keyOf(bet), bet]))
  if (keys.size === 0) return () => undefined
  const rows = await deps.db.userQueries.query<BetSummaryRow>(READ, toBetKeyColumns(deps, [...keys.values()]))
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return (bet) => found.get(keyOf(bet))
}

/** Three arrays: buckets, players and bet ids. */
export function toBetKeyColumns({ buckets }: Pick<OperatorDeps, 'buckets'>, bets: readonly Key[]): unknown[][] {
  return [
    bets.map(({ player }) => bucketOf(player, buckets)),
    bets.map(({ player }) => player),
    bets.map(({ bet_id }) => bet_id),
  ]
}

const keyOf = ({ player, bet_id }: Key) => JSON.stringify([player, bet_id])

export function renderBetSelections({ details }: Pick<BetSummaryRow, 'details'>) {
  const { metadata } = (details ?? {}) as { metadata?: unknown }
  return renderSelections(parseSelections(metadata))
}

interface Line {
  readonly player: PlayerId
  readonly betId?: BetId | undefined
}

/** Returns a lookup of the bets of those lines that have one. */
export async function readLineBets(deps: OperatorDeps, lines: readonly Line[]) {
  const find = await readBetSummaries(
    deps,
    lines.flatMap(({ player, betId }) => (betId === undefined ? [] : [{ player, bet_id: betId }])),
  )
  return ({ player, betId }: Line): { bet?: Static<typeof LineBetSchema> } => {
    const row = betId && find({ player, bet_id: betId })
    return row === undefined ? {} : { bet: renderLineBet(deps, row) }
  }
}

function renderLineBet(deps: OperatorDeps, row: BetSummaryRow): Static<typeof LineBetSchema> {
  const { status, payout, result_type, currency } = row
  return {
    status,
    ...(payout !== null && currency !== null && { payout: formatAmount(deps, payout, currency) }),
    ...(result_type !== null && { resultType: result_type }),
    ...renderBetSelections(row),
  }
}
