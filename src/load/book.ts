/**
 * The bets of a worker and what its calls have moved. Each bet has one call under way at most: what it is for is taken out of its
 * pool until the answer is there. So what a balance must be is a sum of answers, whatever their order.
 */
import type { CallOutcome } from '../wallet-client/classify.ts'
import { type Bet, type Call, judge, judgeCancelled } from './bet.ts'
import { type Draw, drawCall, type Pools, rollbackOf } from './draw.ts'
import type { Message } from './message.ts'
import { createPool } from './pool.ts'

/** A call on whose money the wallet has not said a word. */
export interface Doubt {
  readonly call: Call
  readonly why: string
  /** What asks for a word, as a platform would: the same bytes, but a Rollback of a Place bet. */
  readonly again: Message
}

export interface Book {
  next(): Call
  /** What the wallet answered. */
  tell(call: Call, outcome: CallOutcome): void
  /** What it answered to `again`. Answers the doubt that is left. */
  tellAgain(doubt: Doubt, outcome: CallOutcome): Doubt | undefined
  readonly doubts: readonly Doubt[]
  /** By player: how much the acknowledged calls have moved. */
  readonly moved: ReadonlyMap<number, bigint>
}

export function createBook(draw: Draw): Book {
  const pools: Pools = { open: createPool(), settled: createPool(), over: createPool() }
  const moved = new Map<number, bigint>()
  const doubts: Doubt[] = []
  const know = (delta: bigint, bet: Bet) => {
    if (delta !== 0n) moved.set(bet.player, (moved.get(bet.player) ?? 0n) + delta)
    if (bet.last !== undefined && bet.life !== 'new') pools[bet.life].put(bet, draw.random)
  }
  return {
    moved,
    doubts,
    next: () => drawCall(draw, pools),
    tell(call, outcome) {
      const judged = judge(call, outcome)
      if (judged.kind === 'known') return know(judged.delta, judged.bet)
      const again = call.kind === 'place' ? rollbackOf(call.bet, draw) : call.message
      doubts.push({ call, why: judged.why, again })
    },
    tellAgain(doubt, outcome) {
      const { call } = doubt
      const judged = call.kind === 'place' ? judgeCancelled(call, outcome) : judge(call, outcome)
      if (judged.kind === 'doubt') return { ...doubt, why: judged.why }
      know(judged.delta, judged.bet)
      return undefined
    },
  }
}
