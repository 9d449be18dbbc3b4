/**
 * Report of one day: each player's opening balance, movements of money and closing balance. Players
 * without movements on that day are left out.
 */

import { CurrencySchema, UserIdSchema } from '@purser/protocol/bet-request'
import { formatMoney, money, requireScale, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import { type Static, Type } from 'typebox'
import {
  decodeCursorParts,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
  toTime,
} from '../../../core/http/api/pagination.ts'
import { invalid } from '../../../core/http/api/problem-details.ts'
import { type PlayerDay, readPlayerDays } from '../../ledger/player-day-sums.ts'
import type { TransferKind } from '../../ledger/posting.ts'
import { type OperatorDeps, toCurrency } from '../operator-context.ts'

export const PlayerDayQuerySchema = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'A day in UTC.' }),
    currency: Type.Optional(CurrencySchema),
    ...pageQuery,
  },
  noUnknownMembers,
)

/** Names and signs equal the columns of daily-report.ts. */
const MEMBERS = {
  deposits: { kind: 'deposit', sign: 1n },
  withdrawals: { kind: 'withdrawal', sign: -1n },
  stakes: { kind: 'stake', sign: -1n },
  refunds: { kind: 'refund', sign: 1n },
  payouts: { kind: 'payout', sign: 1n },
  resettlements: { kind: 'payout_reversal', sign: 1n },
  adjustments: { kind: 'adjustment', sign: 1n },
  openings: { kind: 'opening', sign: 1n },
} as const satisfies Record<string, { readonly kind: TransferKind; readonly sign: 1n | -1n }>

const decimal = Type.String({ pattern: SIGNED_DECIMAL_PATTERN })
export const PlayerDayListSchema = toPageSchema(
  Type.Object({
    userId: UserIdSchema,
    currency: CurrencySchema,
    transfers: Type.Integer({ minimum: 1 }),
    opening: { ...decimal, description: 'The balance at midnight.' },
    deposits: decimal,
    withdrawals: decimal,
    stakes: decimal,
    refunds: decimal,
    payouts: decimal,
    resettlements: { ...decimal, description: 'Payout reversals, at most 0.' },
    adjustments: decimal,
    openings: { ...decimal, description: 'Balances imported from another wallet (O-8).' },
    net: { ...decimal, description: "The player's net: payouts, refunds and resettlements less stakes." },
    closing: { ...decimal, description: 'The balance a day later, or now if the day has not ended.' },
  }),
)

const BET_KINDS: readonly TransferKind[] = ['stake', 'refund', 'payout', 'payout_reversal']

export async function listPlayerDays(deps: OperatorDeps, query: Static<typeof PlayerDayQuerySchema>) {
  const day = toTime(`${query.day}T00:00:00Z`, '/query/day')
  const currency = query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency')
  const limit = parseLimit(query)
  const after = decodeCursorParts(query.after, 2) as [string, string] | undefined
  const rows = await readPlayerDays(deps.db, { day, currency, after, limit: limit + 1 })
  if (rows === undefined) throw invalid('/query/day', 'has transfers that lie in files (O-13)')
  return toPage(
    rows,
    limit,
    (row) => renderPlayerDay(deps, row),
    (last) => [last.player, last.currency],
  )
}

function renderPlayerDay({ scales }: OperatorDeps, { player, currency, transfers, moved, opening }: PlayerDay) {
  const show = (amount: bigint) => formatMoney(money(amount), requireScale(scales, currency))
  const sumOf = (kinds: readonly TransferKind[]) => kinds.reduce((sum, kind) => sum + (moved.get(kind) ?? 0n), 0n)
  const members = Object.entries(MEMBERS).map(([name, { kind, sign }]) => [name, show(sign * sumOf([kind]))])
  return {
    ...{ userId: player, currency, transfers, opening: show(opening) },
    ...(Object.fromEntries(members) as Record<keyof typeof MEMBERS, string>),
    net: show(sumOf(BET_KINDS)),
    closing: show(opening + sumOf([...moved.keys()])),
  }
}
