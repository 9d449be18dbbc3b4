/** When an adjustment needs a second person, and who is one (W-27). */
import type { Author } from '../people/actions.ts'
import { isAbove, type Money, type Scales, scaleOf } from '../protocol/money.ts'

/** Per currency the amount, as a decimal of it, above which a second person approves; OTHERS for all that are not named. Empty: never. */
export type ApproveAbove = ReadonlyMap<string, string>
export const OTHERS = '*'

/** In a currency that nobody thought of, each one needs it. */
export function needsSecond(approveAbove: ApproveAbove, scales: Scales, currency: string, change: Money): boolean {
  if (approveAbove.size === 0) return false
  const limit = approveAbove.get(currency) ?? approveAbove.get(OTHERS) ?? '0'
  return isAbove(change < 0n ? -change : change, scaleOf(scales, currency), limit)
}

export interface Doer {
  readonly keyName: string
  readonly person: string
}

/** Whoever names nobody acts in the name of the key (O-4). */
export function doerOf({ keyName, person }: Author): Doer {
  return { keyName, person: person ?? keyName }
}

/** One key is one person, whoever it says it is; and a name is one person, whatever its capitals, also where it is the name of a key. */
export function isSamePerson(a: Doer, b: Doer): boolean {
  const names = [b.keyName, b.person].map(plain)
  return [a.keyName, a.person].map(plain).some((name) => names.includes(name))
}

function plain(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
