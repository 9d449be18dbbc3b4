/** Makes load for a wallet that is about to be killed: bettors that bet without pauses. */
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
  /** Resolves when the wallet accepts the next call. */
  nextAnswer(): Promise<unknown>
  /** Resolves when each bettor has had a call that was not accepted. */
  ended: Promise<void>
}

interface Bettor {
  player: Player
  random: Random
  bets: BetRecord[]
  /** False when the call was not accepted. */
  call(bet: BetRecord, call: Call): Promise<boolean>
}

/** Each bettor has one call in progress. Bettors share players, so that their calls coincide. */
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

async function liveABet({ player, random, bets, call }: Bettor): Promise<boolean> {
  const { bet, place } = newBet(player, random)
  bets.push(bet)
  if (!(await call(bet, place))) return false
  if (random.chance(0.3)) return call(bet, rollbackOf(bet))
  if (random.chance(0.3)) return true
  if (!(await call(bet, settleOf(bet)))) return false
  return random.chance(0.3) ? call(bet, unsettleOf(bet)) : true
}
