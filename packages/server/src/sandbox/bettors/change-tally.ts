/**
 * Counts bets from the platform's feed. The sandbox prints only these counts if bets are too
 * frequent for a line each.
 */
import { createLru } from '@purser/runtime/lru-cache'
import type { BetStepKind } from './bet-steps.ts'
import type { PlatformChange } from './platform-changes.ts'

export type CountName = BetStepKind | 'bets'

const RESULTS = { won: 'won', lost: 'lost', refund: 'void', cashout: 'cashed out' } as const
const ENDS: Readonly<Record<string, BetStepKind>> = {
  'bet.declined': 'declined',
  'bet.cancelled': 'rolled back',
  'delivery.refused': 'result refused',
  'delivery.stuck': 'stuck',
}
/** Remembered bets, so that a correction differs from a first result. */
const MAX_REMEMBERED = 20_000

/** Returns the counters of a change. The first change of a bet also counts the bet. */
export function createChangeTally(): (change: PlatformChange) => CountName[] {
  const known = createLru<'accepted' | 'settled'>(MAX_REMEMBERED)
  return ({ event, bet }) => {
    const end = ENDS[event]
    if (bet === undefined) return end === undefined ? [] : [end]
    const before = known.get(bet.betId)
    const isNew: CountName[] = before === undefined ? ['bets'] : []
    if (end !== undefined) {
      known.delete(bet.betId)
      return [...isNew, end]
    }
    known.set(bet.betId, event === 'bet.settled' ? 'settled' : 'accepted')
    if (event === 'bet.accepted') return before === undefined ? ['bets', 'accepted'] : ['result withdrawn']
    return before === 'settled' ? ['corrected'] : [RESULTS[bet.resultType ?? 'lost']]
  }
}
