/**
 * All cases against a platform, in the order of the report. P1 to P18 in `covers` number the
 * required behaviours of a platform.
 */

import { ANSWER_HANDLING_CASES } from './cases/answer-handling-cases.ts'
import { EXACT_VALUE_CASES, PLAYER_CASES } from './cases/exact-value-cases.ts'
import { LIFECYCLE_CASES } from './cases/lifecycle-cases.ts'
import { RESULT_DELIVERY_CASES } from './cases/result-delivery-cases.ts'
import { ROLLBACK_RETRY_CASES } from './cases/rollback-retry-cases.ts'
import { TIMEOUT_CASES } from './cases/timeout-cases.ts'
import type { PlatformCase } from './platform-case.ts'

export const PLATFORM_CASES: readonly PlatformCase[] = [
  ...ANSWER_HANDLING_CASES,
  ...TIMEOUT_CASES,
  ...ROLLBACK_RETRY_CASES,
  ...RESULT_DELIVERY_CASES,
  ...EXACT_VALUE_CASES,
  ...PLAYER_CASES,
  ...LIFECYCLE_CASES,
]
