/**
 * The model is a second, deliberately simple implementation of interface.md and decisions.md.
 *
 * It predicts the wallet's reply to each call and every balance after the call. The model shares no
 * code with the wallet, so a test overlooks only an error that both have. Checks have a fixed order
 * . A prediction names the row of the life table in decisions.md that decided it.
 */
import type { Bet, PlacedBet } from './bet.ts'
import type { BetView, Call, Prediction, ReversalCall, Settings, SettleCall, Verdict } from './call.ts'
import { isFreebet, place } from './place.ts'
import { minorUnits, newPlayer, type Player, type Session } from './players.ts'
import { rollback } from './rollback.ts'
import { settle, unsettle } from './settle.ts'
import { keyOf, newWorld, refuse, repeat, rowOf, type State, type World } from './world.ts'

export interface Model {
  players: Map<string, Player>
  sessions: Map<string, Session>
  /** An independent copy. */
  fork(): Model
  addPlayer(id: string): void
  judge(call: Call, now: Date): Prediction
  bet(player: string, bet: string): BetView
  /** Locks a result (L-3); false without a bet. */
  setLock(player: string, bet: string, locked: boolean): boolean
}

export function createModel(settings: Settings, world: World = newWorld()): Model {
  const { players, sessions } = world
  return {
    players,
    sessions,
    fork: () => createModel(settings, structuredClone(world)),
    addPlayer: (id) => void players.set(id, newPlayer()),
    judge: (call, now) => judge({ settings, world, rule: undefined, anomaly: undefined }, call, now),
    bet: (player, bet) => view(world, player, bet),
    setLock: (player, bet, locked) => setLock(world, player, bet, locked),
  }
}

function judge(state: State, sent: Call, now: Date): Prediction {
  const call = sent.kind === 'settle' ? withoutSign(state, sent) : sent
  if (isMalformed(call)) return { row: 'malformed', verdict: refuse(state, 5), rule: undefined, anomaly: undefined }
  const row = rowOf(state.world, call.player, call.bet)
  const bet = state.world.bets.get(keyOf(call.player, call.bet))
  if (call.kind === 'place') state.world.placeRequests.add(requestOf(call))
  const verdict = call.kind === 'place' ? place(state, call, bet, now) : change(state, call, bet, now)
  if (state.anomaly !== undefined && !state.settings.notesNothing)
    placedBet(state.world, call)?.anomalies.push(state.anomaly)
  return { row, verdict, rule: state.rule, anomaly: state.anomaly }
}

/** A payout of -0 is 0 (D-3). */
function withoutSign(state: State, call: SettleCall): SettleCall {
  if (!/^-0(\.0*)?$/.test(call.amount)) return call
  state.rule = 'D-3: a payout of -0'
  return { ...call, amount: '0' }
}

function placedBet({ bets }: World, { player, bet }: Call): PlacedBet | undefined {
  const known = bets.get(keyOf(player, bet))
  return known !== undefined && 'funder' in known ? known : undefined
}

function change(state: State, call: SettleCall | ReversalCall, bet: Bet | undefined, now: Date): Verdict {
  if (call.kind === 'rollback') return rollback(state, call, bet)
  if (call.kind === 'unsettle' && state.world.placeRequests.has(requestOf(call)))
    return refuse(state, 5, 'S-5: a Place bet with PUT')
  if (bet === undefined || bet.status === 'refused') return refuse(state, 5)
  if (bet.status === 'tombstone') return refuse(state, 20)
  const seen = bet.acknowledged.get(contentOf(call))
  if (seen !== undefined) return repeat(state, seen, 'I-2: a late repeat')
  const refused = bet.refused.get(contentOf(call))
  if (refused !== undefined && refused.results < bet.results)
    return refuse(state, refused.code, 'I-2: refused for good')
  if (bet.status === 'cancelled') return refuse(state, 20)
  if (call.currency !== undefined && call.currency !== bet.currency) return refuse(state, 5, 'I-4: another currency')
  const verdict = call.kind === 'settle' ? settle(state, call, bet, now) : unsettle(state, call, bet, now)
  if (verdict.status === 200) {
    bet.acknowledged.set(contentOf(call), verdict.moment)
    bet.results += 1
  } else if ((verdict.code === 20 || verdict.code === 21) && refused === undefined)
    bet.refused.set(contentOf(call), { code: verdict.code, results: bet.results })
  return verdict
}

function view(world: World, player: string, id: string): BetView {
  const bet = world.bets.get(keyOf(player, id))
  const status = rowOf(world, player, id)
  if (bet === undefined || !('funder' in bet)) return { status, anomalies: [] }
  const { currency, stake, funder, settlement, anomalies } = bet
  const result = settlement && { payout: settlement.amount, resultType: settlement.resultType }
  return { status, currency, stake, funder, ...result, anomalies }
}

function setLock({ bets }: World, player: string, id: string, locked: boolean): boolean {
  const bet = bets.get(keyOf(player, id))
  if (bet !== undefined && 'locked' in bet) bet.locked = locked
  return bet !== undefined
}

/** The shape: the amount (M-1, M-2), a stake of 0 (M-3), the token of a cashout (L-4). */
function isMalformed(call: Call): boolean {
  if (call.kind === 'settle' && call.resultType === 'cashout' && call.token === undefined) return true
  // An unknown result type is malformed (L-6).
  if (call.kind === 'settle' && !['won', 'lost', 'refund', 'cashout'].includes(call.resultType)) return true
  // An unused member is not checked (W-21).
  if (call.kind !== 'place' && call.kind !== 'settle') return false
  const units = minorUnits(call.amount, call.currency ?? 'EUR')
  if (call.kind === 'settle') return units === undefined
  return units === undefined || !isBonusId(call.bonusId) || (units === 0n && !isFreebet(call))
}

function isBonusId(written: string): boolean {
  // A bonus id of -0 is malformed (W-3).
  return written === 'null' || /^(0|-?[1-9]\d*)$/.test(written)
}

function requestOf({ player, bet, request }: Call): string {
  return `${keyOf(player, bet)}\u0000${request}`
}

/** The "same content" with its requestId, by which a late repeat is recognised (I-2). */
function contentOf(call: SettleCall | ReversalCall): string {
  const { kind, request, currency } = call
  const units = call.amount === undefined ? undefined : minorUnits(call.amount, currency ?? '')
  return JSON.stringify([request, kind, String(units), currency, 'resultType' in call ? call.resultType : ''])
}
