/**
 * Random choice of the next call of a load. The mix decides the kind of the call, and Zipf's law
 * the player of a Place bet. Every other call needs a bet in the right state.
 */
import { randomUUID } from 'node:crypto'
import type { Random } from '@purser/runtime/seeded-random'
import type { LoadBet, LoadCall } from './bet-state.ts'
import { buildPlaceCallMessage, buildRollbackCallMessage, buildSettleCallMessage } from './call-body.ts'
import { type CallKind, type CallMix, drawCallKind } from './call-mix.ts'
import type { LoadPlayer } from './player.ts'
import type { BoundedPool } from './worker/bounded-pool.ts'

/** Minor units, by currency. */
export type StakeRanges = ReadonlyMap<string, { readonly least: bigint; readonly most: bigint }>

/** Bets without a call in progress, by their state. */
export type BetPools = Readonly<Record<'open' | 'settled' | 'over', BoundedPool<LoadBet>>>

export interface CallDraw {
  readonly players: readonly LoadPlayer[]
  readonly drawPlayer: (random: Random) => number
  readonly mix: CallMix
  readonly stakes: StakeRanges
  readonly random: Random
}

/** Two of five bets win, at odds of 1.85. */
const WON = 0.4
const ODDS_PERCENT = 185n

/** If no bet fits the drawn kind, a bet is placed. */
export function drawCall(draw: CallDraw, pools: BetPools): LoadCall {
  const kind = drawCallKind(draw.mix, draw.random)
  const bet = kind === 'place' ? undefined : takeBet(kind, pools, draw.random)
  return (bet && buildCallAbout(kind, bet, draw)) ?? buildPlaceCall(draw)
}

function takeBet(
  kind: Exclude<CallKind, 'place'>,
  { open, settled, over }: BetPools,
  random: Random,
): LoadBet | undefined {
  if (kind === 'resettle') return settled.take(random)
  if (kind !== 'repeat') return open.take(random)
  const filled = [open, settled, over].filter(({ size }) => size() > 0)
  return filled.length === 0 ? undefined : random.pick(filled).take(random)
}

function buildCallAbout(kind: CallKind, bet: LoadBet, draw: CallDraw): LoadCall | undefined {
  switch (kind) {
    case 'place':
      return undefined
    case 'settle':
      return buildSettleCall(kind, bet, draw.random.chance(WON) ? winningPayout(bet) : 0n, draw)
    case 'resettle': {
      const others = [0n, bet.stake, winningPayout(bet)].filter((payout) => payout !== bet.payout)
      return buildSettleCall(kind, bet, draw.random.pick(others), draw)
    }
    case 'rollback':
      return { kind, bet, message: buildRollbackOf(bet, draw), payout: 0n }
    case 'repeat':
      return bet.last && { kind, bet, message: bet.last, payout: bet.payout }
    default:
      return kind satisfies never
  }
}

function buildPlaceCall({ players, drawPlayer, stakes, random }: CallDraw): LoadCall {
  const place = drawPlayer(random)
  const player = requirePlayerAt(players, place)
  const stake = drawStake(stakes, player, random)
  const bet: LoadBet = { betId: randomUUID(), player: place, stake, life: 'new', payout: 0n }
  return { kind: 'place', bet, message: buildPlaceCallMessage(player, bet.betId, stake), payout: 0n }
}

function buildSettleCall(kind: 'settle' | 'resettle', bet: LoadBet, payout: bigint, { players }: CallDraw): LoadCall {
  return {
    kind,
    bet,
    payout,
    message: buildSettleCallMessage(requirePlayerAt(players, bet.player), bet.betId, bet.stake, payout),
  }
}

export function buildRollbackOf(
  { player, betId, stake }: LoadBet,
  { players }: Pick<CallDraw, 'players'>,
): LoadCall['message'] {
  return buildRollbackCallMessage(requirePlayerAt(players, player), betId, stake)
}

function requirePlayerAt(players: readonly LoadPlayer[], place: number): LoadPlayer {
  const player = players[place]
  if (player === undefined) throw new Error(`there is no player ${place}`)
  return player
}

function winningPayout({ stake }: LoadBet): bigint {
  return (stake * ODDS_PERCENT) / 100n
}

function drawStake(stakes: StakeRanges, { currency }: LoadPlayer, random: Random): bigint {
  const range = stakes.get(currency)
  if (range === undefined) throw new Error(`there is no stake in ${currency}`)
  return range.least + BigInt(random.below(Number.parseInt(`${range.most - range.least + 1n}`, 10)))
}
