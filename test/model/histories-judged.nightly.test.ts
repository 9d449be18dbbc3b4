/** Random histories against the model, with every call judged by the rules: what the gate takes must come to the same (histories.long.test.ts). */
import { testHistories } from './random-histories.ts'

testHistories(25, { coverage: false, gate: 'off' })
