/**
 * Bets of one worker, and the money that the calls about these bets have moved.
 *
 * Invariant: each bet has at most one call in progress, because the call takes the bet out of its
 * pool. So the effects of the answers can be added in any order.
 */
import type { CallOutcome } from '@purser/protocol/client/answer-classification'
import { judgeAnswer, judgeCompensation, type LoadBet, type LoadCall } from '../bet-state.ts'
import type { CallMessage } from '../call-body.ts'
import { type BetPools, buildRollbackOf, type CallDraw, drawCall } from '../call-draw.ts'
import { createBoundedPool } from './bounded-pool.ts'

/** A call whose effect on the money is in doubt. */
export interface UnacknowledgedCall {
  readonly call: LoadCall
  readonly why: string
  /**
   * The call that resolves the doubt, as from a platform: a Rollback for a Place bet, else the same
   * bytes.
   */
  readonly again: CallMessage
}

export interface WorkerBook {
  next(): LoadCall
  recordAnswer(call: LoadCall, outcome: CallOutcome): void
  /** Records the answer to `again` and returns the doubt that remains. */
  recordRetryAnswer(unacknowledged: UnacknowledgedCall, outcome: CallOutcome): UnacknowledgedCall | undefined
  readonly doubts: readonly UnacknowledgedCall[]
  /** By player. */
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
