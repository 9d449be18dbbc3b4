/** Builders for the answers, acts and expectations of cases against a platform. */

import type { BetOperation } from '@purser/protocol/operation'
import { type ReplyCode, replyCode } from '@purser/protocol/reply-codes'
import type { ScenarioAct, ScenarioExpectation, ScriptedAnswer } from '../platform-case.ts'

export const HANGING_ANSWER: ScriptedAnswer = { kind: 'hang' }
export const RESET_ANSWER: ScriptedAnswer = { kind: 'reset' }
export const refusalAnswer = (name: ReplyCode): ScriptedAnswer => ({ kind: 'refusal', code: replyCode(name) })
export const statusAnswer = (code: number): ScriptedAnswer => ({ kind: 'status', status: code })
export const repeatAnswer = (count: number, answer: ScriptedAnswer): ScriptedAnswer[] =>
  Array<ScriptedAnswer>(count).fill(answer)

export const PLACE_ACT: ScenarioAct = { kind: 'place' }
export const WATCH_ACT: ScenarioAct = { kind: 'watch' }
export const UNSETTLE_ACT: ScenarioAct = { kind: 'unsettle' }
export const settleAsWon = (amount: string): ScenarioAct & { kind: 'settle' } => ({
  kind: 'settle',
  resultType: 'won',
  amount,
})
export const awaitCalls = (call: BetOperation, count = 1): ScenarioAct => ({ kind: 'await', call, count })

export const expectCount = (call: BetOperation, from: number, to = from): ScenarioExpectation => ({
  kind: 'count',
  call,
  from,
  to,
})
/** For a scene that ends when these calls have arrived, so further calls may be missing. */
export const expectAtLeast = (call: BetOperation, from: number): ScenarioExpectation =>
  expectCount(call, from, Number.POSITIVE_INFINITY)
export const EXPECT_NO_ROLLBACK = expectCount('rollback', 0)
export const EXPECT_ONE_ROLLBACK = expectCount('rollback', 1)
