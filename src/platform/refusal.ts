/**
 * The platform's one way of saying no, from the rule that objects up to the route: a value, as the wallet's rules have theirs. What is thrown is
 * a defect or a broken dependency. From here to the status of an answer there is one table, in api/refused.ts.
 */

/** Stable, for programs. */
export type RefusalCode =
  | 'invalid_request'
  | 'not_found'
  | 'not_possible'
  | 'not_stuck'
  | 'still_running'
  | 'idempotency_key_reused'
  | 'partner_refused'
  | 'partner_failed'

export interface Refused {
  readonly kind: 'refused'
  readonly code: RefusalCode
  /** A sentence, for people. */
  readonly detail: string
  /** Of an invalid request: what of it, as a JSON pointer. */
  readonly pointer?: string
}

export const refused = (code: RefusalCode, detail: string): Refused => ({ kind: 'refused', code, detail })
export const invalidAt = (pointer: string, detail: string): Refused => ({
  ...refused('invalid_request', detail),
  pointer,
})
export const noSuch = (what: string) => refused('not_found', `${what} does not exist`)

export function isRefused<T>(outcome: T | Refused): outcome is Refused {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'refused'
}
