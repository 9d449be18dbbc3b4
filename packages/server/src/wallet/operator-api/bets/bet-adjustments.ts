/**
 * Manual corrections of a balance because of a bet: posted (O-2) and pending (W-27). The API shows
 * them with the bet to prevent a second payment.
 */

import { CurrencySchema } from '@purser/protocol/bet-request'
import { type Money, money, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { BetId, Currency } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { type CarriedBalance, findArchiveFile, readCarriedBalances } from '../../ledger/carried-balance.ts'
import type { PlayerKey } from '../money/adjustment-proposal-store.ts'
import { listPendingProposals, ProposalSchema } from '../money/adjustment-proposals.ts'
import { formatTransferId } from '../money/cash-movement.ts'
import { formatAmount, type OperatorDeps } from '../operator-context.ts'

const optional = Type.Optional
const signed = Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description: 'A signed amount.' })

const BetAdjustmentSchema = Type.Object({
  at: optional(
    Type.String({ format: 'date-time', description: 'Absent if the transfer is archived in a file (O-13).' }),
  ),
  transferId: Type.String(),
  currency: CurrencySchema,
  amount: signed,
  balance: Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description: 'The balance after this transfer.' }),
  reason: Type.String(),
  person: Type.String(),
  ticket: optional(Type.String()),
  approvedBy: optional(Type.String({ description: 'The person who approved it, if it needed approval (W-27).' })),
  reference: Type.String(),
  archived: optional(Type.Object({ file: Type.String(), account: Type.Integer() })),
})

/** Members of a bet; each is absent if it would be empty. */
export const adjustmentProperties = {
  adjusted: optional(
    Type.Array(Type.Object({ currency: CurrencySchema, amount: signed }), {
      description: 'The sum of the adjustments for this bet, by currency. It is not a part of the payout.',
    }),
  ),
  adjustments: optional(
    Type.Array(BetAdjustmentSchema, {
      description: 'Manual adjustments for this bet (O-2), oldest first, at most 500.',
    }),
  ),
  pendingAdjustments: optional(
    Type.Array(ProposalSchema, {
      description: 'Adjustments for this bet that are pending approval (W-27). They have moved no money.',
    }),
  ),
}

/** Rows per bet at most. */
const MAX_ROWS = 500

const OF_BET = 'from purser.cash_movement where bucket = $1::int and player = $2::text and bet_id = $3::text'
const READ = statement(
  'read_adjustments_of_bet',
  `select m.*, t.at from (
     select reference, currency, amount, version, balance_after, reason, person, ticket, approved_by ${OF_BET}
     order by currency, version limit ${MAX_ROWS}
   ) m
   left join lateral (
     select at from purser.transfer where bucket = $1::int and player = $2::text and currency = m.currency and version = m.version limit 1
   ) t on true`,
)
const READ_SUMS = statement(
  'read_adjusted_of_bet',
  `select currency, sum(amount)::text as amount ${OF_BET} group by currency order by currency`,
)

interface Row extends Record<string, unknown> {
  readonly reference: string
  readonly currency: Currency
  readonly amount: Money
  readonly version: bigint
  readonly balance_after: Money
  readonly reason: string
  readonly person: string
  readonly ticket: string | null
  readonly approved_by: string | null
  readonly at: Date | null
}

export async function readBetAdjustments(deps: OperatorDeps, located: PlayerKey, betId: BetId) {
  const key = [located.bucket, located.player.id, betId]
  // Pending adjustments are read first: an approval in between then appears twice, and is never
  // missing.
  const pending = await listPendingProposals(deps, located, betId)
  const rows = await deps.db.userQueries.query<Row>(READ, key)
  if (rows.length === 0) return pending.length === 0 ? {} : { pendingAdjustments: pending }
  const sums = await deps.db.userQueries.query<{ currency: Currency; amount: string }>(READ_SUMS, key)
  const isInFile = rows.some(({ at }) => at === null)
  const carried = isInFile ? await readCarriedBalances(deps.db.userQueries, located.bucket, located.player.id) : []
  return {
    adjusted: sums.map(({ currency, amount }) => ({
      currency,
      amount: formatAmount(deps, money(BigInt(amount)), currency),
    })),
    adjustments: [...rows].sort(byTime).map((row) => renderRow(deps, carried, row)),
    ...(pending.length > 0 && { pendingAdjustments: pending }),
  }
}

/** Archived adjustments are the oldest. */
function byTime({ at: a }: Row, { at: b }: Row): number {
  return (a?.getTime() ?? 0) - (b?.getTime() ?? 0)
}

function renderRow(
  deps: OperatorDeps,
  carried: readonly CarriedBalance[],
  row: Row,
): Static<typeof BetAdjustmentSchema> {
  const { at, currency, version, amount, balance_after, reason, person, ticket, approved_by, reference } = row
  const found = at === null ? findArchiveFile(carried, currency, version) : undefined
  return {
    ...(at !== null && { at: at.toISOString() }),
    ...{ transferId: formatTransferId(currency, version), currency },
    ...{
      amount: formatAmount(deps, amount, currency),
      balance: formatAmount(deps, balance_after, currency),
      reason,
      person,
    },
    ...(ticket !== null && { ticket }),
    ...(approved_by !== null && { approvedBy: approved_by }),
    reference,
    ...(found && { archived: { file: found.file, account: found.place } }),
  }
}
