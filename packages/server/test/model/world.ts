/** The state of the model (players, sessions, bets), and functions that make its verdicts. */
import type { Bet, PlacedBet } from './bet.ts'
import type { Anomaly, Row, Rule, Settings, Verdict } from './call.ts'
import type { Player, Session } from './players.ts'

/** Plain data, which can be copied. */
export interface World {
  players: Map<string, Player>
  sessions: Map<string, Session>
  bets: Map<string, Bet>
  /** The requestIds of every Place bet with a bet id, accepted or not (S-5). */
  placeRequests: Set<string>
  moments: number
}

/** The model during one call. */
export interface State {
  readonly settings: Settings
  readonly world: World
  rule: Rule | undefined
  anomaly: Anomaly | undefined
}

type AcceptedVerdict = Verdict & { status: 200 }

export function newWorld(): World {
  return { players: new Map(), sessions: new Map(), bets: new Map(), placeRequests: new Set(), moments: 0 }
}

/** Player and id, both opaque, identify a bet (I-1, I-6, I-7). */
export function keyOf(player: string, bet: string): string {
  return `${player}\u0000${bet}`
}

export function placedBetsOf({ bets }: World, player: string): PlacedBet[] {
  const own = [...bets].filter(([key]) => key.startsWith(keyOf(player, ''))).map(([, bet]) => bet)
  return own.filter((bet) => bet.status !== 'tombstone' && bet.status !== 'refused')
}

export function rowOf({ bets }: World, player: string, bet: string): Row {
  const status = bets.get(keyOf(player, bet))?.status ?? 'nothing'
  return status === 'tombstone' ? 'cancelled' : status
}

export function refuse(state: State, code: number, by?: Rule): Verdict {
  state.rule ??= by
  return { status: 400, code }
}

export function repeat(state: State, moment: number, by?: Rule): Verdict {
  state.rule ??= by
  return { status: 200, moment, effect: true }
}

export function took({ world }: State): AcceptedVerdict {
  world.moments += 1
  return { status: 200, moment: world.moments, effect: true }
}

/** A success without an effect, at a new moment. */
export function noEffect(state: State): AcceptedVerdict {
  return { ...took(state), effect: false }
}

/** YYYY-MM-DD in UTC. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}
