/**
 * Plays and checks one step of a history. The functions are pure.
 *
 * Invariant: the wallet's answer, balance, state of the bet and ledger sums equal the auditor's. No
 * invariant of one-bet-invariants.ts is broken.
 */

import { replyCode } from '@purser/protocol/reply-codes'
import type { BetCallOutcome } from 'purser/wallet/queue/rules-path'
import type { Rules } from 'purser/wallet/rules/decision'
import type { HistoryPosition } from './history-fingerprint.ts'
import { type BetAction, type BetCallName, type BetEventName, CALLS, chooseRequest } from './one-bet-actions.ts'
import {
  type AuditedStep,
  auditCall,
  type ExpectedAnswer,
  type ExpectedState,
  newExpectedState,
} from './one-bet-auditor.ts'
import { type CheckedStep, findBrokenInvariant, NO_FACTS, updateFacts } from './one-bet-invariants.ts'
import {
  type answerCall,
  applyBetEvent,
  NEW_ONE_BET_STATE,
  type OneBetState,
  OPENING,
  placeWithPut,
  toBetCall,
  toMoment,
} from './one-bet-model.ts'

export const START_POSITION: HistoryPosition = {
  state: NEW_ONE_BET_STATE,
  expected: newExpectedState(OPENING),
  facts: NO_FACTS,
  sent: {},
  requests: 0,
}

export interface OneBetJudge {
  readonly rules: Rules
  /** The wallet's rules, or a planted fault. */
  readonly answerCall: typeof answerCall
}

export interface StepResult {
  readonly position: HistoryPosition
  /** 200 or 400/code; undefined if the step is no call. */
  readonly answer?: string
  /** Undefined for a correct step. */
  readonly complaint?: string | undefined
}

/** Undefined if the action is not possible here. */
export function applyAction(
  judge: OneBetJudge,
  position: HistoryPosition,
  action: BetAction,
  moment: number,
): StepResult | undefined {
  switch (action.kind) {
    case 'event':
      return applyEvent(position, action.name)
    case 'place with PUT':
      return applyPlaceWithPut(judge, position, moment)
    case 'call':
      return applyCall(judge, position, action, moment)
    default:
      return action satisfies never
  }
}

function applyEvent({ state, expected, ...others }: HistoryPosition, name: BetEventName): StepResult | undefined {
  if ((name === 'token' || name === 'token back') && state.live === (name === 'token back')) return undefined
  if (name === 'lock' && state.record === undefined) return undefined
  const after = applyBetEvent(state, name)
  const { live } = after
  const then = { ...expected, live, locked: after.record?.locked ?? false, balance: after.account.balance }
  return { position: { ...others, state: after, expected: then } }
}

/** A Place bet that arrives as another operation is 400 code 5 (S-5). */
function applyPlaceWithPut(judge: OneBetJudge, position: HistoryPosition, moment: number): StepResult | undefined {
  const request = position.sent.place?.[0]
  if (request === undefined) return undefined
  const answered = judge.answerCall(position.state, placeWithPut(request), moment, judge.rules)
  const judged: AuditedStep = { verdict: { status: 400, code: 'invalid_request' }, expected: position.expected }
  return compareStep(judged, answered.outcome, { ...position, state: answered.state }, undefined)
}

function applyCall(
  judge: OneBetJudge,
  position: HistoryPosition,
  action: BetAction & { kind: 'call' },
  moment: number,
): StepResult | undefined {
  const { name } = action
  const { state, expected, facts, sent, requests } = position
  const request = chooseRequest(action, sent, requests)
  if (request === undefined) return undefined
  const mayGoBelowZero = judge.rules.clawback === 'allow-negative'
  const judged = auditCall(expected, { name, request, moment, mayGoBelowZero })
  const { outcome, state: after, posted } = judge.answerCall(state, toBetCall(name, request), moment, judge.rules)
  const checked: CheckedStep = {
    kind: CALLS[name].kind,
    request,
    code: outcome.kind === 'refused' ? outcome.code : undefined,
    hasEffect: outcome.kind === 'accepted' && toMoment(outcome.at) === moment,
    posted,
    before: state.account.balance,
    after: after.account.balance,
    mayGoBelowZero,
  }
  const isFresh = action.sending === 'fresh'
  const then: HistoryPosition = {
    state: after,
    expected: judged.expected,
    facts: updateFacts(facts, checked),
    sent: isFresh ? withSent(sent, name, request) : sent,
    requests: requests + (isFresh ? 1 : 0),
  }
  return compareStep(judged, outcome, then, findBrokenInvariant(checked, facts))
}

function withSent(sent: HistoryPosition['sent'], name: BetCallName, request: number): HistoryPosition['sent'] {
  return { ...sent, [name]: [sent[name]?.[0] ?? request, request] as const }
}

function compareStep(
  { verdict, expected }: AuditedStep,
  outcome: BetCallOutcome,
  position: HistoryPosition,
  broken: string | undefined,
): StepResult {
  const [answer, must] = [formatOutcome(outcome), formatExpected(verdict)]
  const complaint =
    (broken && `against a law: ${broken}`) ??
    (answer === must ? undefined : `answered ${answer}, must be ${must}`) ??
    findComplaint(position.state, expected)
  return { position, answer, complaint }
}

/** The bet's transfers must add up to its state. */
function findComplaint({ record, account, moved }: OneBetState, expected: ExpectedState): string | undefined {
  const { status, stake, payout, balance } = expected
  const kind = record?.bet.kind ?? 'unknown'
  const must = status === 'nothing' ? 'unknown' : status
  if (kind !== must) return `the bet is ${kind}, must be ${must}`
  if (account.balance !== balance) return `the balance is ${account.balance}, must be ${balance}`
  const open = status === 'open' ? stake : 0n
  if (moved.openStakes !== open) return `open stakes are ${moved.openStakes} of a bet that is ${status}`
  const staked = status === 'open' || status === 'settled' ? stake : 0n
  const due = (status === 'settled' ? payout : 0n) - staked
  return moved.player === due ? undefined : `the bet's transfers gave the player ${moved.player}, must be ${due}`
}

function formatExpected(verdict: ExpectedAnswer): string {
  return verdict.status === 200 ? `200 of step ${verdict.moment}` : `400/${replyCode(verdict.code)}`
}

function formatOutcome(outcome: BetCallOutcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return `200 of step ${toMoment(outcome.at)}`
    case 'refused':
      return `400/${replyCode(outcome.code)}`
    case 'failed':
      return 'a failure'
    default:
      return outcome satisfies never
  }
}
