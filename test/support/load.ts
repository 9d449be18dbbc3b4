/** Bettors who never pause: load for a wallet that is about to be killed. */
import { type BetRecord, carryOut, newBet, type Player, rollbackOf, settleOf, unsettleOf } from './journal.ts'
import type { Random } from './random.ts'
import type { PartnerWire } from './wire.ts'

export interface Load {
  /** Every bet so far, in the state that its bettor knows. */
  bets: BetRecord[]
  /** Resolves when every bettor has met a call that was not answered with yes. */
  ended: Promise<void>
}

/** Each bettor has one call under way; several share a player, so that their calls meet. */
export function startLoad(wire: PartnerWire, players: Player[], bettors: number, random: Random): Load {
  const bets: BetRecord[] = []
  const playing = Array.from({ length: bettors }, async (_, number) => {
    const player = players[number % players.length] as Player
    while (await liveABet(wire, player, bets, random));
  })
  return { bets, ended: Promise.all(playing).then(() => undefined) }
}

/** One bet from its placing to some end; false when a call got no yes. */
async function liveABet(wire: PartnerWire, player: Player, bets: BetRecord[], random: Random): Promise<boolean> {
  const { bet, place } = newBet(player, random)
  bets.push(bet)
  if (!(await carryOut(wire, bet, place))) return false
  if (random.chance(0.3)) return carryOut(wire, bet, rollbackOf(bet))
  if (random.chance(0.3)) return true
  if (!(await carryOut(wire, bet, settleOf(bet)))) return false
  return random.chance(0.3) ? carryOut(wire, bet, unsettleOf(bet)) : true
}
