/**
 * Check that the ledger sums to zero per currency: the players' stored balances plus the sums of
 * every other account.
 *
 * The check is cheap enough to run all day. Sums of closed days are stored (daily-sums.ts), so it
 * reads only later transfers. The audit (ledger-audit.ts) also checks each account and day.
 */

import type { Currency } from '@purser/protocol/wire-ids'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import { readFirstOpenDay } from './daily-sums.ts'

export interface CurrencySum {
  readonly currency: Currency
  /** Sum of the players' balances in minor units; may exceed the range of one account. */
  readonly players: bigint
  /** Sum of the other accounts. */
  readonly others: bigint
}

const TO_PLAYERS = "sum(case when credit = 'player' then amount when debit = 'player' then -amount else 0 end)"

const SUM_BALANCES = statement(
  'ledger_sum_balances',
  'select currency, sum(balance)::text as amount from purser.account group by currency',
)
const SUM_CLOSED_DAYS = statement(
  'ledger_sum_kept_days',
  `select currency, ${TO_PLAYERS}::text as amount from purser.daily_sum group by currency`,
)
const SUM_OPEN_DAYS = statement(
  'ledger_sum_open_days',
  `select currency, ${TO_PLAYERS}::text as amount from purser.transfer where at >= $1::timestamptz group by currency`,
)

interface Amount extends Row {
  currency: Currency
  amount: string
}

/** One snapshot, sorted by currency. */
export function sumLedger(db: Pick<Db, 'reportSnapshot'>, now: Date): Promise<CurrencySum[]> {
  return db.reportSnapshot(async (tx) => {
    const open = await readFirstOpenDay(tx, now)
    const players = totals(await tx.query<Amount>(SUM_BALANCES, []))
    const moved = totals([
      ...(await tx.query<Amount>(SUM_CLOSED_DAYS, [])),
      ...(await tx.query<Amount>(SUM_OPEN_DAYS, [open])),
    ])
    const currencies = [...new Set([...players.keys(), ...moved.keys()])].sort()
    return currencies.map((currency) => ({
      currency,
      players: players.get(currency) ?? 0n,
      others: -(moved.get(currency) ?? 0n),
    }))
  })
}

function totals(rows: readonly Amount[]): Map<Currency, bigint> {
  const sums = new Map<Currency, bigint>()
  for (const { currency, amount } of rows) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount))
  return sums
}
