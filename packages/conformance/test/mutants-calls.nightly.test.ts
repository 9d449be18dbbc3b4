/**
 * Each mutant about signatures, messages, answers and user data fails its cases. A second process
 * judges the other half of the mutants at the same time (mutants-bets.nightly.test.ts).
 */

import { testMutants } from './mutants/matrix.ts'
import { CALL_MUTANTS, type MutantId } from './mutants/mutants.ts'

testMutants(Object.keys(CALL_MUTANTS) as MutantId[])
