/**
 * Whether the ledger sums to zero, by currency: what the players' stored balances come to against what all transfers left with them. Cheap enough to be
 * asked for all day: the sums of days that are over are kept (daily-sums.ts), so only the transfers since are read. The audit
 * (ledger-audit.ts) checks each account and each day on top.
 */

import type { Currency } from '../../../protocol/wire-ids.ts'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import { readFirstOpenDay } from './daily-sums.ts'

export interface CurrencySum {
  readonly currency: Currency
  /** In minor units; more than one account can hold. What the players' balances come to. */
  readonly players: bigint
  /** What the accounts on the other side of their transfers come to. */
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

/** In one snapshot, by currency in the order of their names. */
export function sumLedger(db: Pick<Db, 'sums'>, now: Date): Promise<CurrencySum[]> {
  return db.sums(async (tx) => {
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
