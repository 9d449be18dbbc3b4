/**
 * The bets of a worker and what its calls have moved. Each bet has one call under way at most: what it is for is taken out of its
 * pool until the answer is there. So what a balance must be is a sum of answers, whatever their order.
 */
import type { CallOutcome } from '../../../protocol/client/answer-classification.ts'
import { judgeAnswer, judgeCompensation, type LoadBet, type LoadCall } from '../bet-state.ts'
import type { CallMessage } from '../call-body.ts'
import { type BetPools, buildRollbackOf, type CallDraw, drawCall } from '../call-draw.ts'
import { createBoundedPool } from './bounded-pool.ts'

/** A call on whose money the wallet has not said a word. */
export interface UnacknowledgedCall {
  readonly call: LoadCall
  readonly why: string
  /** What asks for a word, as a platform would: the same bytes, but a Rollback of a Place bet. */
  readonly again: CallMessage
}

export interface WorkerBook {
  next(): LoadCall
  /** What the wallet answered. */
  recordAnswer(call: LoadCall, outcome: CallOutcome): void
  /** What it answered to `again`. Answers the doubt that is left. */
  recordRetryAnswer(unacknowledged: UnacknowledgedCall, outcome: CallOutcome): UnacknowledgedCall | undefined
  readonly doubts: readonly UnacknowledgedCall[]
  /** By player: how much the acknowledged calls have moved. */
  readonly moved: ReadonlyMap<number, bigint>
}

export function createWorkerBook(draw: CallDraw): WorkerBook {
  const pools: BetPools = { open: createBoundedPool(), settled: createBoundedPool(), over: createBoundedPool() }
  const moved = new Map<number, bigint>()
  const unacknowledgedCalls: UnacknowledgedCall[] = []
  const applyEffect = (delta: bigint, bet: LoadBet) => {
    if (delta !== 0n) moved.set(bet.player, (moved.get(bet.player) ?? 0n) + delta)
    if (bet.last !== undefined && bet.life !== 'new') pools[bet.life].put(bet, draw.random)
  }
  return {
    moved,
    doubts: unacknowledgedCalls,
    next: () => drawCall(draw, pools),
    recordAnswer(call, outcome) {
      const judged = judgeAnswer(call, outcome)
      if (judged.kind === 'known') return applyEffect(judged.delta, judged.bet)
      const again = call.kind === 'place' ? buildRollbackOf(call.bet, draw) : call.message
      unacknowledgedCalls.push({ call, why: judged.why, again })
    },
    recordRetryAnswer(unacknowledged, outcome) {
      const { call } = unacknowledged
      const judged = call.kind === 'place' ? judgeCompensation(call, outcome) : judgeAnswer(call, outcome)
      if (judged.kind === 'doubt') return { ...unacknowledged, why: judged.why }
      applyEffect(judged.delta, judged.bet)
      return undefined
    },
  }
}
