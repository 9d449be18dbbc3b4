/**
 * The wallet agrees with the model on many random histories of calls. These reach every cell of the
 * life table (state of a bet × call), every reply and every special rule.
 */
import { testHistories } from './random-histories.ts'

testHistories(75, { coverage: true })
