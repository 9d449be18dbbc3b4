/**
 * Refusal of a request. The business rules return it as a value, up to the route. Exceptions are
 * thrown only for defects and failed dependencies. The HTTP status of each refusal is in
 * api/refusal-status.ts.
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
  /** A sentence for users. */
  readonly detail: string
  /** JSON pointer to the invalid part of the request. */
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
