/** Follows the bets that were placed: asks the platform about those to which something may have happened, tells what did. */
import type { Api } from './api.ts'
import { type BetDetail, lifeOf, type Step } from './life.ts'
import type { Wish } from './wishes.ts'

export interface Watched {
  readonly betId: string
  readonly wish: Wish
  /** What has been told of its life. */
  steps: readonly Step[]
  status: BetDetail['status']
  /** Something may have happened since it was looked at. */
  isDue: boolean
  /** Matches whose last word is not spoken. */
  readonly undecided: Set<string>
}

export interface Watch {
  add(betId: string, wish: Wish): Watched
  /** Something happened to a match: every bet on it is looked at. `isLast`: and nothing more will. */
  matchChanged(matchId: string, isLast: boolean): void
  /** A bet of which the caller knows that something happened. */
  betChanged(bet: Watched): void
  /** Looks at every bet that is due; tells those that moved. */
  look(): Promise<void>
  /** Looks until nothing moves any more, or the time is up. */
  settle(until: number): Promise<void>
}

/** Bets that are asked for at once. */
const AT_ONCE = 4
/** Milliseconds between two looks at what is still moving. */
export const LOOK_MS = 250

export function createWatch(platform: Api, tell: (bet: Watched, fresh: readonly Step[]) => void): Watch {
  const bets = new Map<string, Watched>()
  const look = async () => {
    const due = [...bets.values()].filter(({ isDue }) => isDue)
    for (let first = 0; first < due.length; first += AT_ONCE)
      await Promise.all(due.slice(first, first + AT_ONCE).map(lookAt))
  }
  const lookAt = async (bet: Watched) => {
    bet.isDue = false
    const detail = await platform.get<BetDetail>('GET', `/bets/${bet.betId}`)
    const { steps, isMoving } = lifeOf(detail)
    const known = bet.steps.length
    bet.steps = steps
    bet.status = detail.status
    if (isMoving) bet.isDue = true
    if (steps.length > known && !isMoving) tell(bet, steps.slice(known))
    else bet.steps = steps.slice(0, known)
    if (!isMoving && isOver(bet)) bets.delete(bet.betId)
  }
  return {
    add(betId, wish) {
      const undecided = new Set(wish.picks.map(({ match }) => match.id))
      const bet: Watched = { betId, wish, steps: [], status: 'placing', isDue: true, undecided }
      bets.set(betId, bet)
      return bet
    },
    matchChanged(matchId, isLast) {
      for (const bet of bets.values()) {
        if (!bet.wish.picks.some(({ match }) => match.id === matchId)) continue
        bet.isDue = true
        if (isLast) bet.undecided.delete(matchId)
      }
    },
    betChanged(bet) {
      bet.isDue = true
    },
    look,
    async settle(until) {
      while ([...bets.values()].some(({ isDue }) => isDue) && Date.now() < until) {
        await look()
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
  }
}

function isOver({ status, undecided }: Watched): boolean {
  return status === 'declined' || status === 'cancelled' || undecided.size === 0
}
