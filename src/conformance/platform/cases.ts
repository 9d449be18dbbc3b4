/** Every case against a calling side, part H of the catalogue, in the order of the report. */
import type { PlatformCase } from './case.ts'
import { ANSWER_CASES } from './cases/answers.ts'
import { EXACT_CASES, PLAYER_CASES } from './cases/exact.ts'
import { LIFE_CASES } from './cases/lives.ts'
import { RESULT_CASES } from './cases/results.ts'
import { ROLLBACK_CASES } from './cases/rollbacks.ts'
import { SILENCE_CASES } from './cases/silence.ts'

export const PLATFORM_CASES: readonly PlatformCase[] = [
  ...ANSWER_CASES,
  ...SILENCE_CASES,
  ...ROLLBACK_CASES,
  ...RESULT_CASES,
  ...EXACT_CASES,
  ...PLAYER_CASES,
  ...LIFE_CASES,
]
