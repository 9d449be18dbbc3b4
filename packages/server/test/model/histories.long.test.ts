/** A few random histories against the model, which find a simple error soon. */
import { testHistories } from './random-histories.ts'

testHistories(1, { coverage: false, isShort: true })
