/**
 * Ended tokens, locked bets and blocked players, as the simulation's auditor (market-auditor.ts)
 * knows them.
 *
 * A call that is in progress during a change may see the state before or after the change, so
 * neither is certain.
 */
import type { ObservedCall, PendingCall } from '../bet-life.ts'
import type { WatchedBets } from '../oracle/possible-orders.ts'
import { createTokenOracle, type TokenOracle, type TokenSnapshot } from '../oracle/token-oracle.ts'
import type { MoneyRules } from '../scenario.ts'

/** A change is certain from its answer until the opposite change is requested. */
export interface OperatorState {
  readonly tokens: Omit<TokenOracle, 'keep' | 'restored'>
  locked(betId: string, isLocked: boolean): void
  blocked(player: string, block: PendingCall['block']): void
  limited(player: string): void
}

export interface OperatorStateSnapshot {
  readonly tokens: TokenSnapshot
  readonly locks: ReadonlySet<string>
  readonly blocks: ReadonlyMap<string, PendingCall['block']>
}

interface OperatorStateOracle extends OperatorState {
  /** The state for a call that arrives now. */
  stateAtArrival(betId: string, player: string, call: ObservedCall): PendingCall
  keep(): OperatorStateSnapshot
  restored(kept: OperatorStateSnapshot): void
}

export function createOperatorState({ all, eachCall }: WatchedBets, rules: MoneyRules): OperatorStateOracle {
  const [locks, limited, blocks] = [new Set<string>(), new Set<string>(), new Map<string, PendingCall['block']>()]
  const tokens = createTokenOracle()
  const tokenOf = ({ kind, token }: ObservedCall, player: string) =>
    token === undefined ? (kind === 'place' ? 'not reported' : 'absent') : tokens.stateOf(token, player)
  /** Calls in progress may see either state of a token. */
  const markUncertain = () =>
    eachCall((call, _, player) => {
      if (call.tokenIs === 'live' && tokenOf(call, player) !== 'live') call.tokenIs = 'may have ended'
    })
  const thenMarkUncertain =
    <A extends unknown[]>(change: (...args: A) => void) =>
    (...args: A) => {
      change(...args)
      markUncertain()
    }
  const { ending, ended, clockJumped } = tokens
  return {
    stateAtArrival(betId, player, call) {
      const [isLocked, isLimited, block] = [locks.has(betId), limited.has(player), blocks.get(player) ?? 'no']
      return { ...call, tokenIs: tokenOf(call, player), isLocked, isLimited, block, rules }
    },
    limited: (player) => void limited.add(player),
    tokens: {
      ...tokens,
      ending: thenMarkUncertain(ending),
      ended: thenMarkUncertain(ended),
      clockJumped: thenMarkUncertain(clockJumped),
    },
    locked(betId, isLocked) {
      if (isLocked) locks.add(betId)
      else locks.delete(betId)
      if (!isLocked) for (const call of all.get(betId)?.underWay.values() ?? []) call.isLocked = false
    },
    blocked(player, block) {
      blocks.set(player, block)
      if (block !== 'maybe') return
      eachCall((call, _, of) => {
        if (of === player) call.block = block
      })
    },
    keep: () => ({ tokens: tokens.keep(), locks: new Set(locks), blocks: new Map(blocks) }),
    restored(kept) {
      tokens.restored(kept.tokens)
      // A change without an answer is requested again, so the change is not undone here.
      for (const betId of locks) if (!kept.locks.has(betId)) locks.delete(betId)
      for (const [player, block] of blocks)
        blocks.set(player, block === 'maybe' ? block : (kept.blocks.get(player) ?? 'no'))
      eachCall((call) => Object.assign(call, { tokenIs: 'not reported', isLocked: false, block: 'maybe' }))
    },
  }
}
