/** What the test wallet knows: players with purses, sessions, bets. All in memory, in minor units (M-1). */
import type { Clock } from '../../../src/runtime/clock.ts'
import type { Faults, MutantId } from './mutants.ts'
import { createPurse, type Purse } from './purse.ts'
import type { InTurn } from './turns.ts'

export interface Limits {
  stake?: string
  loss?: string
  betCount?: number
}

export interface Player {
  readonly userId: string
  /** The active one. */
  currency: string
  currencies: string[]
  isTest?: boolean
  operatorUser?: string
  customFields?: Record<string, unknown>
  status: 'active' | 'blocked'
  selfExcludedUntil?: string
  verified?: boolean
  birthday?: string
  limits: Limits
  readonly purses: Map<string, Purse>
  /** What settlements paid less what they took back, by currency and UTC day: for the loss limit. */
  readonly paid: Map<string, bigint>
}

export interface Session {
  readonly userId: string
  readonly currency: string
  readonly expiresAt: Date
  ended: boolean
  readonly userSessionIp?: string
  readonly userSessionCountry?: string
}

export interface Placement {
  readonly requestId: string
  readonly stake: bigint
  readonly currency: string
  /** ISO 8601 in UTC, as all times of bets. */
  readonly at: string
}

/** A bet id of a player; never changed, only replaced. Absent means that nothing is known. */
export interface Bet {
  readonly owner: string
  readonly state: 'open' | 'settled' | 'cancelled' | 'refused'
  /** When it came into this state. */
  readonly at: string
  /** The request that brought it into this state. */
  readonly requestId: string
  /** Absent in a tombstone and in a refused bet. */
  readonly placement?: Placement
  /** Of the refusal that is repeated (I-3). */
  readonly refusal?: number
  /** Of the settlement in force; kept when it was undone. */
  readonly payout: bigint
  readonly resultType?: string
  readonly wasUnsettled?: boolean
  readonly locked: boolean
  /** Payouts that were ever in force. */
  readonly payouts: readonly bigint[]
  /** I-2: the time that was answered to each settle and unsettle, by requestId and content. */
  readonly acknowledged: ReadonlyMap<string, string>
  /** I-2: the first refusal with 20 or 21 of each, and how many results had been applied by then. */
  readonly refusedForGood: ReadonlyMap<string, { readonly code: number; readonly results: number }>
  /** Results that were applied so far. */
  readonly results: number
}

export interface Wallet {
  readonly faults: Faults
  readonly hidesBalances: boolean
  /** A call takes time between its decision and its write, so that calls at once meet. */
  readonly isSlow: boolean
  readonly clock: Clock
  readonly secret: string
  readonly operatorKey: string
  /** L-2 */
  readonly clawback: 'refuse' | 'allow-negative'
  readonly players: Map<string, Player>
  readonly sessions: Map<string, Session>
  /** By `betKey`. */
  readonly bets: Map<string, Bet>
  /** Placed bets by their requestId, every body, players whose call is being written: only for faults. */
  readonly requestIds: Map<string, Bet>
  /** S-5: every Place bet's requestId, behind its player and bet. */
  readonly placeRequests: Set<string>
  readonly bodiesSeen: Set<string>
  readonly writing: Set<string>
  readonly inTurn: InTurn
  /** Deposits and withdrawals by their reference. */
  readonly references: Map<string, object>
  /** Minor units by player and currency, oldest first. */
  readonly movements: Map<string, bigint[]>
}

/** I-1, I-7: a bet is a player and an id, compared as they are. */
export function betKey({ faults }: Wallet, userId: string, transactionId: string): string {
  if (faults.has('bet-id-in-part')) return JSON.stringify([userId, transactionId.slice(0, 35)])
  return JSON.stringify([userId, faults.has('bet-id-in-any-case') ? transactionId.toLowerCase() : transactionId])
}

/** One request about one bet. */
export function requestKey(wallet: Wallet, call: { userId: string; transactionId: string; requestId: string }): string {
  return `${betKey(wallet, call.userId, call.transactionId)} ${call.requestId}`
}

/** P-1: the session of this very token. */
export function findSession({ faults, sessions }: Wallet, token: string | undefined): Session | undefined {
  if (token === undefined) return undefined
  const read = faults.has('token-in-part') ? begin : faults.has('token-in-any-case') ? lowerCase : asItIs
  return sessions.get(token) ?? [...sessions].find(([one]) => read(one) === read(token))?.[1]
}

const asItIs = (token: string) => token
const begin = (token: string) => token.slice(0, 40)
const lowerCase = (token: string) => token.toLowerCase()

export function nowOf({ clock }: Wallet): string {
  return clock.now().toISOString()
}

/** The purse of a currency, opened when it is first asked for. */
export function purseOf({ faults }: Wallet, player: Player, currency: string): Purse {
  const known = player.purses.get(currency)
  if (known !== undefined) return known
  const opened = createPurse(faults, currency)
  player.purses.set(currency, opened)
  return opened
}

/** Milliseconds that a cache keeps what a repeat is told by, in a wallet that has one. */
const CACHED_MS = 60_000

export function isForgotten(wallet: Wallet, at: string, fault: MutantId): boolean {
  return wallet.clock.now().getTime() - Date.parse(at) > CACHED_MS && has(wallet, fault)
}

export function has({ faults }: Wallet, id: MutantId): boolean {
  return faults.has(id)
}
