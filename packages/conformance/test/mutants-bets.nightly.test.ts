/** Half of the mutants, so that two processes share the work: bets, results, races and money. */

import { testMutants } from './mutants/matrix.ts'
import { BET_MUTANTS, type MutantId } from './mutants/mutants.ts'

testMutants(Object.keys(BET_MUTANTS) as MutantId[])
