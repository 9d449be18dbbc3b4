/** Builders for the steps of cases. They only return data. */

import type { Operation } from '@purser/protocol/operation'
import { type ReplyCode, replyCodes } from '@purser/protocol/reply-codes'
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

/** Members that differ from the defaults (CallStep). */
export type CallOptions = Partial<Omit<CallStep, 'kind' | 'operation' | 'allow'>>

type AllowedAnswers = AllowedAnswer | readonly AllowedAnswer[]

function buildCall(operation: Operation, given: CallOptions, allow: AllowedAnswers): CallStep {
  return {
    ...{ kind: 'call', operation, bet: 'X', who: 'A', token: 'live', currency: 'first', members: {} },
    ...{ signature: 'valid', spelling: 'compact', ...given },
    allow: [allow].flat(),
  }
}

export function allowAccepted(effect: BetEffect, body: readonly BodyRule[] = []): AllowedAnswer {
  return { kind: 'accepted', effect, body }
}

/** 400 with one of these codes, or with any code if none is named. */
export function allowRefused(...names: readonly ReplyCode[]): AllowedAnswer & { kind: 'refused' } {
  return { kind: 'refused', codes: replyCodes(...names), effect: 'nothing' }
}

/** Any answer except success, because the interface defines none. */
export function allowAnyFailure(): readonly AllowedAnswer[] {
  return [allowRefused(), { kind: 'lost', effect: 'nothing' }]
}

/** A failed Place bet, as the interface permits it. Its Rollback follows at once. */
export const ALLOW_GIVEN_UP: AllowedAnswer = { kind: 'given up', effect: 'nothing' }

/** A failed Place bet that may have debited the stake. Its Rollback is a separate step. */
export const ALLOW_UNKNOWN: readonly AllowedAnswer[] = [...allowAnyFailure(), { kind: 'lost', effect: 'debit' }]

/** 400 with code 20 or 21, which the interface permits for a changed result. */
export const ALLOW_CHANGE_REFUSED: AllowedAnswer = {
  ...allowRefused('recalculation_blocked', 'recalculation_negative'),
  only: 'changed',
}

/** Code 8 to a Rollback means done (C-4). */
export const ALLOW_ALREADY_DONE: AllowedAnswer = { ...allowRefused('already_processed'), effect: 'cancel' }

const ALLOW_PAID = [allowAccepted('pay'), ALLOW_CHANGE_REFUSED]
/**
 * After a settlement a Rollback cancels the whole bet or moves nothing. It never leaves both stake
 * and win.
 */
export const ALLOW_CANCELLED: readonly AllowedAnswer[] = [
  ...[allowAccepted('cancel'), ALLOW_ALREADY_DONE],
  { ...allowAccepted('nothing'), only: 'settled' },
  { ...allowRefused(), only: 'settled' },
]
/** The published effect of Unsettle. A partner may reject it and keep the settlement. */
const ALLOW_UNPAID = [allowAccepted('unpay'), allowRefused()]

/** Default stake: 100. */
export function placeStep(given: CallOptions = {}, allow: AllowedAnswers = allowAccepted('debit')): CallStep {
  return buildCall('place', { amount: '100', ...given }, allow)
}

/** Only a cashout has a `token`, as the interface says. */
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

/** Default amount: the stake. */
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

/** The calls are sent at the same moment. */
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

/** Milliseconds. Two moments this far apart differ on every clock. */
const SHORT_PAUSE_MS = 20

/** Separates two calls whose times are compared. */
export const SHORT_PAUSE: PauseStep = pauseStep(SHORT_PAUSE_MS)

export function operatorStep(
  action: OperatorAction,
  { who = 'A', bet = 'X' }: { who?: 'A' | 'B'; bet?: string } = {},
): OperatorStep {
  return { kind: 'act', act: action, who, bet }
}

/** The expected balance of A at that step, plus minor units. */
export function wholeBalance(plusUnits = 0): CaseAmount {
  return { percent: 100, plusUnits }
}

/**
 * The balance in the fixtures, plus minor units. The balance that bets find is not used: it would
 * hide a wallet's comparison that is wrong by one minor unit.
 */
export function statedBalance(plusUnits = 0): CaseAmount {
  return { percent: 100, plusUnits, isStated: true }
}

export function floatProbeAmount(amount: FloatProbeAmount): CaseAmount {
  return { chosen: amount }
}

/** 1003 minor units are 10.03 EUR, 1003 JPY or 1.003 KWD. */
export function minorUnits(count: number): CaseAmount {
  return { percent: 0, plusUnits: count }
}

/** One decimal more than the currency has: 33.003 EUR. */
export function tooPreciseAmount(whole: string): CaseAmount {
  return { finer: whole }
}

export function balancePercent(part: number): CaseAmount {
  return { percent: part, plusUnits: 0 }
}

export function buildTimes<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
