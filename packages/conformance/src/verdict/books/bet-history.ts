/**
 * The possible states of one bet.
 *
 * A call in progress, or without an answer, may have taken effect at any moment. So each
 * possibility is a state of the bet, with the calls that have already taken effect in it. An answer
 * keeps the possibilities in which the call can have taken effect with this answer, in any order
 * with the other calls (linearizability).
 */
import { findMatches } from '../../wallet/case/answer-match.ts'
import type { AnswerMeaning } from '../../wallet/play/answer-meaning.ts'
import type { FaultName } from '../faults/live-fault.ts'
import type { CallToWallet } from '../live-call.ts'
import { type BetFacts, listAllowedAnswers } from './allowed-answers.ts'
import {
  createLiveBetState,
  findNextState,
  formatStateKey,
  getStateEffect,
  type LiveAllowed,
  type LiveBetState,
} from './bet-state.ts'

type AllowedByCall = ReadonlyMap<number, readonly LiveAllowed[]>

export interface Possibility {
  readonly state: LiveBetState
  /** Calls without an answer so far that have changed the state, with the answers that fit. */
  readonly applied: AllowedByCall
  /** Calls that can have taken effect without a change, in this state or an earlier one. */
  readonly passed: AllowedByCall
  /** Advice that holds if this possibility is the truth. */
  readonly notes: ReadonlyMap<number, FaultName>
}

export interface LiveBet {
  readonly betId: string
  possibilities: readonly Possibility[]
  /** In progress, or without an answer. */
  pending: readonly CallToWallet[]
  /** There were too many possibilities, so the bet is no longer judged. */
  isUnclear: boolean
  wasDeclined: boolean
  /** An Unsettle was sent. */
  wasUnsettled: boolean
  /** A Place bet was accepted before any Rollback. */
  wasPlaced: boolean
  readonly acknowledged: Set<string>
  readonly unanswered: Set<string>
  readonly rejected: Set<string>
  /** Operations of accepted calls. */
  readonly accepted: Set<CallToWallet['operation']>
  /** Minor units of the first Place bet. */
  stake: bigint | undefined
  /** Minor units of the last accepted result. */
  payout: bigint | undefined
  /** The result of the last expansion, with its arguments. */
  expanded?: {
    readonly from: readonly Possibility[]
    readonly pending: readonly CallToWallet[]
    readonly all: readonly Possibility[]
  }
  /** Minor units by which the bet has changed the balance. Undefined if several are possible. */
  knownEffect: bigint | undefined
}

/** Possibilities of a bet. */
const MAX_POSSIBILITIES = 500

export function createLiveBet(betId: string, currency: string): LiveBet {
  const first = { state: createLiveBetState(currency), applied: new Map(), passed: new Map(), notes: new Map() }
  return {
    ...{
      betId,
      possibilities: [first],
      pending: [],
      isUnclear: false,
      wasDeclined: false,
      wasUnsettled: false,
      wasPlaced: false,
    },
    ...{ stake: undefined, payout: undefined, knownEffect: 0n },
    ...{ acknowledged: new Set<string>(), rejected: new Set<string>(), accepted: new Set() },
    unanswered: new Set<string>(),
  }
}

export function addPendingCall(bet: LiveBet, call: CallToWallet): void {
  bet.pending = [...bet.pending, call]
  bet.possibilities = bet.possibilities.map((one) => notePassing(one, bet.pending, bet))
}

/** Records the answers that each pending call can get without a change of this state. */
function notePassing(one: Possibility, pending: readonly CallToWallet[], facts: BetFacts): Possibility {
  const passed = new Map(one.passed)
  for (const call of pending) {
    if (one.applied.has(call.number)) continue
    const unchanged = groupByNextState(one.state, call, listAllowedAnswers(one.state, call, facts))
      .filter(({ state }) => state === one.state)
      .flatMap(({ allowed }) => allowed)
    const known = passed.get(call.number) ?? []
    passed.set(call.number, [
      ...known,
      ...unchanged.filter((allowed) => !known.some((old) => isSameAllowed(old, allowed))),
    ])
  }
  return { ...one, passed }
}

function isSameAllowed(a: LiveAllowed, b: LiveAllowed): boolean {
  return formatAllowed(a) === formatAllowed(b)
}

function formatAllowed({ kind, advice, needs, units, effect, ...rest }: LiveAllowed): string {
  const codes = 'codes' in rest ? rest.codes.join() : ''
  return [kind, effect, advice, needs, units, codes].join(' ')
}

/** Every possibility that is reachable if pending calls take effect now. */
export function expandPending(bet: LiveBet, without?: CallToWallet): readonly Possibility[] {
  const { possibilities, pending, expanded } = bet
  if (without !== undefined) return findReachable(bet, without)
  if (expanded?.from === possibilities && expanded.pending === pending) return expanded.all
  const all = findReachable(bet)
  bet.expanded = { from: possibilities, pending, all }
  return all
}

function findReachable(bet: LiveBet, without?: CallToWallet): readonly Possibility[] {
  const calls = bet.pending.filter((call) => call !== without)
  if (calls.length === 0) return bet.possibilities
  const found = new Map(bet.possibilities.map((one) => [formatKey(one), one]))
  const queue = [...bet.possibilities]
  for (let one = queue.pop(); one !== undefined; one = queue.pop())
    for (const next of calls.flatMap((call) => applyEarly(one as Possibility, call, bet))) {
      const key = formatKey(next)
      const known = found.get(key)
      found.set(key, known === undefined ? next : mergePassed(known, next))
      if (known !== undefined) continue
      queue.push(next)
      if (found.size > MAX_POSSIBILITIES) return [...found.values()]
    }
  return [...found.values()]
}

