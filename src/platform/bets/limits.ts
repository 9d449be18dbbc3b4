/** The limits behind rollback reasons 110–115: of an outcome, an event, a player, and of every bet. */
import { type Static, Type } from 'typebox'
import { statement, type Tx } from '../../db/db.ts'
import type { Author } from '../../people/actions.ts'

const decimal = Type.Optional(Type.String({ pattern: '^\\d{1,15}(\\.\\d{1,8})?$' }))

/** Amounts are decimal strings and count in the currency of the bet; an absent limit does not bind. */
export const LimitsSchema = Type.Object(
  {
    outcomeMaxStake: decimal,
    outcomeMaxWin: decimal,
    eventMaxBets: Type.Optional(Type.Integer({ minimum: 0 })),
    playerMaxStake: decimal,
    playerMaxWin: decimal,
    maxStake: decimal,
  },
  {
    additionalProperties: false,
    description:
      'outcomeMaxStake, outcomeMaxWin: sums over the accepted bets on one outcome (110, 111); eventMaxBets: accepted bets on one event (112); ' +
      'playerMaxStake, playerMaxWin: of one bet of a player (113, 114); maxStake: of any bet (115).',
    examples: [{ outcomeMaxStake: '10000', eventMaxBets: 500, playerMaxWin: '50000', maxStake: '1000' }],
  },
)
export type Limits = Static<typeof LimitsSchema>

const READ_LIMITS = statement('platform_read_limits', 'select limits from platform.limits')
const LOCK_LIMITS = statement('platform_lock_limits', 'select limits from platform.limits for update')
const WRITE_LIMITS = statement(
  'platform_write_limits',
  'insert into platform.limits (only_row, limits) values (true, $1::json) on conflict (only_row) do update set limits = excluded.limits',
)

export async function readLimits(tx: Pick<Tx, 'query'>): Promise<Limits> {
  const [row] = await tx.query<{ limits: Limits }>(READ_LIMITS)
  return row?.limits ?? {}
}

/** Limits with sums are judged one bet after another, or two bets at once could both fit. Does not lock when there are none. */
export async function lockLimits(tx: Tx): Promise<Limits> {
  const limits = await readLimits(tx)
  if (!haveSums(limits)) return limits
  const [row] = await tx.query<{ limits: Limits }>(LOCK_LIMITS)
  return row?.limits ?? {}
}

function haveSums({ outcomeMaxStake, outcomeMaxWin, eventMaxBets }: Limits): boolean {
  return (outcomeMaxStake ?? outcomeMaxWin ?? eventMaxBets) !== undefined
}

/** Replaces all of them. */
export async function writeLimits(tx: Tx, author: Author, limits: Limits, at: Date): Promise<void> {
  const [row] = await tx.query<{ limits: Limits }>(LOCK_LIMITS)
  await Promise.all([
    tx.execute(WRITE_LIMITS, [JSON.stringify(limits)]),
    author.record(tx, { on: {}, before: row?.limits ?? {}, after: limits, at }),
  ])
}

/** What is on the outcomes and events of a bet already, from other bets that are accepted or settled, in its currency. */
export interface Exposure {
  /** The largest over the bet's outcomes, in minor units. */
  readonly outcomeStake: bigint
  readonly outcomeWin: bigint
  /** The largest over the bet's events. */
  readonly eventBets: bigint
}

/** Sums can be larger than any column: they come as text. */
interface ExposureRow extends Record<string, unknown> {
  stake: string
  win: string
  bets: bigint
}

const READ_EXPOSURE = statement(
  'platform_read_exposure',
  `with mine as (select distinct event_id, outcome_id from platform.selection where bet_id = $1::uuid),
   others as (
     select s.event_id, s.outcome_id, b.bet_id, b.stake, trunc(b.stake * b.coefficient::numeric * coalesce(b.booster, '1')::numeric) as win
     from platform.selection s join platform.bet b using (bet_id)
     where s.event_id in (select event_id from mine) and b.bet_id <> $1::uuid and b.currency = $2 and b.status in ('accepted', 'settled')
   )
   select coalesce((select max(total) from (select sum(stake) as total from others join mine using (event_id, outcome_id) group by event_id, outcome_id) t), 0)::text as stake,
     coalesce((select max(total) from (select sum(win) as total from others join mine using (event_id, outcome_id) group by event_id, outcome_id) t), 0)::text as win,
     coalesce((select max(total) from (select count(distinct bet_id) as total from others group by event_id) t), 0)::bigint as bets`,
)

/** Adds up every bet on these events, so it is done only when a limit asks for it. */
export async function readExposure(tx: Tx, limits: Limits, betId: string, currency: string): Promise<Exposure> {
  const [row] = haveSums(limits) ? await tx.query<ExposureRow>(READ_EXPOSURE, [betId, currency]) : []
  return {
    outcomeStake: BigInt(row?.stake ?? 0),
    outcomeWin: BigInt(row?.win ?? 0),
    eventBets: row?.bets ?? 0n,
  }
}
