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

export interface PlatformRefusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  /** A sentence, for people. */
  readonly detail: string
  /** Of an invalid request: what of it, as a JSON pointer. */
  readonly pointer?: string
}

export const toRefusal = (code: RefusalCode, detail: string): PlatformRefusal => ({ kind: 'refused', code, detail })
export const toInvalidRequest = (pointer: string, detail: string): PlatformRefusal => ({
  ...toRefusal('invalid_request', detail),
  pointer,
})
export const toNotFound = (subject: string) => toRefusal('not_found', `${subject} does not exist`)

export function isRefusal<T>(outcome: T | PlatformRefusal): outcome is PlatformRefusal {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'refused'
}
