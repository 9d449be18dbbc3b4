/**
 * A second, deliberately plain reading of interface.md and decisions.md: it says what a wallet must answer to each call
 * and what every balance must be afterwards. It shares no code with the wallet, so that a mistake would have to be made
 * twice to go unseen. Calls are judged in R-6's order; `row` × kind is the cell of the life table that decided.
 */
import { type Bet, type PlacedBet, playersShare, type Settlement } from './bet.ts'
import type {
  BetView,
  Call,
  PlaceCall,
  Prediction,
  ReversalCall,
  Row,
  Rule,
  Settings,
  SettleCall,
  Verdict,
} from './call.ts'
import {
  addMoney,
  balanceOf,
  minorUnits,
  newPlayer,
  type Player,
  type Session,
  standingProblem,
  tokenProblem,
} from './players.ts'

/** Plain data, so that it can be copied. */
interface World {
  players: Map<string, Player>
  sessions: Map<string, Session>
  bets: Map<string, Bet>
  moments: number
}

export interface Model {
  players: Map<string, Player>
  sessions: Map<string, Session>
  /** A model of its own that knows the same. */
  fork(): Model
  addPlayer(id: string): void
  judge(call: Call, now: Date): Prediction
  bet(player: string, bet: string): BetView
  /** L-3; false when there is no bet to lock. */
  setLock(player: string, bet: string, locked: boolean): boolean
}

