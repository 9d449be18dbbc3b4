/** What is called next: drawn by the mix, for a player by Zipf's law or for a bet that such a call can be about. */
import { randomUUID } from 'node:crypto'
import type { Random } from '../runtime/random.ts'
import type { Bet, Call } from './bet.ts'
import { placeMessage, rollbackMessage, settleMessage } from './message.ts'
import { drawKind, type Kind, type Mix } from './mix.ts'
import type { Player } from './player.ts'
import type { Pool } from './pool.ts'

/** In minor units, by currency. */
export type Stakes = ReadonlyMap<string, { readonly least: bigint; readonly most: bigint }>

/** Bets without a call under way, by what can follow. */
export type Pools = Readonly<Record<'open' | 'settled' | 'over', Pool<Bet>>>

export interface Draw {
  readonly players: readonly Player[]
  readonly drawPlayer: (random: Random) => number
  readonly mix: Mix
  readonly stakes: Stakes
  readonly random: Random
}

/** Two bets of five are won, at odds of 1.85. */
const WON = 0.4
const ODDS_PERCENT = 185n

/** A bet is placed where there is none for what was drawn. */
export function drawCall(draw: Draw, pools: Pools): Call {
  const kind = drawKind(draw.mix, draw.random)
  const bet = kind === 'place' ? undefined : takeFor(kind, pools, draw.random)
  return (bet && callAbout(kind, bet, draw)) ?? placeCall(draw)
}

function takeFor(kind: Exclude<Kind, 'place'>, { open, settled, over }: Pools, random: Random): Bet | undefined {
  if (kind === 'resettle') return settled.take(random)
  if (kind !== 'repeat') return open.take(random)
  const filled = [open, settled, over].filter(({ size }) => size() > 0)
  return filled.length === 0 ? undefined : random.pick(filled).take(random)
}

function callAbout(kind: Kind, bet: Bet, draw: Draw): Call | undefined {
  switch (kind) {
    case 'place':
      return undefined
    case 'settle':
      return settleCall(kind, bet, draw.random.chance(WON) ? wonBy(bet) : 0n, draw)
    case 'resettle': {
      const others = [0n, bet.stake, wonBy(bet)].filter((payout) => payout !== bet.payout)
      return settleCall(kind, bet, draw.random.pick(others), draw)
    }
    case 'rollback':
      return { kind, bet, message: rollbackOf(bet, draw), payout: 0n }
    case 'repeat':
      return bet.last && { kind, bet, message: bet.last, payout: bet.payout }
    default:
      return kind satisfies never
  }
}

function placeCall({ players, drawPlayer, stakes, random }: Draw): Call {
  const place = drawPlayer(random)
  const player = playerAt(players, place)
  const stake = drawStake(stakes, player, random)
  const bet: Bet = { betId: randomUUID(), player: place, stake, life: 'new', payout: 0n }
  return { kind: 'place', bet, message: placeMessage(player, bet.betId, stake), payout: 0n }
}

function settleCall(kind: 'settle' | 'resettle', bet: Bet, payout: bigint, { players }: Draw): Call {
  return { kind, bet, payout, message: settleMessage(playerAt(players, bet.player), bet.betId, bet.stake, payout) }
}

export function rollbackOf({ player, betId, stake }: Bet, { players }: Pick<Draw, 'players'>): Call['message'] {
  return rollbackMessage(playerAt(players, player), betId, stake)
}

function playerAt(players: readonly Player[], place: number): Player {
  const player = players[place]
  if (player === undefined) throw new Error(`there is no player ${place}`)
  return player
}

function wonBy({ stake }: Bet): bigint {
  return (stake * ODDS_PERCENT) / 100n
}

function drawStake(stakes: Stakes, { currency }: Player, random: Random): bigint {
  const range = stakes.get(currency)
  if (range === undefined) throw new Error(`there is no stake in ${currency}`)
  return range.least + BigInt(random.below(Number.parseInt(`${range.most - range.least + 1n}`, 10)))
}
