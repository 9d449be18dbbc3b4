/**
 * Enough random histories to reach every cell of the life table, every reply and every special
 * rule.
 */
import { testHistories } from './random-histories.ts'

testHistories(75, { coverage: true })
