/**
 * The answers that the interface allows to a call, by the state of its bet. A test compares them
 * with the answers that the cases of the kit allow.
 */
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import {
  ALLOW_ALREADY_DONE,
  ALLOW_CANCELLED,
  ALLOW_CHANGE_REFUSED,
  allowAccepted,
  allowAnyFailure,
  allowRefused,
} from '../../wallet/case/step-builders.ts'
import type { AllowedAnswer, BetEffect } from '../../wallet/case/wallet-case.ts'
import type { FaultName } from '../faults/live-fault.ts'
import { type CallToWallet, getUnits } from '../live-call.ts'
import type { LiveAllowed, LiveBetState } from './bet-state.ts'

/** Facts that the answers so far have shown in every possible state of the bet. */
export interface BetFacts {
  /** A Place bet was refused with a code that is final (I-3). */
  readonly wasDeclined: boolean
  /** Contents of the accepted results and Unsettles of the bet (I-2). */
  readonly acknowledged: ReadonlySet<string>
  /** Contents of calls without a clear answer. */
  readonly unanswered: ReadonlySet<string>
  readonly wasUnsettled: boolean
  /** Contents of the results and Unsettles that were rejected. */
  readonly rejected: ReadonlySet<string>
}

const FAILS: readonly LiveAllowed[] = allowAnyFailure()
const REFUSED = allowRefused()

/** The service sends the call again, so its failure is no verdict. */
function allowFailure(...effects: BetEffect[]): LiveAllowed[] {
  return effects.map((effect) => ({ kind: 'lost', effect }))
}

function advise(advice: FaultName, ...allowed: readonly AllowedAnswer[]): LiveAllowed[] {
  return allowed.map((one) => ({ ...one, advice }))
}

export function listAllowedAnswers(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  if (!call.isSigned) return FAILS
  const allowed = listByOperation(state, call, facts)
  return call.isValid ? allowed : [...allowed, ...FAILS]
}

function listByOperation(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  switch (call.operation) {
    case 'place':
      return allowPlace(state, call, facts)
    case 'settle':
      return allowSettle(state, call, facts)
    case 'unsettle':
      return allowUnsettle(state, call, facts)
    case 'rollback':
      return allowRollback(state, call)
    default:
      return FAILS
  }
}

function allowPlace(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  switch (state.phase) {
    case 'none':
      return allowNewBet(call, facts)
    case 'open':
    case 'settled':
      return isSameBet(state, call)
        ? [allowAccepted('nothing'), ...FAILS.map((one) => ({ ...one, advice: 'repeated bet refused' as const }))]
        : [...advise('other stake under the same id accepted', allowAccepted('nothing')), ...FAILS]
    case 'cancelled':
    case 'reopened':
      return [...advise('bet accepted after its Rollback', allowAccepted('nothing')), ...FAILS]
    default:
      return state.phase satisfies never
  }
}

function isSameBet({ stake, balanceKey }: LiveBetState, call: CallToWallet): boolean {
  return getUnits(call) === stake && call.currency === balanceKey
}

function allowNewBet(call: CallToWallet, { wasDeclined }: BetFacts): readonly LiveAllowed[] {
  const { amount, hasBonus } = call
  if (mustRefuseNewBet(call)) return FAILS
  if (amount.kind === 'finer')
    return [
      ...[amount.below, amount.above].flatMap((units) =>
        advise('too many decimals accepted', allowAccepted('debit')).map((one) => ({ ...one, units })),
      ),
      ...FAILS,
    ]
  if (isOtherCurrency(call)) return [...advise('bet in another currency accepted', allowAccepted('debit')), ...FAILS]
  const accepted: LiveAllowed = { ...allowAccepted('debit'), needs: 'funds' }
  const free: LiveAllowed[] = hasBonus ? [{ ...allowAccepted('debit'), units: 0n }] : []
  const taken = wasDeclined ? advise('declined bet accepted later', accepted) : [accepted]
  const zero = getUnits(call) === 0n && !hasBonus ? advise('stake of 0 accepted', accepted) : undefined
  return [...(zero ?? taken), ...free, ...refuseNewBet(wasDeclined), ...allowFailure('nothing', 'debit')]
}

