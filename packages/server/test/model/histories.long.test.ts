/**
 * The wallet agrees with the model on a few random histories of calls, which reveal a simple error
 * soon.
 */
import { testHistories } from './random-histories.ts'

testHistories(1, { coverage: false, isShort: true })
