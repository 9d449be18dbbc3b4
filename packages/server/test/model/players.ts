/**
 * The players of the model, with their restrictions, sessions and money.
 *
 * Money is a bigint of minor units per currency. The model parses amounts digit by digit from text,
 * so that it shares no arithmetic with the wallet.
 */

export interface Limits {
  stake?: string
  loss?: string
  betCount?: number
}

export interface Player {
  blocked: boolean
  excludedUntil?: Date
  verified: boolean
  birthday?: string
  limits: Limits
  balances: Map<string, bigint>
  /** Payouts less reversals by currency and UTC day, for the loss limit. */
  paid: Map<string, bigint>
}

export interface Session {
  player: string
  currency: string
  expiresAt: Date
  ended: boolean
}

/** The scales of the used currencies: euros have cents, yen have no decimals (M-2). */
export const SCALES: Readonly<Record<string, number>> = { EUR: 2, JPY: 0 }

const LEGAL_AGE_YEARS = 18

/** Undefined for an unknown currency, and a negative or too precise amount (M-1, M-2). */
export function minorUnits(amount: string, currency: string): bigint | undefined {
  const scale = SCALES[currency]
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d*[1-9])?0*)?$/.exec(amount) ?? []
  if (scale === undefined || whole === undefined || decimals.length > scale) return undefined
  return BigInt(whole + decimals.padEnd(scale, '0'))
}

export function decimalText(units: bigint, currency: string): string {
  const scale = SCALES[currency] ?? 0
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const sign = units < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

export function newPlayer(): Player {
  return { blocked: false, verified: true, limits: {}, balances: new Map(), paid: new Map() }
}

export function balanceOf(player: Player, currency: string): bigint {
  return player.balances.get(currency) ?? 0n
}

export function addMoney(player: Player, currency: string, units: bigint): void {
  player.balances.set(currency, balanceOf(player, currency) + units)
}

/** An unknown token, or another player's, is code 3; an ended or expired one is code 4 (P-1). */
export function tokenProblem(session: Session | undefined, player: string, now: Date): 3 | 4 | undefined {
  if (session === undefined || session.player !== player) return 3
  return session.ended || session.expiresAt <= now ? 4 : undefined
}

/** Blocked or self-excluded. */
export function isShutOut(player: Player, now: Date): boolean {
  return [9, 14].includes(standingProblem(player, now) ?? 0)
}

/** Restrictions are checked in the order 9, 14, 15, 16. */
export function standingProblem(player: Player, now: Date): 9 | 14 | 15 | 16 | undefined {
  if (player.blocked) return 9
  if (player.excludedUntil !== undefined && player.excludedUntil > now) return 14
  if (!player.verified) return 15
  return player.birthday !== undefined && isUnderAge(player.birthday, now) ? 16 : undefined
}

function isUnderAge(birthday: string, now: Date): boolean {
  const comesOfAge = new Date(`${birthday}T00:00:00Z`)
  comesOfAge.setUTCFullYear(comesOfAge.getUTCFullYear() + LEGAL_AGE_YEARS)
  return comesOfAge > now
}
