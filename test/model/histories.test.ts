/** A few random histories against the model, so that a plain mistake shows at once. */
import { testHistories } from './random-histories.ts'

testHistories(2, { coverage: false })
