/** Whether the ledger sums to zero, and when that was checked last: a question that every open page of the console asks, and the database answers seldom. */
import { type Static, Type } from 'typebox'
import { CurrencySchema } from '../../../../protocol/bet-request.ts'
import { formatMoney, money, requireScale, SIGNED_DECIMAL_PATTERN } from '../../../../protocol/values/money.ts'
import { environment } from '../../../../runtime/environment.ts'
import { type CurrencySum, sumLedger } from '../../ledger/ledger-balance.ts'
import type { OperatorDeps } from '../operator-context.ts'

const decimal = (description: string) => Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description })

export const LedgerSchema = Type.Object({
  ok: Type.Boolean({ description: 'True if every sum is zero.' }),
  checkedAt: Type.String({
    format: 'date-time',
    description:
      'The time of the last check by this process. It is about 10 s old at most, or older if a check takes longer than 0.5 s.',
  }),
  currencies: Type.Array(
    Type.Object({
      currency: CurrencySchema,
      players: decimal('The sum of the stored balances of the players.'),
      others: decimal('The sum of the accounts on the other side of their transfers.'),
      sum: decimal('The sum of both. The ledger is out of balance unless it is zero.'),
    }),
  ),
})
type LedgerView = Static<typeof LedgerSchema>

/** Milliseconds for which an answer stands, and the least share of time in which the database is left alone. */
const TTL_MS = 10_000
const MIN_IDLE_RATIO = 20

type Deps = Pick<OperatorDeps, 'db' | 'clock' | 'scales'>

/**
 * One check at a time, however many ask. A failure stands as long as an answer does: a check that takes too long fails after the longest time of all,
 * and each page that is open would begin the next one at once.
 */
export function createLedgerStatus(deps: Deps): () => Promise<LedgerView> {
  let cached: Promise<LedgerView> | undefined
  /** Undefined while the check is under way. */
  let expiresAt: number | undefined
  const check = async () => {
    const begun = environment.monotonicNow()
    try {
      const now = deps.clock.now()
      return renderLedgerStatus(deps, await sumLedger(deps.db, now), now)
    } finally {
      const ended = environment.monotonicNow()
      expiresAt = ended + Math.max(TTL_MS, MIN_IDLE_RATIO * (ended - begun))
    }
  }
  return async () => {
    if (cached === undefined || (expiresAt !== undefined && environment.monotonicNow() >= expiresAt)) {
      expiresAt = undefined
      cached = check()
    }
    return cached
  }
}

function renderLedgerStatus({ scales }: Deps, sums: readonly CurrencySum[], now: Date): LedgerView {
  return {
    ok: sums.every(({ players, others }) => players + others === 0n),
    checkedAt: now.toISOString(),
    currencies: sums.map(({ currency, players, others }) => {
      const show = (amount: bigint) => formatMoney(money(amount), requireScale(scales, currency))
      return { currency, players: show(players), others: show(others), sum: show(players + others) }
    }),
  }
}
