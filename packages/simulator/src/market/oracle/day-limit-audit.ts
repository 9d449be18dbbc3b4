/**
 * Checks the players' limits per day from the transfers alone (W-2).
 *
 * At each stake the audit sums the day's stakes without the refunded stakes. The day of an account
 * never goes back, even if a clock does.
 */
import { type Db, statement } from 'purser/core/database/db'
import { LIMITS_BY_PLAYER, type Scenario } from '../scenario.ts'

const READ_TRANSFERS = statement(
  'simulation_moved',
  `select kind, bet_id, case when debit = 'player' then amount else 0 end as amount, to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day from purser.transfer
   where player = $1::text and currency = 'EUR' order by version`,
)

interface TransferRow extends Record<string, unknown> {
  kind: string
  bet_id: string | null
  amount: bigint
  day: string
}

/** Returns complaints. */
export async function auditDayLimits(db: Db, { hasLimits }: Scenario): Promise<string[]> {
  const complaints: string[] = []
  for (const [player, { betCount, stake }] of Object.entries(hasLimits ? LIMITS_BY_PLAYER : {})) {
    const limit = stake === undefined ? undefined : BigInt(stake) * 100n
    const staked = new Map<string | null, bigint>()
    let today = ''
    for (const { kind, bet_id: bet, amount, day } of await db.query<TransferRow>(READ_TRANSFERS, [player])) {
      if (day < today) complaints.push(`${player} has a transfer of ${day} behind one of ${today} (W-2)`)
      if (day > today) staked.clear()
      today = day > today ? day : today
      if (kind === 'refund') staked.delete(bet)
      if (kind !== 'stake') continue
      staked.set(bet, amount)
      const sum = [...staked.values()].reduce((all, one) => all + one, 0n)
      if (staked.size > (betCount ?? staked.size) || sum > (limit ?? sum))
        complaints.push(`${player} has ${staked.size} bets of ${sum} on ${day}, above the limit (W-2)`)
    }
  }
  return complaints
}
