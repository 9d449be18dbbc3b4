/**
 * The table of allowed answers (allowed-answers.ts) agrees with the cases of the kit: each answer
 * that a case allows is allowed, and a MUST case forbids no answer that the table allows.
 */
import { parseDecimal } from '@purser/protocol/values/money'
import { describe, expect, test } from 'vitest'
import { listAllowedAnswers } from '../../src/verdict/books/allowed-answers.ts'
import {
  createLiveBetState,
  findNextState,
  formatStateKey,
  type LiveAllowed,
  type LiveBetState,
} from '../../src/verdict/books/bet-state.ts'
import type { CallToken, CallToWallet } from '../../src/verdict/live-call.ts'
import type { AllowedAnswer, CallStep, CaseStep, StepCase, TokenChoice } from '../../src/wallet/case/wallet-case.ts'
import { WALLET_CASES } from '../../src/wallet/cases/wallet-cases.ts'

interface WalkedBet {
  state: LiveBetState
  wasDeclined: boolean
  readonly acknowledged: Set<string>
  readonly unanswered: Set<string>
  readonly wasUnsettled: boolean
  readonly rejected: Set<string>
}

const TOKENS: Readonly<Record<TokenChoice, CallToken>> = {
  live: 'live',
  'of A': 'live',
  'of B': 'foreign',
  dead: 'dead',
  old: 'dead',
  unknown: 'dead',
  none: 'none',
}

const BET_OPERATIONS = ['place', 'settle', 'unsettle', 'rollback']
/** Members that change the meaning of a call. */
const DECIDING = [
  'type',
  'amount',
  'transactionId',
  'token',
  'userId',
  'currency',
  'requestId',
  'operatorUser',
  'errorCode',
  'bonusId',
]

/** Cases whose calls are ordinary, apart from their order, signature and token. */
const PLAIN_CASES = WALLET_CASES.filter(
  (one): one is StepCase =>
    'steps' in one &&
    (one.needs ?? []).length === 0 &&
    (one.player ?? 'ordinary') === 'ordinary' &&
    one.steps.every(isPlainStep),
)

function isPlainStep(step: CaseStep): boolean {
  if (step.kind === 'pause') return true
  if (step.kind === 'rounds') return step.steps.every(isPlainStep)
  if (step.kind !== 'call') return false
  const { raw, method, path, bytesOf, members, operation, who, amount, contentType } = step
  const isOdd = [raw, method, path, bytesOf, contentType].some((one) => one !== undefined)
  const decides = Object.keys(members).some((name) => DECIDING.includes(name))
  const isFiner = typeof amount === 'object' && 'finer' in amount
  return !isOdd && !decides && !isFiner && who === 'A' && BET_OPERATIONS.includes(operation) && amount !== '0.123456'
}

function listCalls(steps: readonly CaseStep[]): CallStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'rounds') return listCalls(step.steps)
    return step.kind === 'call' ? [step] : []
  })
}

let last = 0

function toCall({ operation, signature, token, amount, resultType, requestId }: CallStep, bet: string): CallToWallet {
  last += 1
  return {
    ...{
      number: last,
      operation,
      beganAt: new Date(0),
      isValid: true,
      userId: 'A',
      betId: bet,
      currency: 'EUR',
      accountCurrency: 'EUR',
      scale: 2,
    },
    ...{ requestId, resultType, hasBonus: false, content: `${last}` },
    request: { method: 'PUT', url: '', headers: {}, body: '' },
    isSigned: signature === 'valid' || signature === 'other spelling',
    token: TOKENS[token],
    amount: { kind: 'exact', units: toUnits(amount) },
  }
}

/** Amounts that depend on a balance are those of a balance of 1000. */
function toUnits(amount: CallStep['amount']): bigint {
  if (typeof amount === 'string') return parseDecimal(amount, 2) ?? 0n
  if (amount === undefined || 'finer' in amount || 'chosen' in amount) return 100n
  return 1_000n * BigInt(amount.percent) + BigInt(amount.plusUnits)
}

/** Condition and effect of an answer, as the kit applies them to a single call. */
function isPossible({ only }: AllowedAnswer, { phase, paid, resultType }: LiveBetState, call: CallToWallet): boolean {
  const isSettled = phase === 'settled'
  if (only === 'settled') return isSettled
  const units = call.amount.kind === 'exact' ? call.amount.units : 0n
  if (only === 'changed') return isSettled && (paid !== units || resultType !== call.resultType)
  return true
}

function fits(mine: LiveAllowed, theirs: AllowedAnswer): boolean {
  if (mine.kind !== theirs.kind) return false
  if (mine.kind !== 'refused' || theirs.kind !== 'refused') return true
  return mine.codes.length === 0 || (theirs.codes.length > 0 && theirs.codes.every((code) => mine.codes.includes(code)))
}

/** Answers that the kit allows and the table does not, or the other way round. */
function compareCase(one: StepCase): string[] {
  const bets = new Map<string, WalkedBet>()
  return listCalls(one.steps).flatMap((step, index) => {
    const bet = bets.get(step.bet) ?? {
      state: createLiveBetState('EUR'),
      wasDeclined: false,
      acknowledged: new Set(),
      rejected: new Set(),
      unanswered: new Set(),
      wasUnsettled: true,
    }
    bets.set(step.bet, bet)
    const call = toCall(step, step.bet)
    const mine = listAllowedAnswers(bet.state, call, bet)
    const theirs = step.allow.filter((allowed) => isPossible(allowed, bet.state, call))
    const { phase } = bet.state
    const name = (allowed: AllowedAnswer) =>
      `${one.id} call ${index + 1}, ${step.operation} of a bet that is ${phase}: ${allowed.kind} ${allowed.effect}`
    const next = (allowed: AllowedAnswer) => formatStateKey(findNextState(bet.state, call, allowed))
    const missing = theirs.filter(
      (allowed) => !mine.some((other) => fits(other, allowed) && next(other) === next(allowed)),
    )
    const forbidden =
      one.level === 'MUST'
        ? mine.filter(
            (other) => isJudged(other, step) && !theirs.some((allowed) => fits(other, allowed) || fits(allowed, other)),
          )
        : []
    followFirst(bet, call, theirs)
    return [
      ...missing.map((allowed) => `${name(allowed)} is missing`),
      ...forbidden.map((other) => `${name(other)} is not in the case`),
    ]
  })
}

/**
 * A wallet may refuse a bet, a call may fail, and a session may end. The balance is judged
 * elsewhere.
 */
function isJudged(
  { kind, advice, needs, codes }: LiveAllowed & { readonly codes?: readonly number[] },
  { operation, resultType }: CallStep,
): boolean {
  if (needs !== undefined) return false
  if (kind === 'lost' || advice !== undefined || (kind === 'refused' && operation === 'place')) return false
  return !(kind === 'refused' && resultType === 'cashout' && codes?.length === 2)
}

function followFirst(bet: WalkedBet, call: CallToWallet, [first]: readonly AllowedAnswer[]): void {
  if (first === undefined) return
  if (first.kind === 'refused' && call.operation === 'place' && bet.state.phase === 'none') bet.wasDeclined = true
  bet.state = findNextState(bet.state, call, first)
}

describe('the allowed answers agree with the case', () => {
  test('for most cases about bets', () => expect(PLAIN_CASES.length).toBeGreaterThan(50))
  test.each(PLAIN_CASES.map((one) => [one.id, one] as const))('%s of the kit', (_, one) => {
    expect(compareCase(one)).toEqual([])
  })
})
