/** A wallet without the fast path agrees with the model on random histories of calls. */
import { testHistories } from './random-histories.ts'

testHistories(25, { coverage: false, fastPath: 'off' })
