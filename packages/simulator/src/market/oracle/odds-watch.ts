/**
 * Checks that the wallet reports two anomalies rightly: payouts above the odds, and bonuses below
 * the stake (W-49).
 *
 * The check is written from decisions.md. It reads bets from the wire, and anomalies from the
 * wallet's recorded calls.
 */

import { parseDecimal } from '@purser/protocol/values/money'
import { type Db, statement } from 'purser/core/database/db'
import type { MessageMembers } from '../actors/reply-parsing.ts'
import type { MoneyRules } from '../scenario.ts'
import type { StoryNames } from '../story-names.ts'
import { parseCents } from './market-money.ts'

/** Amounts in minor units. */
interface BetTerms {
  readonly stake: bigint
  /** The highest payout; undefined without usable odds. */
  readonly most: bigint | undefined
  readonly bonus: bigint | undefined
  readonly hasBonus: boolean
}

export interface OddsWatch {
  /** A Place bet has arrived. */
  placed(message: MessageMembers): void
  /** Missing and wrong anomalies. */
  audit(db: Db, names: StoryNames): Promise<string[]>
}

const READ_NOTED = statement(
  'simulation_noted',
  `select split_part(b.bet_id, '@', 1) as bet_id, c.operation, c.outcome, c.amount, c.anomaly, b.placed_at is not null as is_placed
   from purser.bet b left join purser.bet_call c
     on c.bucket = b.bucket and c.player = b.player and c.bet_id = b.bet_id and c.operation in ('place', 'settle')
   where b.platform = '' order by b.bet_id, c.seq`,
)

interface NotedRow extends Record<string, unknown> {
  bet_id: string
  operation: string | null
  outcome: string | null
  amount: bigint | null
  anomaly: string | null
  is_placed: boolean
}

/** Minor units by which a platform may round up. */
const ROUNDING = 1n
const MILLION = 1_000_000n

export function watchOdds({ freebetStake }: MoneyRules): OddsWatch {
  const bets = new Map<string, BetTerms>()
  const isTooSmall = ({ hasBonus, bonus, stake }: BetTerms) =>
    hasBonus && freebetStake === 'promotions' && bonus !== undefined && bonus < stake
  return {
    placed: (message) => void bets.set(`${message.transactionId}`, toBetTerms(message)),
    async audit(db, names) {
      const rows = await db.query<NotedRow>(READ_NOTED)
      const complaints: string[] = []
      const wrong = (bet: string, anomaly: string, isNoted: boolean) =>
        complaints.push(`${names.bet(bet)}: ${anomaly} is ${isNoted ? '' : 'not '}noted (W-49)`)
      for (const { bet_id: bet, operation, outcome, amount, anomaly } of rows) {
        if (operation !== 'settle' || outcome !== 'applied') continue
        const most = bets.get(bet)?.most
        const [isAbove, isNoted] = [most !== undefined && (amount ?? 0n) > most + ROUNDING, anomaly === ABOVE]
        if (isAbove !== isNoted) wrong(bet, ABOVE, isNoted)
      }
      const small = new Set(rows.filter(({ anomaly }) => anomaly === BELOW).map(({ bet_id }) => bet_id))
      for (const bet of new Set(rows.filter(({ is_placed }) => is_placed).map(({ bet_id }) => bet_id))) {
        const terms = bets.get(bet)
        if ((terms !== undefined && isTooSmall(terms)) !== small.has(bet)) wrong(bet, BELOW, small.has(bet))
      }
      return complaints
    },
  }
}

const ABOVE = 'payout_above_odds'
const BELOW = 'bonus_below_stake'

function toBetTerms(message: MessageMembers): BetTerms {
  const { currency, amount, bonusId, bonusAmount } = message
  const unitsOf = (written: unknown) => parseCents(`${written}`) / (currency === 'JPY' ? 100n : 1n)
  const [stake, bonus] = [unitsOf(amount), typeof bonusAmount === 'number' ? unitsOf(bonusAmount) : undefined]
  const [odds, boost] = [parseMillionths(message.coefficient), parseMillionths(message.boosterCoefficient)]
  const paid = stake === 0n ? (bonus ?? 0n) : stake
  const hasLimit = odds !== undefined && odds >= MILLION && paid > 0n
  const factor = boost !== undefined && boost >= MILLION ? boost : MILLION
  const most = hasLimit ? (paid * odds * factor) / (MILLION * MILLION) : undefined
  return { stake, most, bonus, hasBonus: typeof bonusId === 'number' && bonusId > 0 }
}

/** The platform writes at most six decimals. */
function parseMillionths(factor: unknown): bigint | undefined {
  return parseDecimal(`${factor}`, 6)
}