/** A player whom the judge does not know has the currency of the call. */
function isOtherCurrency({ currency, accountCurrency }: CallToWallet): boolean {
  return accountCurrency !== undefined && accountCurrency !== '' && currency !== accountCurrency
}

/** A wallet may refuse a bet for reasons of its own. Code 7 needs a balance below the stake. */
function refuseNewBet(wasDeclined: boolean): readonly LiveAllowed[] {
  const poor: LiveAllowed = { ...allowRefused('not_enough_money'), ...(!wasDeclined && { needs: 'no funds' }) }
  return [poor, REFUSED]
}

/** True if no wallet may accept such a bet. */
export function mustRefuseNewBet({ amount, token, betId, currency }: CallToWallet): boolean {
  const isTokenBad = token === 'dead' || token === 'foreign' || token === 'none'
  const isCurrencyUnknown = currency === undefined || !STANDARD_SCALES.has(currency)
  return isTokenBad || amount.kind === 'none' || betId === undefined || betId === '' || isCurrencyUnknown
}

const PAID = allowAccepted('pay')
const UNCHANGED = allowAccepted('nothing')

function allowSettle(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  if (call.amount.kind === 'none') return FAILS
  switch (state.phase) {
    case 'none':
      return FAILS
    case 'open':
      return [...allowNewResult(state, call, facts), ...allowFailure('nothing', 'pay')]
    case 'settled':
      return [...allowNextResult(state, call, facts), ...allowFailure('nothing', 'pay')]
    case 'cancelled':
      return isCopy(call, facts) ? [UNCHANGED, ...FAILS] : FAILS
    case 'reopened':
      return [...advise('Unsettle opens a cancelled bet', PAID), UNCHANGED, ...FAILS]
    default:
      return state.phase satisfies never
  }
}

function allowFirstResult(state: LiveBetState, call: CallToWallet): readonly LiveAllowed[] {
  const { amount, resultType = '' } = call
  if (isTokenMissing(call)) return FAILS
  if (call.currency !== state.balanceKey)
    return [...advise('result in another currency accepted', PAID, UNCHANGED), ...FAILS]
  if (!RESULT_TYPES.includes(resultType)) return [...advise('unknown resultType accepted', PAID, UNCHANGED), ...FAILS]
  if (amount.kind === 'finer')
    return [
      ...[amount.below, amount.above].flatMap((units) =>
        advise('too many decimals accepted', PAID).map((one) => ({ ...one, units })),
      ),
      ...FAILS,
    ]
  if (amount.kind === 'long' || contradictsAmount(call)) return [PAID, ...FAILS]
  return [PAID, ...(resultType === 'cashout' ? [SESSION_ENDED] : [])]
}

/** 'won' with 0, or 'lost' with more (L-6). */
function contradictsAmount(call: CallToWallet): boolean {
  const isZero = getUnits(call) === 0n
  return call.resultType === 'won' ? isZero : call.resultType === 'lost' && !isZero
}

const RESULT_TYPES: readonly string[] = ['won', 'lost', 'refund', 'cashout']
/** The judge cannot know that a session has ended. */
const SESSION_ENDED = allowRefused('invalid_token', 'expired_token')

/** A cashout is paid only with the token of the player (L-4). */
export function isTokenMissing({ resultType, token }: CallToWallet): boolean {
  return resultType === 'cashout' && (token === 'dead' || token === 'foreign' || token === 'none')
}

/** Late copies of accepted results may be applied or not; a copy that has no effect is better. */
function allowLateCopy(call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  if (isCopy(call, facts)) return [UNCHANGED, ...advise('late copy refused', ...FAILS)]
  return facts.rejected.has(call.content) ? [UNCHANGED, ...FAILS] : []
}

