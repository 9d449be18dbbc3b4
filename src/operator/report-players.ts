/** The players of a day: what each had at midnight, what moved, and what was there a day later. Only of players whose money moved. */
import { type Static, Type } from 'typebox'
import { decodeParts, limitOf, onlyKnown, pageOf, pageQuery, toPage, toTime } from '../http/page.ts'
import { invalid } from '../http/problem.ts'
import { type DayOfPlayer, readPlayersOfDay } from '../ledger/day-of-players.ts'
import type { TransferKind } from '../ledger/posting.ts'
import { CurrencySchema, UserIdSchema } from '../protocol/bet-request.ts'
import { formatMoney, money, SIGNED_DECIMAL_PATTERN, scaleOf } from '../protocol/money.ts'
import { type OperatorDeps, toCurrency } from './operator.ts'

export const PlayersOfDayQuerySchema = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In UTC.' }),
    currency: Type.Optional(CurrencySchema),
    ...pageQuery,
  },
  onlyKnown,
)

/** As in the report of days (report.ts): what goes out of the account is told as it is called. */
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
export const PlayersOfDaySchema = pageOf(
  Type.Object({
    userId: UserIdSchema,
    currency: CurrencySchema,
    transfers: Type.Integer({ minimum: 1 }),
    opening: { ...decimal, description: 'At midnight.' },
    deposits: decimal,
    withdrawals: decimal,
    stakes: decimal,
    refunds: decimal,
    payouts: decimal,
    resettlements: { ...decimal, description: 'Payouts taken back: at most 0.' },
    adjustments: decimal,
    openings: { ...decimal, description: 'Brought from another wallet (O-8).' },
    net: { ...decimal, description: 'For the player: payouts, refunds and resettlements less stakes.' },
    closing: { ...decimal, description: 'A day later, or now.' },
  }),
)

const OF_BETS: readonly TransferKind[] = ['stake', 'refund', 'payout', 'payout_reversal']

export async function listPlayersOfDay(deps: OperatorDeps, query: Static<typeof PlayersOfDayQuerySchema>) {
  const day = toTime(`${query.day}T00:00:00Z`, '/query/day')
  const currency = query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency')
  const limit = limitOf(query)
  const after = decodeParts(query.after, 2) as [string, string] | undefined
  const rows = await readPlayersOfDay(deps.db, { day, currency, after, limit: limit + 1 })
  if (rows === undefined) throw invalid('/query/day', 'has transfers that lie in files (O-13)')
  return toPage(
    rows,
    limit,
    (row) => showRow(deps, row),
    (last) => [last.player, last.currency],
  )
}

function showRow({ scales }: OperatorDeps, { player, currency, transfers, moved, opening }: DayOfPlayer) {
  const show = (amount: bigint) => formatMoney(money(amount), scaleOf(scales, currency))
  const sumOf = (kinds: readonly TransferKind[]) => kinds.reduce((sum, kind) => sum + (moved.get(kind) ?? 0n), 0n)
  const members = Object.entries(MEMBERS).map(([name, { kind, sign }]) => [name, show(sign * sumOf([kind]))])
  return {
    ...{ userId: player, currency, transfers, opening: show(opening) },
    ...(Object.fromEntries(members) as Record<keyof typeof MEMBERS, string>),
    net: show(sumOf(OF_BETS)),
    closing: show(opening + sumOf([...moved.keys()])),
  }
}
