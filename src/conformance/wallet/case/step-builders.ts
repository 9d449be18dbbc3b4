/** The words in which steps of cases are written. They only build data. */

import type { Operation } from '../../../protocol/operation.ts'
import { type ReplyCode, replyCodes } from '../../../protocol/reply-codes.ts'
import type { BodyRule } from '../play/body-rules.ts'
import type { FloatProbeAmount } from './float-probe-amounts.ts'
import type {
  AllowedAnswer,
  BetEffect,
  CallStep,
  CaseAmount,
  CaseStep,
  ConcurrentCalls,
  OperatorAction,
  OperatorStep,
  PauseStep,
  RepeatedRounds,
} from './wallet-case.ts'

/** What a call may say beside the usual: see Call. */
export type CallOptions = Partial<Omit<CallStep, 'kind' | 'operation' | 'allow'>>

type AllowedAnswers = AllowedAnswer | readonly AllowedAnswer[]

function buildCall(operation: Operation, given: CallOptions, allow: AllowedAnswers): CallStep {
  return {
    ...{ kind: 'call', operation, bet: 'X', who: 'A', token: 'live', purse: 'first', members: {} },
    ...{ signature: 'valid', spelling: 'compact', ...given },
    allow: [allow].flat(),
  }
}

/** 200, with this effect on the bet. */
export function allowAccepted(effect: BetEffect, body: readonly BodyRule[] = []): AllowedAnswer {
  return { kind: 'accepted', effect, body }
}

/** 400 with one of these codes, with any when none is named; nothing moves. */
export function allowRefused(...names: readonly ReplyCode[]): AllowedAnswer & { kind: 'refused' } {
  return { kind: 'refused', codes: replyCodes(...names), effect: 'nothing' }
}

/** No success, in whatever form: the interface shows no answer to such a call. Nothing moves. */
export function allowAnyFailure(): readonly AllowedAnswer[] {
  return [allowRefused(), { kind: 'lost', effect: 'nothing' }]
}

/** A Place bet that fails as the interface lets it; its Rollback follows at once, as the service would send it. */
export const ALLOW_GIVEN_UP: AllowedAnswer = { kind: 'given up', effect: 'nothing' }

/** It fails, and nobody knows whether it was debited; its Rollback is a step of its own. */
export const ALLOW_UNKNOWN: readonly AllowedAnswer[] = [...allowAnyFailure(), { kind: 'lost', effect: 'debit' }]

/** 400 with 20 or 21, which the interface allows for a result that differs from the applied one. */
export const ALLOW_CHANGE_REFUSED: AllowedAnswer = {
  ...allowRefused('recalculation_blocked', 'recalculation_negative'),
  only: 'changed',
}

/** 400 with 8 in answer to a Rollback counts as done. */
export const ALLOW_ALREADY_DONE: AllowedAnswer = { ...allowRefused('already_processed'), effect: 'cancel' }

const ALLOW_PAID = [allowAccepted('pay'), ALLOW_CHANGE_REFUSED]
/** After a settlement a Rollback undoes the whole bet or moves nothing: never stake and win together. */
export const ALLOW_CANCELLED: readonly AllowedAnswer[] = [
  ...[allowAccepted('cancel'), ALLOW_ALREADY_DONE],
  { ...allowAccepted('nothing'), only: 'settled' },
  { ...allowRefused(), only: 'settled' },
]
/** What Unsettle is published to do; a partner may refuse it, and must then keep the settlement. */
const ALLOW_UNPAID = [allowAccepted('unpay'), allowRefused()]

/** A stake of 100 unless said. */
export function placeStep(given: CallOptions = {}, allow: AllowedAnswers = allowAccepted('debit')): CallStep {
  return buildCall('place', { amount: '100', ...given }, allow)
}

/** `token` is sent with a cashout only, as the interface says. */
export function settleStep(
  resultType: string,
  amount: CaseAmount,
  given: CallOptions = {},
  allow: AllowedAnswers = ALLOW_PAID,
): CallStep {
  const token = resultType === 'cashout' ? 'live' : 'none'
  return buildCall('settle', { amount, resultType, token, ...given }, allow)
}

export function unsettleStep(
  amount: CaseAmount,
  given: CallOptions = {},
  allow: AllowedAnswers = ALLOW_UNPAID,
): CallStep {
  return buildCall('unsettle', { amount, token: 'none', ...given }, allow)
}

/** The amount is the stake, unless said. */
export function rollbackStep(given: CallOptions = {}, allow: AllowedAnswers = ALLOW_CANCELLED): CallStep {
  return buildCall('rollback', given, allow)
}

export function profileStep(given: CallOptions = {}, allow: AllowedAnswers = allowAccepted('nothing')): CallStep {
  return buildCall('profile', given, allow)
}

export function balanceStep(given: CallOptions = {}, allow: AllowedAnswers = allowAccepted('nothing')): CallStep {
  return buildCall('balance', given, allow)
}

export function checkStep(given: CallOptions = {}, allow: AllowedAnswers = allowAccepted('nothing')): CallStep {
  return buildCall('check', given, allow)
}

/** Sent at the same moment. */
export function concurrentStep(
  accepted: number | readonly [min: number, max: number],
  ...calls: CallStep[]
): ConcurrentCalls {
  const [min, max] = typeof accepted === 'number' ? [accepted, accepted] : accepted
  return { kind: 'together', calls, accepted: { min, max } }
}

export function roundsStep(times: number, ...steps: CaseStep[]): RepeatedRounds {
  return { kind: 'rounds', times, steps }
}

export function pauseStep(ms: number): PauseStep {
  return { kind: 'pause', ms }
}

/** Milliseconds, long enough that two moments are different ones on every clock. */
const SHORT_PAUSE_MS = 20

/** Between two calls whose times are compared. */
export const SHORT_PAUSE: PauseStep = pauseStep(SHORT_PAUSE_MS)

export function operatorStep(
  action: OperatorAction,
  { who = 'A', bet = 'X' }: { who?: 'A' | 'B'; bet?: string } = {},
): OperatorStep {
  return { kind: 'act', act: action, who, bet }
}

/** The whole balance of A, as it is expected at that step, and some minor units more. */
export function wholeBalance(plusUnits = 0): CaseAmount {
  return { percent: 100, plusUnits }
}

/**
 * The whole balance as the fixtures state it, and some minor units more. A wallet that compares with
 * one minor unit too much or too little has another balance by its bets, and the bets agree.
 */
export function statedBalance(plusUnits = 0): CaseAmount {
  return { percent: 100, plusUnits, isStated: true }
}

/** An amount that the kit chooses by the balance. */
export function floatProbeAmount(amount: FloatProbeAmount): CaseAmount {
  return { chosen: amount }
}

/** So many minor units: 1003 are 10.03 EUR, 1003 JPY, 1.003 KWD. */
export function minorUnits(count: number): CaseAmount {
  return { percent: 0, plusUnits: count }
}

/** With a decimal place more than the currency has: 33.003 in EUR. */
export function tooPreciseAmount(whole: string): CaseAmount {
  return { finer: whole }
}

export function balancePercent(part: number): CaseAmount {
  return { percent: part, plusUnits: 0 }
}

export function buildTimes<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
