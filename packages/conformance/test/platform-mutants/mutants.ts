/**
 * All mutants of the test platform. The slow ones are first, so that the others run in the
 * meantime.
 */
import { RESULTS_MUTANTS, ROLLBACKS_MUTANTS, SLOW_MUTANTS, TWIN_MUTANTS } from './delivery-mutants.ts'
import { EXACT_MUTANTS, PLAYER_MUTANTS } from './exact-mutants.ts'
import type { Mutant } from './fault.ts'
import { LIVES_MUTANTS } from './life-mutants.ts'
import { ANSWERS_MUTANTS, SILENCE_MUTANTS } from './place-mutants.ts'

export const MUTANTS: readonly Mutant[] = [
  ...SLOW_MUTANTS,
  ...ANSWERS_MUTANTS,
  ...SILENCE_MUTANTS,
  ...ROLLBACKS_MUTANTS,
  ...RESULTS_MUTANTS,
  ...TWIN_MUTANTS,
  ...EXACT_MUTANTS,
  ...PLAYER_MUTANTS,
  ...LIVES_MUTANTS,
]
