/**
 * Limits of an outcome, an event, a player and a bet. A bet above a limit is rolled back with
 * reason 110 to 115 (C-3).
 */

import { isCurrency, parseDecimal, requireScale, type Scales } from '@purser/protocol/values/money'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { statement, type Tx } from '../../core/database/db.ts'
import { type PlatformRefusal, toInvalidRequest } from '../platform-refusal.ts'

const decimal = Type.Optional(Type.String({ pattern: '^\\d{1,15}(\\.\\d{1,8})?$' }))

/** Decimal strings. An absent limit restricts nothing. */
const AMOUNTS = {
  outcomeMaxStake: decimal,
  outcomeMaxWin: decimal,
  playerMaxStake: decimal,
  playerMaxWin: decimal,
  maxStake: decimal,
}
const strict = { additionalProperties: false } as const
const AmountsSchema = Type.Object(AMOUNTS, strict)

export const LimitsSchema = Type.Object(
  {
    eventMaxBets: Type.Optional(Type.Integer({ minimum: 0 })),
    currencies: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Z0-9]{3,5}$' }), AmountsSchema, strict)),
    ...AMOUNTS,
  },
  {
    ...strict,
    description:
      '`eventMaxBets` limits the accepted bets on one event in all currencies (112). Amounts are in `currencies`, by currency. ' +
      '`outcomeMaxStake` and `outcomeMaxWin` limit the sums over the accepted bets on one outcome (110, 111). `playerMaxStake` and ' +
      '`playerMaxWin` limit one bet of a player (113, 114), and `maxStake` limits any bet (115). An amount outside `currencies` is the older ' +
      'form: it applies as a plain number of units to each currency that `currencies` does not list.',
    examples: [
      {
        eventMaxBets: 500,
        currencies: { EUR: { outcomeMaxStake: '10000', maxStake: '1000' }, JPY: { maxStake: '150000' } },
      },
    ],
  },
)
export type BetLimits = Static<typeof LimitsSchema>
export type LimitAmounts = Static<typeof AmountsSchema>

export function selectLimitAmounts(limits: BetLimits, currency: string): LimitAmounts {
  return limits.currencies?.[currency] ?? limits
}

/** Rejects amounts below `currencies` that are not valid in their currency. */
export function validateLimits({ currencies = {} }: BetLimits, scales: Scales): PlatformRefusal | undefined {
  for (const [currency, amounts] of Object.entries(currencies)) {
    const pointer = `/currencies/${currency}`
    if (!isCurrency(scales, currency))
      return toInvalidRequest(pointer, 'is not a known currency: use a code of ISO 4217 or a configured code')
    const bad = Object.entries(amounts).find(
      ([, amount]) => parseDecimal(amount, requireScale(scales, currency)) === undefined,
    )
    if (bad !== undefined)
      return toInvalidRequest(`${pointer}/${bad[0]}`, `is too large or has more decimals than ${currency}`)
  }
  return undefined
}

const READ_LIMITS = statement('platform_read_limits', 'select limits from platform.limits')
const LOCK_LIMITS = statement('platform_lock_limits', 'select limits from platform.limits for update')
const WRITE_LIMITS = statement(
  'platform_write_limits',
  'insert into platform.limits (only_row, limits) values (true, $1::json) on conflict (only_row) do update set limits = excluded.limits',
)

export async function readLimits(tx: Pick<Tx, 'query'>): Promise<BetLimits> {
  const [row] = await tx.query<{ limits: BetLimits }>(READ_LIMITS)
  return row?.limits ?? {}
}

/** Replaces every limit. */
export async function writeLimits(tx: Tx, author: Actor, limits: BetLimits, at: Date): Promise<void> {
  const [row] = await tx.query<{ limits: BetLimits }>(LOCK_LIMITS)
  await Promise.all([
    tx.execute(WRITE_LIMITS, [JSON.stringify(limits)]),
    author.record(tx, { on: {}, before: row?.limits ?? {}, after: limits, at }),
  ])
}
