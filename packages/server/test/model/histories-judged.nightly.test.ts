/** Random histories against the model without the fast path, which must give the same results. */
import { testHistories } from './random-histories.ts'

testHistories(25, { coverage: false, fastPath: 'off' })
