/**
 * The state of the test wallet in memory: players with purses, sessions and bets. Money is in minor
 * units (M-1).
 */
import type { Clock } from '@purser/runtime/clock'
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
  /** Payouts minus reversals, by currency and UTC day, for the loss limit. */
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
  /** ISO 8601 in UTC, like all times of bets. */
  readonly at: string
}

/** A bet id of a player. The object is replaced, never changed; without it the bet is unknown. */
export interface Bet {
  readonly owner: string
  readonly state: 'open' | 'settled' | 'cancelled' | 'refused'
  /** The time of this state. */
  readonly at: string
  /** The request that caused this state. */
  readonly requestId: string
  /** Absent in a tombstone and in a refused bet. */
  readonly placement?: Placement
  /** The code of a refusal that is repeated (I-3). */
  readonly refusal?: number
  /** The payout of the last settlement, also after its reversal. */
  readonly payout: bigint
  readonly resultType?: string
  readonly wasUnsettled?: boolean
  readonly locked: boolean
  /** All earlier payouts. */
  readonly payouts: readonly bigint[]
  /**
   * The answered time of each settle and unsettle, by requestId and content, for late repeats
   * (I-2).
   */
  readonly acknowledged: ReadonlyMap<string, string>
  /** The first refusal of each with 20 or 21, and the number of results applied before it (I-2). */
  readonly refusedForGood: ReadonlyMap<string, { readonly code: number; readonly results: number }>
  readonly results: number
}

export interface Wallet {
  readonly faults: Faults
  readonly hidesBalances: boolean
  /** A call takes time between decision and write, so that concurrent calls interfere. */
  readonly isSlow: boolean
  readonly clock: Clock
  readonly secret: string
  readonly operatorKey: string
  /** The answer to a reversal without enough money (L-2). */
  readonly clawback: 'refuse' | 'allow-negative'
  readonly players: Map<string, Player>
  readonly sessions: Map<string, Session>
  /** By `betKey`. */
  readonly bets: Map<string, Bet>
  /** Used only by faults, like `bodiesSeen` and `writing`: placed bets by requestId. */
  readonly requestIds: Map<string, Bet>
  /**
   * The requestId of every Place bet, with player and bet: its bytes are never an Unsettle (S-5).
   */
  readonly placeRequests: Set<string>
  readonly bodiesSeen: Set<string>
  readonly writing: Set<string>
  readonly inTurn: InTurn
  /** Deposits and withdrawals by reference. */
  readonly references: Map<string, object>
  /** Minor units by player and currency, oldest first. */
  readonly movements: Map<string, bigint[]>
}

/** Player and id identify a bet and are compared exactly (I-1, I-7). */
export function betKey({ faults }: Wallet, userId: string, transactionId: string): string {
  if (faults.has('bet-id-in-part')) return JSON.stringify([userId, transactionId.slice(0, 35)])
  return JSON.stringify([userId, faults.has('bet-id-in-any-case') ? transactionId.toLowerCase() : transactionId])
}

export function requestKey(wallet: Wallet, call: { userId: string; transactionId: string; requestId: string }): string {
  return `${betKey(wallet, call.userId, call.transactionId)} ${call.requestId}`
}

/** The session of exactly this token (P-1). */
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

/** The purse of a currency, opened at its first use. */
export function purseOf({ faults }: Wallet, player: Player, currency: string): Purse {
  const known = player.purses.get(currency)
  if (known !== undefined) return known
  const opened = createPurse(faults, currency)
  player.purses.set(currency, opened)
  return opened
}

/** Milliseconds for which the cache of a faulty wallet detects repeats. */
const CACHED_MS = 60_000

export function isForgotten(wallet: Wallet, at: string, fault: MutantId): boolean {
  return wallet.clock.now().getTime() - Date.parse(at) > CACHED_MS && has(wallet, fault)
}

export function has({ faults }: Wallet, id: MutantId): boolean {
  return faults.has(id)
}
