/** A few random histories against the model, so that a plain mistake shows at once. */
import { testHistories } from './random-histories.ts'

testHistories(1, { coverage: false, isShort: true })
