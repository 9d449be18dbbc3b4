/** Bets counted by what the feed says of them, where there are too many to be told one by one. */
import { createLru } from '../runtime/lru.ts'
import type { Change } from './follow.ts'
import type { StepKind } from './life.ts'

export type Counted = StepKind | 'bets'

const RESULTS = { won: 'won', lost: 'lost', refund: 'void', cashout: 'cashed out' } as const
const ENDS: Readonly<Record<string, StepKind>> = {
  'bet.declined': 'declined',
  'bet.cancelled': 'rolled back',
  'delivery.refused': 'result refused',
  'delivery.stuck': 'stuck',
}
/** Bets that are remembered, to know a correction from a first result. */
const MAX_REMEMBERED = 20_000

/** What a change counts as; a bet counts itself too when it is first heard of. */
export function createTally(): (change: Change) => Counted[] {
  const known = createLru<'accepted' | 'settled'>(MAX_REMEMBERED)
  return ({ event, bet }) => {
    const end = ENDS[event]
    if (bet === undefined) return end === undefined ? [] : [end]
    const before = known.get(bet.betId)
    const isNew: Counted[] = before === undefined ? ['bets'] : []
    if (end !== undefined) {
      known.delete(bet.betId)
      return [...isNew, end]
    }
    known.set(bet.betId, event === 'bet.settled' ? 'settled' : 'accepted')
    if (event === 'bet.accepted') return before === undefined ? ['bets', 'accepted'] : ['result withdrawn']
    return before === 'settled' ? ['corrected'] : [RESULTS[bet.resultType ?? 'lost']]
  }
}