function isCopy({ content }: CallToWallet, { acknowledged, unanswered }: BetFacts): boolean {
  return acknowledged.has(content) || unanswered.has(content)
}

/** The wallet rejects a copy of a rejected result again, even if the bet has this result by now. */
function allowNextResult(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  const isSame = state.paid === getUnits(call) && state.resultType === call.resultType
  if (!isSame) return [...allowNewResult(state, call, facts), ALLOW_CHANGE_REFUSED]
  return facts.rejected.has(call.content) ? [UNCHANGED, ALLOW_CHANGE_REFUSED] : [UNCHANGED]
}

function allowNewResult(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  const first = allowFirstResult(state, call)
  const isFirstAttempt = state.phase === 'open' && !facts.wasUnsettled && !facts.acknowledged.has(call.content)
  if (isFirstAttempt && !facts.rejected.has(call.content)) return first
  if (!isCopy(call, facts)) return [...first, ...allowLateCopy(call, facts)]
  const applied = first.map((one) =>
    one.effect === 'pay' ? { ...one, advice: 'late copy of an old result applied' as const } : one,
  )
  return [...applied, ...allowLateCopy(call, facts)]
}

function allowUnsettle(state: LiveBetState, call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  switch (state.phase) {
    case 'none':
      return [...advise('Unsettle of an unknown bet accepted', UNCHANGED), ...FAILS]
    case 'open':
    case 'reopened':
      return [UNCHANGED, ...FAILS]
    case 'settled':
      return [...allowFirstUnsettle(call, facts), ...FAILS, ...allowFailure('unpay')]
    case 'cancelled': {
      const opens: LiveAllowed = { ...UNCHANGED, becomes: 'reopened', advice: 'Unsettle opens a cancelled bet' }
      return [UNCHANGED, opens, ...FAILS]
    }
    default:
      return state.phase satisfies never
  }
}

function allowFirstUnsettle(call: CallToWallet, facts: BetFacts): readonly LiveAllowed[] {
  const taken = allowAccepted('unpay')
  if (facts.acknowledged.has(call.content)) return [UNCHANGED, ...advise('late copy of an old Unsettle applied', taken)]
  if (facts.unanswered.has(call.content)) return [UNCHANGED, taken]
  const kept = advise('Unsettle takes nothing back', UNCHANGED)
  return [taken, ...kept, ...kept.map((one): LiveAllowed => ({ ...one, becomes: 'unpaid' }))]
}

function allowRollback(state: LiveBetState, call: CallToWallet): readonly LiveAllowed[] {
  const again = allowFailure('nothing', 'cancel')
  switch (state.phase) {
    case 'none':
      return [...GIVEN_BACK, ...again]
    case 'open':
      return [...GIVEN_BACK, ...again, ...allowOddRollback(state, call)]
    case 'settled':
      return [...allowRollbackOfResult(), ...again]
    case 'cancelled':
      return [UNCHANGED, { ...ALLOW_ALREADY_DONE, effect: 'nothing' }, ...allowFailure('nothing')]
    case 'reopened':
      return [...GIVEN_BACK, UNCHANGED, ...FAILS]
    default:
      return state.phase satisfies never
  }
}

const GIVEN_BACK: readonly LiveAllowed[] = [allowAccepted('cancel'), ALLOW_ALREADY_DONE]

/** The stake of a lost bet may come back, which advice-level cases forbid. */
function allowRollbackOfResult(): readonly LiveAllowed[] {
  return ALLOW_CANCELLED.map((one) => (one.effect === 'cancel' ? { ...one, advice: 'refund after the result' } : one))
}

/** The interface is silent about a Rollback with another amount or currency (I-4). */
function allowOddRollback(state: LiveBetState, call: CallToWallet): readonly LiveAllowed[] {
  if (call.currency !== undefined && call.currency !== state.balanceKey) return FAILS
  const isOther = call.amount.kind !== 'exact' || call.amount.units !== state.stake
  return isOther ? advise('Rollback of another amount refused', ...FAILS) : []
}
