/**
 * Cached check that the ledger sums to zero. Every open page of the console requests it, but the
 * database computes it rarely.
 */

import { CurrencySchema } from '@purser/protocol/bet-request'
import { formatMoney, money, requireScale, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import { environment } from '@purser/runtime/environment'
import { type Static, Type } from 'typebox'
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

/**
 * Milliseconds for which a result is reused; MIN_IDLE_RATIO is the idle time in multiples of the
 * check's duration.
 */
const TTL_MS = 10_000
const MIN_IDLE_RATIO = 20

type Deps = Pick<OperatorDeps, 'db' | 'clock' | 'scales'>

/**
 * Only one check runs at a time. A failure is cached too: after a time-out each open page would
 * start the next long check at once.
 */
export function createLedgerStatus(deps: Deps): () => Promise<LedgerView> {
  let cached: Promise<LedgerView> | undefined
  /** Undefined during a check. */
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
