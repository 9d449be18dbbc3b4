/** Bets counted by what the feed says of them, where there are too many to be told one by one. */
import { createLru } from '../../../runtime/lru-cache.ts'
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
/** Bets that are remembered, to know a correction from a first result. */
const MAX_REMEMBERED = 20_000

/** What a change counts as; a bet counts itself too when it is first heard of. */
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