/** The possibilities in which this call takes effect before its answer. */
function applyEarly(one: Possibility, call: CallToWallet, bet: LiveBet): Possibility[] {
  if (one.applied.has(call.number)) return []
  const groups = groupByNextState(one.state, call, listAllowedAnswers(one.state, call, bet))
  return groups
    .filter(({ state }) => state !== one.state)
    .map(({ state, allowed }) =>
      notePassing({ ...one, state, applied: new Map(one.applied).set(call.number, allowed) }, bet.pending, bet),
    )
}

interface NextState {
  readonly state: LiveBetState
  readonly allowed: readonly LiveAllowed[]
}

function groupByNextState(state: LiveBetState, call: CallToWallet, allowed: readonly LiveAllowed[]): NextState[] {
  const groups = new Map<string, NextState>()
  for (const one of allowed) {
    const next = findNextState(state, call, one)
    const key = formatStateKey(next)
    const known = groups.get(key)
    const isUnchanged = key === formatStateKey(state)
    groups.set(key, { state: isUnchanged ? state : next, allowed: [...(known?.allowed ?? []), one] })
  }
  return [...groups.values()]
}

export interface AnswerFit {
  /** Empty if the answer fits no possibility. */
  readonly possibilities: readonly Possibility[]
  /** The allowed answers that fit. */
  readonly matches: readonly LiveAllowed[]
}

/** Keeps the possibilities that fit the answer, without changing the bet. */
export function fitAnswer(bet: LiveBet, call: CallToWallet, answer: AnswerMeaning): AnswerFit {
  const found = expandPending(bet, call).flatMap((one) => fitPossibility(one, bet, call, answer))
  const possibilities = mergePossibilities(found.map(({ possibility }) => possibility))
  return { possibilities, matches: found.flatMap(({ matches }) => matches) }
}

interface PossibleFit {
  readonly possibility: Possibility
  readonly matches: readonly LiveAllowed[]
}

function fitPossibility(one: Possibility, bet: LiveBet, call: CallToWallet, answer: AnswerMeaning): PossibleFit[] {
  const applied = one.applied.get(call.number)
  if (applied !== undefined) return keepMatching(one, call, applied, answer)
  const changed = groupByNextState(one.state, call, listAllowedAnswers(one.state, call, bet))
    .filter(({ state }) => state !== one.state)
    .flatMap(({ state, allowed }) => keepMatching({ ...one, state }, call, allowed, answer))
    .map((fit) => ({ ...fit, possibility: notePassing(fit.possibility, bet.pending, bet) }))
  return [...keepMatching(one, call, one.passed.get(call.number) ?? [], answer), ...changed]
}

function keepMatching(
  one: Possibility,
  call: CallToWallet,
  allowed: readonly LiveAllowed[],
  answer: AnswerMeaning,
): PossibleFit[] {
  const matches = selectMatches(allowed, answer)
  if (matches.length === 0) return []
  const rest = forgetCall(one, call)
  const [advice] = matches.map((match) => match.advice)
  const isAdvised = advice !== undefined && matches.every((match) => match.advice !== undefined)
  const notes = isAdvised ? new Map(one.notes).set(call.number, advice) : one.notes
  return [{ possibility: { ...rest, notes }, matches }]
}

/** The possibility without the data of a call that has its answer. */
export function forgetCall(one: Possibility, { number }: CallToWallet): Possibility {
  const [applied, passed] = [new Map(one.applied), new Map(one.passed)]
  applied.delete(number)
  passed.delete(number)
  return { ...one, applied, passed }
}

/** A refusal for its code has priority over one with any code. */
export function selectMatches(allowed: readonly LiveAllowed[], answer: AnswerMeaning): readonly LiveAllowed[] {
  const matches = findMatches({ allow: allowed }, answer)
  const poor = matches.filter(({ needs }) => needs === 'no funds')
  const hasCode = answer.kind === 'refused' && answer.code !== undefined
  return hasCode && poor.length > 0 ? poor : matches
}

export function formatKey({ state, applied, notes }: Possibility): string {
  return [formatStateKey(state), [...applied.keys()].sort().join(), [...notes].flat().join()].join('|')
}

export function mergePossibilities(all: readonly Possibility[]): readonly Possibility[] {
  const found = new Map<string, Possibility>()
  for (const one of all) {
    const key = formatKey(one)
    const known = found.get(key)
    found.set(key, known === undefined ? one : mergePassed(known, one))
  }
  return [...found.values()]
}

function mergePassed(a: Possibility, b: Possibility): Possibility {
  const passed = new Map(a.passed)
  for (const [number, allowed] of b.passed) {
    const known = passed.get(number) ?? []
    passed.set(number, [...known, ...allowed.filter((one) => !known.some((old) => isSameAllowed(old, one)))])
  }
  return { ...a, passed }
}

export function isTooMany(possibilities: readonly Possibility[]): boolean {
  return possibilities.length > MAX_POSSIBILITIES
}

/** Minor units by which the possibility has changed the balance in the currency. */
export function getNetEffect({ state }: Possibility, currency: string): bigint {
  return state.balanceKey === currency ? getStateEffect(state) : 0n
}

/** The advice about this call, if it holds in every possible state. It is then removed. */
export function takeAgreedNote(bet: LiveBet, number: number): FaultName | undefined {
  const notes = new Set(bet.possibilities.map((one) => one.notes.get(number)))
  const [note] = notes
  if (notes.size > 1) return undefined
  bet.possibilities = mergePossibilities(bet.possibilities.map((one) => removeNote(one, number)))
  return note
}

function removeNote(one: Possibility, number: number): Possibility {
  const notes = new Map(one.notes)
  notes.delete(number)
  return { ...one, notes }
}
