/**
 * One step of a history: the wallet's rules on one side, the auditor and the laws on the other. The answer, the balance, the bet's
 * state and the sums of the ledger must be what the auditor says, and no law may be broken. Pure.
 */

import { replyCode } from '../../protocol/codes.ts'
import type { Outcome } from '../../wallet/apply/judge.ts'
import type { Rules } from '../../wallet/decide/decision.ts'
import { audit, type Judged, type Mind, newMind, type Verdict } from './auditor.ts'
import { afterStep, brokenLaw, NOTHING_SHOWN, type Step } from './laws.ts'
import { CALLS, type CallName, type EventName, type Letter, requestOf } from './letters.ts'
import type { Place } from './situation.ts'
import { callOf, happen, momentOf, NEW_STATE, OPENING, placeWithPut, type State, type tell } from './world.ts'

export const BEGINNING: Place = {
  state: NEW_STATE,
  mind: newMind(OPENING),
  shown: NOTHING_SHOWN,
  sent: {},
  requests: 0,
}

export interface Judge {
  readonly rules: Rules
  /** The wallet's rules, or a planted fault. */
  readonly tell: typeof tell
}

export interface Stepped {
  readonly place: Place
  /** What the wallet answered: 200 or 400/code; undefined for what is no call. */
  readonly answer?: string
  /** What is wrong with it. */
  readonly complaint?: string | undefined
}

/** What the letter leads to, as step number `moment`; undefined when it says nothing here. */
export function step(judge: Judge, place: Place, letter: Letter, moment: number): Stepped | undefined {
  switch (letter.kind) {
    case 'event':
      return afterEvent(place, letter.name)
    case 'place with PUT':
      return afterPlaceWithPut(judge, place, moment)
    case 'call':
      return afterCall(judge, place, letter, moment)
    default:
      return letter satisfies never
  }
}

function afterEvent({ state, mind, ...others }: Place, name: EventName): Stepped | undefined {
  if ((name === 'token' || name === 'token back') && state.live === (name === 'token back')) return undefined
  if (name === 'lock' && state.record === undefined) return undefined
  const after = happen(state, name)
  const { live } = after
  const then = { ...mind, live, locked: after.record?.locked ?? false, balance: after.account.balance }
  return { place: { ...others, state: after, mind: then } }
}

/** S-5. */
function afterPlaceWithPut(judge: Judge, place: Place, moment: number): Stepped | undefined {
  const request = place.sent.place?.[0]
  if (request === undefined) return undefined
  const answered = judge.tell(place.state, placeWithPut(request), moment, judge.rules)
  const judged: Judged = { verdict: { status: 400, code: 'invalid_request' }, mind: place.mind }
  return compare(judged, answered.outcome, { ...place, state: answered.state }, undefined)
}

function afterCall(judge: Judge, place: Place, letter: Letter & { kind: 'call' }, moment: number): Stepped | undefined {
  const { name } = letter
  const { state, mind, shown, sent, requests } = place
  const request = requestOf(letter, sent, requests)
  if (request === undefined) return undefined
  const mayGoBelowZero = judge.rules.clawback === 'allow-negative'
  const judged = audit(mind, { name, request, moment, mayGoBelowZero })
  const { outcome, state: after, posted } = judge.tell(state, callOf(name, request), moment, judge.rules)
  const seen: Step = {
    kind: CALLS[name].kind,
    request,
    code: outcome.kind === 'refused' ? outcome.code : undefined,
    hasEffect: outcome.kind === 'accepted' && momentOf(outcome.at) === moment,
    posted,
    before: state.account.balance,
    after: after.account.balance,
    mayGoBelowZero,
  }
  const isFresh = letter.sending === 'fresh'
  const then: Place = {
    state: after,
    mind: judged.mind,
    shown: afterStep(shown, seen),
    sent: isFresh ? withSent(sent, name, request) : sent,
    requests: requests + (isFresh ? 1 : 0),
  }
  return compare(judged, outcome, then, brokenLaw(seen, shown))
}

function withSent(sent: Place['sent'], name: CallName, request: number): Place['sent'] {
  return { ...sent, [name]: [sent[name]?.[0] ?? request, request] as const }
}

function compare({ verdict, mind }: Judged, outcome: Outcome, place: Place, broken: string | undefined): Stepped {
  const [answer, must] = [answerOf(outcome), told(verdict)]
  const complaint =
    (broken && `against a law: ${broken}`) ??
    (answer === must ? undefined : `answered ${answer}, must be ${must}`) ??
    complaintAbout(place.state, mind)
  return { place, answer, complaint }
}

/** The bet's transfers add up to its state: the stake lies where it must, the house has won or lost the rest. */
function complaintAbout({ record, account, moved }: State, mind: Mind): string | undefined {
  const { status, stake, payout, balance } = mind
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

function told(verdict: Verdict): string {
  return verdict.status === 200 ? `200 of step ${verdict.moment}` : `400/${replyCode(verdict.code)}`
}

function answerOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return `200 of step ${momentOf(outcome.at)}`
    case 'refused':
      return `400/${replyCode(outcome.code)}`
    case 'failed':
      return 'a failure'
    default:
      return outcome satisfies never
  }
}
