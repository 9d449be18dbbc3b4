/** The words in which steps of cases are written. They only build data. */
import { type ReplyCode, replyCodes } from '../../../protocol/codes.ts'
import type { Operation } from '../../../protocol/operation.ts'
import type { BodyRule } from '../play/body-rules.ts'
import type { Act, Allowed, Amount, Call, Effect, OperatorAct, Pause, Rounds, Step, Together } from './case.ts'
import type { ChosenAmount } from './chosen-amounts.ts'

/** What a call may say beside the usual: see Call. */
export type With = Partial<Omit<Call, 'kind' | 'operation' | 'allow'>>

type Answers = Allowed | readonly Allowed[]

function call(operation: Operation, given: With, allow: Answers): Call {
  return {
    ...{ kind: 'call', operation, bet: 'X', who: 'A', token: 'live', purse: 'first', members: {} },
    ...{ signature: 'valid', spelling: 'compact', ...given },
    allow: [allow].flat(),
  }
}

/** 200, with this effect on the bet. */
export function accept(effect: Effect, body: readonly BodyRule[] = []): Allowed {
  return { kind: 'accepted', effect, body }
}

/** 400 with one of these codes, with any when none is named; nothing moves. */
export function refuse(...names: readonly ReplyCode[]): Allowed & { kind: 'refused' } {
  return { kind: 'refused', codes: replyCodes(...names), effect: 'nothing' }
}

/** No success, in whatever form: the interface shows no answer to such a call. Nothing moves. */
export function deny(): readonly Allowed[] {
  return [refuse(), { kind: 'lost', effect: 'nothing' }]
}

/** A Place bet that fails as the interface lets it; its Rollback follows at once, as the service would send it. */
export const GIVEN_UP: Allowed = { kind: 'given up', effect: 'nothing' }

/** It fails, and nobody knows whether it was debited; its Rollback is a step of its own. */
export const UNKNOWN: readonly Allowed[] = [...deny(), { kind: 'lost', effect: 'debit' }]

/** 400 with 20 or 21, which the interface allows for a result that differs from the applied one. */
export const REFUSE_CHANGE: Allowed = {
  ...refuse('recalculation_blocked', 'recalculation_negative'),
  only: 'changed',
}

/** 400 with 8 in answer to a Rollback counts as done. */
export const ALREADY_DONE: Allowed = { ...refuse('already_processed'), effect: 'cancel' }

const PAID = [accept('pay'), REFUSE_CHANGE]
/** After a settlement a Rollback undoes the whole bet or moves nothing: never stake and win together. */
export const CANCELLED: readonly Allowed[] = [
  ...[accept('cancel'), ALREADY_DONE],
  { ...accept('nothing'), only: 'settled' },
  { ...refuse(), only: 'settled' },
]
/** What Unsettle is published to do; a partner may refuse it, and must then keep the settlement. */
const UNPAID = [accept('unpay'), refuse()]

/** A stake of 100 unless said. */
export function place(given: With = {}, allow: Answers = accept('debit')): Call {
  return call('place', { amount: '100', ...given }, allow)
}

/** `token` is sent with a cashout only, as the interface says. */
export function settle(resultType: string, amount: Amount, given: With = {}, allow: Answers = PAID): Call {
  const token = resultType === 'cashout' ? 'live' : 'none'
  return call('settle', { amount, resultType, token, ...given }, allow)
}

export function unsettle(amount: Amount, given: With = {}, allow: Answers = UNPAID): Call {
  return call('unsettle', { amount, token: 'none', ...given }, allow)
}

/** The amount is the stake, unless said. */
export function rollback(given: With = {}, allow: Answers = CANCELLED): Call {
  return call('rollback', given, allow)
}

export function profile(given: With = {}, allow: Answers = accept('nothing')): Call {
  return call('profile', given, allow)
}

export function balance(given: With = {}, allow: Answers = accept('nothing')): Call {
  return call('balance', given, allow)
}

export function check(given: With = {}, allow: Answers = accept('nothing')): Call {
  return call('check', given, allow)
}

/** Sent at the same moment. */
export function together(accepted: number | readonly [min: number, max: number], ...calls: Call[]): Together {
  const [min, max] = typeof accepted === 'number' ? [accepted, accepted] : accepted
  return { kind: 'together', calls, accepted: { min, max } }
}

export function rounds(times: number, ...steps: Step[]): Rounds {
  return { kind: 'rounds', times, steps }
}

export function pause(ms: number): Pause {
  return { kind: 'pause', ms }
}

/** Milliseconds, long enough that two moments are different ones on every clock. */
const MOMENT_MS = 20

/** Between two calls whose times are compared. */
export const MOMENT: Pause = pause(MOMENT_MS)

export function act(what: OperatorAct, { who = 'A', bet = 'X' }: { who?: 'A' | 'B'; bet?: string } = {}): Act {
  return { kind: 'act', act: what, who, bet }
}

/** The whole balance of A, as it is expected at that step, and some minor units more. */
export function whole(plusUnits = 0): Amount {
  return { percent: 100, plusUnits }
}

/**
 * The whole balance as the fixtures state it, and some minor units more. A wallet that compares with
 * one minor unit too much or too little has another balance by its bets, and the bets agree.
 */
export function stated(plusUnits = 0): Amount {
  return { percent: 100, plusUnits, isStated: true }
}

/** An amount that the kit chooses by the balance. */
export function chosen(amount: ChosenAmount): Amount {
  return { chosen: amount }
}

/** So many minor units: 1003 are 10.03 EUR, 1003 JPY, 1.003 KWD. */
export function units(count: number): Amount {
  return { percent: 0, plusUnits: count }
}

/** With a decimal place more than the currency has: 33.003 in EUR. */
export function finer(whole: string): Amount {
  return { finer: whole }
}

export function percent(part: number): Amount {
  return { percent: part, plusUnits: 0 }
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
