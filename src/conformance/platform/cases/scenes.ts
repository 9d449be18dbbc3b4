/** Words of which the cases are made. */
import { type ReplyCode, replyCode } from '../../../protocol/codes.ts'
import type { BetOperation } from '../../../protocol/operation.ts'
import type { Act, Answer, Expectation } from '../case.ts'

export const HANG: Answer = { kind: 'hang' }
export const RESET: Answer = { kind: 'reset' }
export const refusal = (name: ReplyCode): Answer => ({ kind: 'refusal', code: replyCode(name) })
export const status = (code: number): Answer => ({ kind: 'status', status: code })
export const times = (count: number, answer: Answer): Answer[] => Array<Answer>(count).fill(answer)

export const PLACE: Act = { kind: 'place' }
export const WATCH: Act = { kind: 'watch' }
export const UNSETTLE: Act = { kind: 'unsettle' }
export const won = (amount: string): Act & { kind: 'settle' } => ({ kind: 'settle', resultType: 'won', amount })
export const awaiting = (call: BetOperation, count = 1): Act => ({ kind: 'await', call, count })

export const count = (call: BetOperation, from: number, to = from): Expectation => ({ kind: 'count', call, from, to })
/** For a scene that ends as soon as these have come: whether another one follows is then a matter of chance. */
export const atLeast = (call: BetOperation, from: number): Expectation => count(call, from, Number.POSITIVE_INFINITY)
export const NO_ROLLBACK = count('rollback', 0)
export const ROLLED_BACK = count('rollback', 1)
