/**
 * The model's rules for Place bet: the first column of the life table (state of a bet × call), with
 * its order of checks.
 */
import type { Bet } from './bet.ts'
import type { Anomaly, PlaceCall, Verdict } from './call.ts'
import { addMoney, balanceOf, minorUnits, type Player, SCALES, standingProblem, tokenProblem } from './players.ts'
import { dayOf, keyOf, placedBetsOf, refuse, repeat, type State, took } from './world.ts'

export function place(state: State, call: PlaceCall, bet: Bet | undefined, now: Date): Verdict {
  if (bet === undefined) return placeNew(state, call, now)
  if (bet.status === 'refused') return refuse(state, bet.code, 'I-3: refused again')
  if (bet.status === 'tombstone' || bet.status === 'cancelled') return refuse(state, 8)
  const same = bet.stake === minorUnits(call.amount, call.currency) && bet.currency === call.currency
  return same ? repeat(state, bet.placed) : refuse(state, 8)
}

function placeNew(state: State, call: PlaceCall, now: Date): Verdict {
  const session = state.world.sessions.get(call.token)
  const problem = tokenProblem(session, call.player, now)
  if (problem !== undefined) return refuse(state, problem)
  const player = state.world.players.get(call.player)!
  const stake = minorUnits(call.amount, call.currency)!
  const restriction = standingProblem(player, now) ?? limitProblem(state, call, player, stake, dayOf(now))
  if (restriction !== undefined) return refuseForGood(state, call, restriction)
  // The stake must be in the token's currency (P-1).
  if (session?.currency !== call.currency) return refuse(state, 5)
  const isOwnMoney = funderOf(state, call) === 'player'
  if (isOwnMoney && balanceOf(player, call.currency) < stake) return refuseForGood(state, call, 7)
  return accept(state, call, player, stake, dayOf(now))
}

function accept(state: State, call: PlaceCall, player: Player, stake: bigint, day: string): Verdict {
  const funder = funderOf(state, call)
  if (funder === 'player') addMoney(player, call.currency, -stake)
  else state.rule = 'M-4: paid by promotions'
  if (!isFreebet(call) && call.bonusId !== 'null') state.rule ??= 'D-1: no bonus'
  state.anomaly = anomalyOf(call, funder, stake)
  const verdict = took(state)
  const terms = { currency: call.currency, stake, funder, day, most: mostOf(call, stake), anomalies: [] }
  const life = { status: 'open', placed: verdict.moment, locked: false, results: 0 } as const
  state.world.bets.set(keyOf(call.player, call.bet), { ...terms, ...life, acknowledged: new Map(), refused: new Map() })
  return verdict
}

/** A bonus below the stake is an anomaly (W-49). */
function anomalyOf(call: PlaceCall, funder: string, stake: bigint): Anomaly | undefined {
  const bonus = bonusOf(call)
  return funder === 'promotions' && bonus !== undefined && bonus < stake ? 'bonus_below_stake' : undefined
}

/** The highest payout. Each factor has two decimals, and counts only from 1 on (W-49). */
function mostOf(call: PlaceCall, stake: bigint): bigint | undefined {
  const [coefficient, booster] = [hundredths(call.coefficient), hundredths(call.booster)]
  const staked = stake === 0n ? bonusOf(call) : stake
  if (staked === undefined || staked === 0n || coefficient < 100n) return undefined
  return (staked * coefficient * (booster < 100n ? 100n : booster)) / 10_000n
}

/** Cut to the decimals of the currency. */
function bonusOf({ bonusAmount, currency }: PlaceCall): bigint | undefined {
  const whole = SCALES[currency] === 0 ? bonusAmount?.split('.')[0] : bonusAmount
  return whole === undefined ? undefined : minorUnits(whole, currency)
}

function hundredths(written: string): bigint {
  return minorUnits(written, 'EUR')!
}

/** A `bonusId` above 0 marks a freebet (D-1). */
export function isFreebet({ bonusId }: PlaceCall): boolean {
  return /^[1-9]/.test(bonusId)
}

/** The payer of the stake (M-4). */
function funderOf({ settings }: State, call: PlaceCall): 'player' | 'promotions' {
  return isFreebet(call) && settings.freebetStake === 'promotions' ? 'promotions' : 'player'
}

function refuseForGood(state: State, call: PlaceCall, code: number): Verdict {
  state.world.bets.set(keyOf(call.player, call.bet), { status: 'refused', code })
  return refuse(state, code)
}

/**
 * The codes 11, 12 and 13, per currency and UTC day.
 *
 * They count the bets of this day that were not rolled back, with the player's own stakes. They
 * also count all payouts of this day, for bets of any day.
 */
function limitProblem(state: State, call: PlaceCall, player: Player, stake: bigint, day: string): number | undefined {
  const counted = placedBetsOf(state.world, call.player).filter(
    (bet) => bet.status !== 'cancelled' && bet.currency === call.currency && bet.day === day,
  )
  const paid = player.paid.get(`${call.currency} ${day}`) ?? 0n
  const own = (bet: { funder: string; stake: bigint }) => (bet.funder === 'player' ? bet.stake : 0n)
  const staked = counted.reduce((sum, bet) => sum + own(bet), own({ funder: funderOf(state, call), stake }))
  const { stake: stakeLimit, loss: lossLimit, betCount } = player.limits
  if (stakeLimit !== undefined && staked > minorUnits(stakeLimit, call.currency)!) return 11
  if (lossLimit !== undefined && staked - paid > minorUnits(lossLimit, call.currency)!) return 12
  return betCount !== undefined && counted.length + 1 > betCount ? 13 : undefined
}
