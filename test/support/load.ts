/** Bettors who never pause: load for a wallet that is about to be killed. */
import { EventEmitter, once } from 'node:events'
import {
  type BetRecord,
  type Call,
  carryOut,
  newBet,
  type Player,
  rollbackOf,
  settleOf,
  unsettleOf,
} from './journal.ts'
import type { Random } from './random.ts'
import type { PartnerWire } from './wire.ts'

export interface Load {
  /** Every bet so far, in the state that its bettor knows. */
  bets: BetRecord[]
  /** The moment at which the next call is answered with yes. */
  nextAnswer(): Promise<unknown>
  /** Resolves when every bettor has met a call that was not answered with yes. */
  ended: Promise<void>
}

interface Bettor {
  player: Player
  random: Random
  bets: BetRecord[]
  /** False when the call got no yes. */
  call(bet: BetRecord, call: Call): Promise<boolean>
}

/** Each bettor has one call under way; several share a player, so that their calls meet. */
export function startLoad(wire: PartnerWire, players: Player[], bettors: number, random: Random): Load {
  const bets: BetRecord[] = []
  const answers = new EventEmitter()
  const call: Bettor['call'] = async (bet, call) => {
    const yes = await carryOut(wire, bet, call)
    if (yes) answers.emit('yes')
    return yes
  }
  const playing = Array.from({ length: bettors }, async (_, number) => {
    const player = players[number % players.length] as Player
    while (await liveABet({ player, random, bets, call }));
  })
  return { bets, nextAnswer: () => once(answers, 'yes'), ended: Promise.all(playing).then(() => undefined) }
}

/** One bet from its placing to some end; false when a call got no yes. */
async function liveABet({ player, random, bets, call }: Bettor): Promise<boolean> {
  const { bet, place } = newBet(player, random)
  bets.push(bet)
  if (!(await call(bet, place))) return false
  if (random.chance(0.3)) return call(bet, rollbackOf(bet))
  if (random.chance(0.3)) return true
  if (!(await call(bet, settleOf(bet)))) return false
  return random.chance(0.3) ? call(bet, unsettleOf(bet)) : true
}
