/**
 * Watches the placed bets. When the platform's feed has a change of a bet, the watch reads the bet
 * from the platform and reports new steps.
 */
import type { BearerClient } from '../bearer-client.ts'
import { type BetDetail, type BetStep, describeBetSteps } from './bet-steps.ts'
import type { BetChoice } from './bettor-behaviour.ts'
import type { PlatformChange } from './platform-changes.ts'

export interface WatchedBet {
  readonly betId: string
  readonly choice: BetChoice
  /** The reported steps. */
  steps: readonly BetStep[]
  status: BetDetail['status']
  /** True if the bet may have changed since the last read. */
  isDue: boolean
  /** Ids of matches that may still change. */
  readonly undecided: Set<string>
}

export interface BetWatch {
  add(betId: string, choice: BetChoice, status: WatchedBet['status']): WatchedBet
  /** Called after the last change of a match. */
  matchIsOver(matchId: string): void
  /** Reads the changes and the changed bets, and reports new steps. */
  poll(): Promise<void>
  /** Polls until no bet changes any more, or until the time `until`. */
  settle(until: number): Promise<void>
}

/** Concurrent reads. */
const AT_ONCE = 4
export const BET_POLL_MS = 250

export interface BetWatchDeps {
  readonly platform: BearerClient
  /** Returns the changes since the last call. */
  changes(): Promise<readonly PlatformChange[]>
  /** If undefined, bets are only counted, by the reader of the changes. */
  readonly onSteps: ((bet: WatchedBet, fresh: readonly BetStep[]) => void) | undefined
}

export function createBetWatch({ platform, changes, onSteps }: BetWatchDeps): BetWatch {
  const bets = new Map<string, WatchedBet>()
  const markDue = ({ bet, delivery }: PlatformChange) => {
    const watched = bets.get(bet?.betId ?? delivery?.betId ?? '')
    if (watched === undefined) return
    watched.isDue = true
    if (bet !== undefined) watched.status = bet.status
  }
  const poll = async () => {
    for (const change of await changes()) markDue(change)
    if (onSteps === undefined) return forget()
    const due = [...bets.values()].filter(({ isDue }) => isDue)
    for (let first = 0; first < due.length; first += AT_ONCE)
      await Promise.all(due.slice(first, first + AT_ONCE).map(readBet))
  }
  const forget = () => {
    for (const bet of bets.values()) {
      bet.isDue = false
      if (isOver(bet)) bets.delete(bet.betId)
    }
  }
  const readBet = async (bet: WatchedBet) => {
    const detail = await platform.fetchJson<BetDetail>('GET', `/bets/${bet.betId}`)
    bet.isDue = false
    const { steps, isMoving } = describeBetSteps(detail)
    const known = bet.steps.length
    bet.steps = steps
    bet.status = detail.status
    if (steps.length > known && !isMoving) onSteps?.(bet, steps.slice(known))
    else bet.steps = steps.slice(0, known)
    if (!isMoving && isOver(bet)) bets.delete(bet.betId)
  }
  return {
    add(betId, choice, status) {
      const undecided = new Set(choice.picks.map(({ match }) => match.id))
      const bet: WatchedBet = { betId, choice, steps: [], status, isDue: true, undecided }
      bets.set(betId, bet)
      return bet
    },
    matchIsOver(matchId) {
      for (const bet of bets.values()) bet.undecided.delete(matchId)
    },
    poll,
    async settle(until) {
      await poll()
      while ([...bets.values()].some(({ isDue }) => isDue) && Date.now() < until) {
        await poll()
        await new Promise((resolve) => setTimeout(resolve, BET_POLL_MS))
      }
    },
  }
}

function isOver({ status, undecided }: WatchedBet): boolean {
  return status === 'declined' || status === 'cancelled' || undecided.size === 0
}
