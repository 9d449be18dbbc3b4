/** Follows the bets that were placed: asks the platform about those of which its feed has something new, tells what happened. */
import type { Api } from './api.ts'
import type { Change } from './follow.ts'
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
  add(betId: string, wish: Wish, status: Watched['status']): Watched
  /** Nothing more will happen to a match. */
  matchIsOver(matchId: string): void
  /** Reads what has changed, and looks at the bets that it was about; tells those that moved. */
  look(): Promise<void>
  /** Looks until nothing moves any more, or the time is up. */
  settle(until: number): Promise<void>
}

/** Bets that are asked for at once. */
const AT_ONCE = 4
/** Milliseconds between two looks. */
export const LOOK_MS = 250

export interface WatchDeps {
  readonly platform: Api
  /** What has changed since the last look. */
  changes(): Promise<readonly Change[]>
  /** Undefined: bets are not told, only counted by whoever looks at the changes. */
  readonly tell: ((bet: Watched, fresh: readonly Step[]) => void) | undefined
}

export function createWatch({ platform, changes, tell }: WatchDeps): Watch {
  const bets = new Map<string, Watched>()
  const note = ({ bet, delivery }: Change) => {
    const watched = bets.get(bet?.betId ?? delivery?.betId ?? '')
    if (watched === undefined) return
    watched.isDue = true
    if (bet !== undefined) watched.status = bet.status
  }
  const look = async () => {
    for (const change of await changes()) note(change)
    if (tell === undefined) return forget()
    const due = [...bets.values()].filter(({ isDue }) => isDue)
    for (let first = 0; first < due.length; first += AT_ONCE)
      await Promise.all(due.slice(first, first + AT_ONCE).map(lookAt))
  }
  const forget = () => {
    for (const bet of bets.values()) {
      bet.isDue = false
      if (isOver(bet)) bets.delete(bet.betId)
    }
  }
  const lookAt = async (bet: Watched) => {
    const detail = await platform.get<BetDetail>('GET', `/bets/${bet.betId}`)
    bet.isDue = false
    const { steps, isMoving } = lifeOf(detail)
    const known = bet.steps.length
    bet.steps = steps
    bet.status = detail.status
    if (steps.length > known && !isMoving) tell?.(bet, steps.slice(known))
    else bet.steps = steps.slice(0, known)
    if (!isMoving && isOver(bet)) bets.delete(bet.betId)
  }
  return {
    add(betId, wish, status) {
      const undecided = new Set(wish.picks.map(({ match }) => match.id))
      const bet: Watched = { betId, wish, steps: [], status, isDue: true, undecided }
      bets.set(betId, bet)
      return bet
    },
    matchIsOver(matchId) {
      for (const bet of bets.values()) bet.undecided.delete(matchId)
    },
    look,
    async settle(until) {
      await look()
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
