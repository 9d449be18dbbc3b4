/**
 * What the kit asks of a platform, however that platform is asked: over Purser's API
 * (`api-driver.ts`) or by a hook (`hook-driver.ts`).
 */
import type { ResultType } from '../../../protocol/bet-request.ts'

/** `bet` is the transactionId that the platform sent in Place bet; amounts are decimal text. */
export type DriverRequest =
  /** Register this partner, or change the address of one that is registered. */
  | { readonly do: 'partner'; readonly partnerId: string; readonly baseUrl: string; readonly secret: string }
  /** A player loads the frame with this token: the platform asks for the profile. */
  | { readonly do: 'frame'; readonly partnerId: string; readonly token: string }
  /** The player of this token bets, in the currency that the profile told. */
  | { readonly do: 'place'; readonly partnerId: string; readonly token: string; readonly amount: string }
  | { readonly do: 'settle'; readonly bet: string; readonly resultType: ResultType; readonly amount: string }
  | { readonly do: 'unsettle'; readonly bet: string }
  | { readonly do: 'cancel'; readonly bet: string; readonly errorCode: number }
  /** What does the platform say of the bet? */
  | { readonly do: 'look'; readonly bet: string }
  /** Kill the platform (kill -9) and start it again; fulfilled when it listens. */
  | { readonly do: 'restart' }

/** What the platform says of a bet, as far as it says it. */
export interface ReportedBetState {
  readonly status?: string
  /** Of the latest delivery. */
  readonly delivery?: string
}

export type DriverResult =
  | { readonly kind: 'done'; readonly look?: ReportedBetState }
  /** The platform, or the hook, cannot do this or did not. */
  | DriverFailure

export interface DriverFailure {
  readonly kind: 'unable'
  readonly why: string
  /** It failed: it is not just one that cannot. */
  readonly isFault?: true
}

/** Never rejects; each wish is given at most DRIVER_TIMEOUT_MS. */
export type PlatformDriver = (driverRequest: DriverRequest) => Promise<DriverResult>

/** Milliseconds; longer than any call that a platform waits for, and than its start. */
export const DRIVER_TIMEOUT_MS = 60_000

/** Decimal text: the stake of every bet. */
export const SCENARIO_STAKE = '10.00'

export function driverUnable(why: string): DriverFailure {
  return { kind: 'unable', why }
}

export function driverFault(why: string): DriverFailure {
  return { kind: 'unable', why, isFault: true }
}