export function createModel(settings: Settings, world: World = newWorld()): Model {
  const { players, sessions, bets } = world
  let rule: Rule | undefined

  const keyOf = (player: string, bet: string) => `${player} ${bet}` // I-1, I-6, I-7
  const refuse = (code: number, by?: Rule): Verdict => {
    rule ??= by
    return { status: 400, code }
  }
  const repeat = (moment: number, by?: Rule): Verdict => {
    rule ??= by
    return { status: 200, moment, effect: true }
  }
  const took = (): { status: 200; moment: number; effect: true } => {
    world.moments += 1
    return { status: 200, moment: world.moments, effect: true }
  }
  const noEffect = (): { status: 200; moment: number; effect: false } => ({ ...took(), effect: false })

  function judge(call: Call, now: Date): Prediction {
    rule = undefined
    if (isMalformed(call)) return { row: 'malformed', verdict: refuse(5), rule }
    const row = rowOf(call.player, call.bet)
    const bet = bets.get(keyOf(call.player, call.bet))
    const verdict = call.kind === 'place' ? place(call, bet, now) : change(call, bet, now)
    return { row, verdict, rule }
  }

  function change(call: SettleCall | ReversalCall, bet: Bet | undefined, now: Date): Verdict {
    if (call.kind === 'rollback') return rollback(call, bet)
    if (bet === undefined || bet.status === 'refused') return refuse(5)
    if (bet.status === 'tombstone') return refuse(20)
    const seen = bet.acknowledged.get(contentOf(call))
    if (seen !== undefined) return repeat(seen, 'I-2: a late repeat')
    if (bet.status === 'cancelled') return refuse(20)
    if (call.currency !== undefined && call.currency !== bet.currency) return refuse(5, 'I-4: another currency')
    const verdict = call.kind === 'settle' ? settle(call, bet, now) : unsettle(call, bet, now)
    if (verdict.status === 200) bet.acknowledged.set(contentOf(call), verdict.moment)
    return verdict
  }

  function place(call: PlaceCall, bet: Bet | undefined, now: Date): Verdict {
    if (bet === undefined) return placeNew(call, now)
    if (bet.status === 'refused') return refuse(bet.code, 'I-3: refused again')
    if (bet.status === 'tombstone' || bet.status === 'cancelled') return refuse(8)
    const same = bet.stake === minorUnits(call.amount, call.currency) && bet.currency === call.currency
    return same ? repeat(bet.placed) : refuse(8)
  }

  function placeNew(call: PlaceCall, now: Date): Verdict {
    const session = sessions.get(call.token)
    const problem = tokenProblem(session, call.player, now)
    if (problem !== undefined) return refuse(problem)
    const player = players.get(call.player)!
    const stake = minorUnits(call.amount, call.currency)!
    const restriction = standingProblem(player, now) ?? limitProblem(call, player, stake, dayOf(now))
    if (restriction !== undefined) return refuseForGood(call, restriction)
    if (session?.currency !== call.currency) return refuse(5) // P-1
    if (funderOf(call) === 'player' && balanceOf(player, call.currency) < stake) return refuseForGood(call, 7)
    return accept(call, player, stake, dayOf(now))
  }

  function accept(call: PlaceCall, player: Player, stake: bigint, day: string): Verdict {
    const funder = funderOf(call)
    if (funder === 'player') addMoney(player, call.currency, -stake)
    else rule = 'M-4: paid by promotions'
    const verdict = took()
    const terms = { currency: call.currency, stake, funder, day } as const
    const life = { status: 'open', placed: verdict.moment, locked: false, acknowledged: new Map() } as const
    bets.set(keyOf(call.player, call.bet), { ...terms, ...life })
    return verdict
  }

  /** M-4 */
  function funderOf(call: PlaceCall): 'player' | 'promotions' {
    return call.freebet && settings.freebetStake === 'promotions' ? 'promotions' : 'player'
  }

  function refuseForGood(call: PlaceCall, code: number): Verdict {
    bets.set(keyOf(call.player, call.bet), { status: 'refused', code })
    return refuse(code)
  }

  /**
   * 11, 12, 13, per currency and UTC day: over the bets placed on this day that were not rolled back, with the stakes
   * that the player paid, and over what was paid to the player on this day, whenever its bet was placed.
   */
  function limitProblem(call: PlaceCall, player: Player, stake: bigint, day: string): number | undefined {
    const counted = placedBetsOf(call.player).filter(
      (bet) => bet.status !== 'cancelled' && bet.currency === call.currency && bet.day === day,
    )
    const paid = player.paid.get(`${call.currency} ${day}`) ?? 0n
    const own = (bet: { funder: string; stake: bigint }) => (bet.funder === 'player' ? bet.stake : 0n)
    const staked = counted.reduce((sum, bet) => sum + own(bet), own({ funder: funderOf(call), stake }))
    const { stake: stakeLimit, loss: lossLimit, betCount } = player.limits
    if (stakeLimit !== undefined && staked > minorUnits(stakeLimit, call.currency)!) return 11
    if (lossLimit !== undefined && staked - paid > minorUnits(lossLimit, call.currency)!) return 12
    return betCount !== undefined && counted.length + 1 > betCount ? 13 : undefined
  }

  function settle(call: SettleCall, bet: PlacedBet, now: Date): Verdict {
    const amount = minorUnits(call.amount, bet.currency)!
    const earlier = bet.settlement
    const identical = earlier?.amount === amount && earlier.resultType === call.resultType
    if (earlier !== undefined && identical) return repeat(earlier.moment, 'L-1: identical')
    if (call.resultType === 'cashout') {
      const problem = tokenProblem(sessions.get(call.token ?? ''), call.player, now)
      if (problem !== undefined) return refuse(problem) // L-4
    }
    if (earlier !== undefined && bet.locked) return refuse(20, 'L-3: locked')
    const settlement = { amount, resultType: call.resultType, moment: world.moments + 1 }
    if (earlier !== undefined) rule = earlier.amount === amount ? 'L-1: another type' : 'L-1: another amount'
    if (!pay(call.player, bet, settlement, dayOf(now))) return refuse(21) // L-2
    bet.status = 'settled'
    return took()
  }

  function unsettle(call: ReversalCall, bet: PlacedBet, now: Date): Verdict {
    if (bet.status === 'open') return bet.unsettled === undefined ? noEffect() : repeat(bet.unsettled)
    if (bet.locked) return refuse(20, 'L-3: locked')
    if (!pay(call.player, bet, undefined, dayOf(now))) return refuse(21)
    bet.status = 'open'
    const verdict = took()
    bet.unsettled = verdict.moment
    return verdict
  }

  function rollback(call: ReversalCall, bet: Bet | undefined): Verdict {
    if (bet === undefined) {
      const verdict = took()
      bets.set(keyOf(call.player, call.bet), { status: 'tombstone', cancelled: verdict.moment })
      return verdict
    }
    if (bet.cancelled !== undefined) return repeat(bet.cancelled)
    if (bet.status === 'settled') return refuse(8)
    if (bet.status === 'open') return cancel(call, bet)
    const verdict = noEffect()
    bet.cancelled = verdict.moment
    return verdict
  }

  function cancel(call: ReversalCall, bet: PlacedBet): Verdict {
    if (call.currency !== undefined && call.currency !== bet.currency) return refuse(5, 'I-4: another currency')
    if (bet.funder === 'player') addMoney(players.get(call.player)!, bet.currency, bet.stake)
    bet.status = 'cancelled'
    const verdict = took()
    bet.cancelled = verdict.moment
    return verdict
  }

  /** Replaces the settlement in one step; false when that would take money which is no longer there (L-2). */
  function pay(playerId: string, bet: PlacedBet, settlement: Settlement | undefined, day: string): boolean {
    const player = players.get(playerId)!
    const difference = playersShare(bet, settlement) - playersShare(bet, bet.settlement)
    const balance = balanceOf(player, bet.currency) + difference
    if (settings.clawback === 'refuse' && difference < 0n && balance < 0n) return false
    if (difference < 0n && balance < 0n) rule = 'L-2: taken below zero'
    if (bet.funder === 'promotions' && settlement?.resultType === 'refund') rule = 'M-4: refunded to promotions'
    addMoney(player, bet.currency, difference)
    const turnover = `${bet.currency} ${day}`
    player.paid.set(turnover, (player.paid.get(turnover) ?? 0n) + difference)
    if (settlement === undefined) delete bet.settlement
    else bet.settlement = settlement
    return true
  }

  function view(player: string, id: string): BetView {
    const bet = bets.get(keyOf(player, id))
    const status = rowOf(player, id)
    if (bet === undefined || !('funder' in bet)) return { status }
    const { currency, stake, funder, settlement } = bet
    return {
      status,
      currency,
      stake,
      funder,
      ...(settlement && { payout: settlement.amount, resultType: settlement.resultType }),
    }
  }

  function rowOf(player: string, id: string): Row {
    const status = bets.get(keyOf(player, id))?.status ?? 'nothing'
    return status === 'tombstone' ? 'cancelled' : status
  }

  function placedBetsOf(player: string): PlacedBet[] {
    const own = [...bets].filter(([key]) => key.startsWith(`${player} `)).map(([, bet]) => bet)
    return own.filter((bet) => bet.status !== 'tombstone' && bet.status !== 'refused')
  }

  function setLock(player: string, id: string, locked: boolean): boolean {
    const bet = bets.get(keyOf(player, id))
    if (bet !== undefined && 'locked' in bet) bet.locked = locked
    return bet !== undefined
  }

  const fork = () => createModel(settings, structuredClone(world))
  const addPlayer = (id: string) => void players.set(id, newPlayer())
  return { players, sessions, fork, addPlayer, judge, bet: view, setLock }
}

function newWorld(): World {
  return { players: new Map(), sessions: new Map(), bets: new Map(), moments: 0 }
}

/** Shape: M-1, M-2, M-3, and a cashout without a token (L-4). */
function isMalformed(call: Call): boolean {
  if (call.kind === 'settle' && call.resultType === 'cashout' && call.token === undefined) return true
  if (call.kind === 'settle' && !['won', 'lost', 'refund', 'cashout'].includes(call.resultType)) return true // L-6
  if (call.amount === undefined) return false
  const units = minorUnits(call.amount, call.currency ?? 'EUR')
  return units === undefined || (call.kind === 'place' && units === 0n && !call.freebet)
}

/** I-2's "same content", under its requestId. */
function contentOf(call: SettleCall | ReversalCall): string {
  const { kind, request, amount, currency } = call
  return JSON.stringify([request, kind, amount, currency, 'resultType' in call ? call.resultType : ''])
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}
