/**
 * Each mutant about bets, results, races and money fails its cases. A second process judges the
 * other half of the mutants at the same time (mutants-calls.nightly.test.ts).
 */

import { testMutants } from './mutants/matrix.ts'
import { BET_MUTANTS, type MutantId } from './mutants/mutants.ts'

testMutants(Object.keys(BET_MUTANTS) as MutantId[])
