/**
 * The test wallet's decision about a call: the answer, the money to move, and the bet to store. It
 * is complete before anything is written.
 */
import type { Purse } from './purse.ts'
import type { BetCall } from './read-call.ts'
import {
  type Bet,
  betKey,
  findSession,
  has,
  isForgotten,
  nowOf,
  type Player,
  purseOf,
  type Session,
  type Wallet,
} from './state.ts'

export type Answer =
  | { readonly kind: 'bet'; readonly transactionId: string; readonly requestId: string; readonly at: string }
  | { readonly kind: 'data'; readonly json: string }
  | { readonly kind: 'refused'; readonly code: number }

export interface Move {
  readonly player: Player
  readonly purse: Purse
  /** Minor units, added to the purse. */
  readonly units: bigint
  /** The balance of the purse at the decision. */
  readonly before: bigint
}

export interface Decision {
  readonly answer: Answer
  readonly moves?: readonly Move[]
  readonly bet?: Bet
}

export function refuse(code: number): Decision {
  return { answer: { kind: 'refused', code } }
}

/** Success; `at` is the time of the effect, which may be an earlier one. */
export function accept({ transactionId, requestId }: BetCall, at: string): Decision {
  return { answer: { kind: 'bet', transactionId, requestId, at } }
}

/** Success without effect, with the original time. */
export function repeat(wallet: Wallet, call: BetCall, at: string): Decision {
  return accept(
    call,
    hasNewTime(wallet, call.operation) || isForgotten(wallet, at, 'times-forgotten') ? nowOf(wallet) : at,
  )
}

function hasNewTime(wallet: Wallet, operation: BetCall['operation']): boolean {
  if (has(wallet, 'repeat-has-new-time')) return true
  switch (operation) {
    case 'settle':
      return has(wallet, 'settle-repeat-has-new-time')
    case 'rollback':
      return has(wallet, 'rollback-repeat-has-new-time')
    case 'unsettle':
      return has(wallet, 'unsettle-repeat-has-new-time')
    case 'place':
      return false
    default:
      return operation satisfies never
  }
}

export function move(wallet: Wallet, player: Player, currency: string, units: bigint): Move {
  const purse = purseOf(wallet, player, currency)
  return { player, purse, units, before: purse.units() }
}

/** The player and the bet id identify a bet (I-1); a fault may find bets of other players. */
export function findBet(wallet: Wallet, { operation, userId, transactionId }: BetCall): Bet | undefined {
  const own = wallet.bets.get(betKey(wallet, userId, transactionId))
  return own === undefined && findsOthers(wallet, operation) ? ofAnybody(wallet, transactionId) : own
}

function findsOthers(wallet: Wallet, operation: BetCall['operation']): boolean {
  switch (operation) {
    case 'place':
      return has(wallet, 'bets-shared-by-players')
    case 'settle':
      return has(wallet, 'settle-of-another') || paysSender(wallet)
    case 'rollback':
      return has(wallet, 'rollback-of-another')
    case 'unsettle':
      return false
    default:
      return operation satisfies never
  }
}

export function paysSender(wallet: Wallet): boolean {
  return has(wallet, 'settle-pays-the-sender')
}

export function ofAnybody({ bets }: Wallet, transactionId: string): Bet | undefined {
  const found = [...bets].find(([key]) => JSON.parse(key)[1] === transactionId)
  return found?.[1]
}

/**
 * The code for a bad token: 3 unknown, 4 ended (P-1, L-4). Undefined for a live token of this
 * player.
 */
export function tokenProblem(wallet: Wallet, session: Session | undefined, userId: string): 3 | 4 | undefined {
  if (session === undefined || session.userId !== userId) return 3
  if (!session.ended && session.expiresAt > wallet.clock.now()) return undefined
  return has(wallet, 'codes-of-tokens-mixed') ? 3 : 4
}

export function sessionOf(wallet: Wallet, { token }: BetCall): Session | undefined {
  return findSession(wallet, token)
}
