/**
 * Requests of the kit to a platform, through its API (`api-driver.ts`) or a hook
 * (`hook-driver.ts`).
 */
import type { ResultType } from '@purser/protocol/bet-request'

/** `bet` is the transactionId of the platform's Place bet. Amounts are decimal texts. */
export type DriverRequest =
  /** Registers this partner, or changes the address of a registered partner. */
  | { readonly do: 'partner'; readonly partnerId: string; readonly baseUrl: string; readonly secret: string }
  /** A player loads the frame with this token, and the platform requests the profile. */
  | { readonly do: 'frame'; readonly partnerId: string; readonly token: string }
  /** The player of this token bets in the currency of the profile. */
  | { readonly do: 'place'; readonly partnerId: string; readonly token: string; readonly amount: string }
  | { readonly do: 'settle'; readonly bet: string; readonly resultType: ResultType; readonly amount: string }
  | { readonly do: 'unsettle'; readonly bet: string }
  | { readonly do: 'cancel'; readonly bet: string; readonly errorCode: number }
  | { readonly do: 'look'; readonly bet: string }
  /** Kills the platform (kill -9) and starts it again. Done when the platform listens. */
  | { readonly do: 'restart' }

/** A member that the platform does not show is absent. */
export interface ReportedBetState {
  readonly status?: string
  /** The state of the latest delivery. */
  readonly delivery?: string
}

export type DriverResult = { readonly kind: 'done'; readonly shownState?: ReportedBetState } | DriverFailure

export interface DriverFailure {
  readonly kind: 'unable'
  readonly why: string
  /** A failure, not a missing capability. */
  readonly isFault?: true
}

/** Never rejects. Each request ends after DRIVER_TIMEOUT_MS. */
export type PlatformDriver = (driverRequest: DriverRequest) => Promise<DriverResult>

/** Milliseconds. Longer than the start of a platform, and than any call that it awaits. */
export const DRIVER_TIMEOUT_MS = 60_000

/** Decimal text. */
export const SCENARIO_STAKE = '10.00'

export function driverUnable(why: string): DriverFailure {
  return { kind: 'unable', why }
}

export function driverFault(why: string): DriverFailure {
  return { kind: 'unable', why, isFault: true }
}
