/** What the model works on: all it knows, the settings it reads the rules with, and how it words a verdict. */
import type { Bet, PlacedBet } from './bet.ts'
import type { Anomaly, Row, Rule, Settings, Verdict } from './call.ts'
import type { Player, Session } from './players.ts'

/** Plain data, so that it can be copied. */
export interface World {
  players: Map<string, Player>
  sessions: Map<string, Session>
  bets: Map<string, Bet>
  /** S-5: the requestIds of every Place bet that a bet id has seen, whatever it came to. */
  placeRequests: Set<string>
  moments: number
}

/** One model at work. */
export interface State {
  readonly settings: Settings
  readonly world: World
  /** The special rule that decided the call at hand. */
  rule: Rule | undefined
  /** What it is noted as. */
  anomaly: Anomaly | undefined
}

type Taken = Verdict & { status: 200 }

export function newWorld(): World {
  return { players: new Map(), sessions: new Map(), bets: new Map(), placeRequests: new Set(), moments: 0 }
}

/** A bet is a player and an id, both opaque (I-1, I-6, I-7). */
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

/** Something took effect just now. */
export function took({ world }: State): Taken {
  world.moments += 1
  return { status: 200, moment: world.moments, effect: true }
}

/** Success at a new moment, though nothing happened. */
export function noEffect(state: State): Taken {
  return { ...took(state), effect: false }
}

/** The UTC day, YYYY-MM-DD. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}
