/** HTTP status of each `RefusalCode` (platform-refusal.ts). */
import { invalid, Problem } from '../../core/http/api/problem-details.ts'
import { isRefusal, type PlatformRefusal, type RefusalCode } from '../platform-refusal.ts'

const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_request: 400,
  not_found: 404,
  not_possible: 409,
  not_stuck: 409,
  still_running: 409,
  idempotency_key_reused: 422,
  partner_refused: 422,
  partner_failed: 502,
}

/** Throws a refusal as a problem. */
export function orThrowProblem<T>(outcome: T | PlatformRefusal): T {
  if (!isRefusal(outcome)) return outcome
  const { code, detail, pointer } = outcome
  throw pointer === undefined ? new Problem(STATUS[code], code, detail) : invalid(pointer, detail)
}
