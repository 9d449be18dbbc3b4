/**
 * Half of the mutants, so that two processes share the work: signatures, messages, answers, user
 * data.
 */

import { testMutants } from './mutants/matrix.ts'
import { CALL_MUTANTS, type MutantId } from './mutants/mutants.ts'

testMutants(Object.keys(CALL_MUTANTS) as MutantId[])
