/** Text of a finding: the call that led to a wrong balance, its answer, and the allowed answers. */

import type { Operation } from '@purser/protocol/operation'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import type { CaseFacts } from '../../case-facts.ts'
import { CLAUSES, isInterfaceClause, splitClauses } from '../../clauses.ts'
import type { Exchange } from '../../http-exchange.ts'
import { isAllowed, type JudgedCall, type PossibleBooks } from '../case/answer-match.ts'
import { OPERATION_NAMES } from '../case/call-name.ts'
import type { AllowedAnswer, AnswerCondition, ConcurrentCalls } from '../case/wallet-case.ts'
import { describeAnswer } from './answer-meaning.ts'
import type { ExpectedBooks } from './expected-books.ts'

export interface CaseFinding {
  readonly why: string
  /** Absent if no single call is the cause. */
  readonly blamed?: Exchange
  readonly operation?: Operation
  /** The answer was right and the balance wrong. */
  readonly isOfMoney?: true
}

/**
 * Adds the words of the clause. Clauses of the named call have priority, and for a wrong balance
 * clauses about money. A decision is quoted by the sentence of the case.
 */
export function addClause(finding: CaseFinding, facts: Pick<CaseFacts, 'clause' | 'sentence'>): CaseFinding {
  const { why, operation: _, isOfMoney: __, ...rest } = finding
  const { name, words } = chooseClause(finding, facts)
  const reason = isInterfaceClause(name) ? `${name}: "${words}"` : `${name}: ${words}`
  return { why: `${why}. ${reason}`, ...rest }
}

/** The words of a decision are the sentence of the case. */
export function chooseClause(
  { operation, isOfMoney }: Pick<CaseFinding, 'operation' | 'isOfMoney'>,
  { clause, sentence }: Pick<CaseFacts, 'clause' | 'sentence'>,
): { readonly name: string; readonly words: string } {
  const names = splitClauses(clause).filter(isInterfaceClause)
  const own = names.filter((name) => operation !== undefined && name.startsWith(OPERATION_NAMES[operation]))
  const likely = own.length > 0 ? own : names
  const ofMoney = isOfMoney && likely.findLast((one) => SPEAKS_OF_MONEY.test(CLAUSES[one]))
  const name = ofMoney || likely[0]
  return name === undefined ? { name: clause, words: sentence } : { name, words: formatTableRow(CLAUSES[name]) }
}

const SPEAKS_OF_MONEY = /balance|amount|payment|refund|debit/i

/** The cells of a table row become a list. */
function formatTableRow(text: string): string {
  const cells = text.split('|').map((cell) => cell.trim())
  return cells.filter((cell) => cell !== '').join(', ')
}

export function reportWrongAnswer(judged: JudgedCall, before: ExpectedBooks, isSingleCall: boolean): CaseFinding {
  const { call, answer, name, matches } = judged
  const allowed = call.allow.filter((one) => isAllowed(one, before, judged, isSingleCall))
  const [unmet] = matches.flatMap(({ only }) => (only === undefined ? [] : [only]))
  const reason = unmet === undefined ? '' : `, as ${UNMET[unmet]}`
  return blameCall(judged, `${name}: ${describeAnswer(answer)}; it had to ${describeAllowed(allowed)}${reason}`)
}

const UNMET: Readonly<Record<AnswerCondition, string>> = {
  settled: 'no result of the bet is in force',
  changed: 'it changes no result that is in force',
  placed: 'no stake is debited for the bet',
  unplaced: 'the stake of the bet is debited',
}

export function describeAllowed(allowed: readonly AllowedAnswer[]): string {
  const parts = [...new Set(allowed.map(describeAllowedAnswer))]
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`
}

function describeAllowedAnswer(allowed: AllowedAnswer): string {
  switch (allowed.kind) {
    case 'accepted':
      return 'be accepted'
    case 'lost':
      return 'fail'
    case 'given up':
      return 'fail until its Rollback'
    case 'refused':
      return allowed.codes.length === 0 ? 'be refused' : `be refused with ${allowed.codes.map(formatCode).join(' or ')}`
    default:
      return allowed satisfies never
  }
}

function formatCode(code: number): string {
  const known = Object.values(REPLY_CODES).find((one) => one.code === code)
  return known === undefined ? `${code}` : `${code} (${known.message})`
}

/** Undefined if the number is within the bounds. */
export function findWrongCount(
  judged: readonly JudgedCall[],
  { min, max }: ConcurrentCalls['accepted'],
): CaseFinding | undefined {
  const accepted = judged.filter(({ answer }) => answer.kind === 'accepted')
  const { length } = accepted
  if (length >= min && length <= max) return undefined
  const isTooMany = length > max
  const wrong = isTooMany ? accepted : judged.filter((one) => !accepted.includes(one))
  const answers = [...new Set(wrong.map(({ answer }) => describeAnswer(answer)))].join(', ')
  const observed = isTooMany ? `accepted, ${length} of ${judged.length} calls at once` : answers
  const demanded = isTooMany
    ? `at most ${max} may be accepted`
    : `of ${judged.length} calls at once ${min} must be accepted`
  return blameCall(wrong.at(-1), `${joinCallNames(wrong)}: ${observed}; ${demanded}`)
}

/** `found`: the wrong balance in words. */
export function reportWrongBalance(judged: readonly JudgedCall[], found: string, movedUp?: boolean): CaseFinding {
  const suspects = findSuspects(judged, movedUp)
  const answers = [...new Set(suspects.map(({ answer }) => describeAnswer(answer)))]
  const finding = blameCall(suspects.at(-1), `${joinCallNames(suspects)}: ${answers.join(', ')}, and then ${found}`)
  return { ...finding, isOfMoney: true }
}

const GIVES: readonly Operation[] = ['settle', 'rollback']

/**
 * Suspects among concurrent calls are the accepted calls that move the balance in the direction of
 * the fault. Accepted calls about the same bets are suspects too.
 */
function findSuspects(judged: readonly JudgedCall[], movedUp: boolean | undefined): readonly JudgedCall[] {
  const accepted = judged.filter(({ answer }) => answer.kind === 'accepted')
  const alike = accepted.filter(({ call }) => GIVES.includes(call.operation) === movedUp)
  const bets = alike.map(({ call }) => call.bet)
  const related = accepted.filter(({ call }) => bets.includes(call.bet))
  return [related, accepted, judged].find((some) => some.length > 0) ?? []
}

export function reportWrongBody(judged: JudgedCall, problem: string): CaseFinding {
  return blameCall(judged, `${judged.name}: ${problem}`)
}

export function reportNoMatch(possible: PossibleBooks & { kind: 'none' }): CaseFinding {
  return reportWrongAnswer(possible.wrong, possible.before, possible.isSingleCall)
}

function blameCall(judged: JudgedCall | undefined, why: string): CaseFinding {
  return judged === undefined ? { why } : { why, blamed: judged.exchange, operation: judged.call.operation }
}

/** "Rollback X 100 (2 times) + Place bet X 100" */
function joinCallNames(judged: readonly JudgedCall[]): string {
  const names = judged.map(({ name }) => name)
  const counted = [...new Set(names)].map((name) => {
    const count = names.filter((one) => one === name).length
    return count === 1 ? name : `${name} (${count} times)`
  })
  const hidden = counted.length - MAX_NAMES
  if (hidden > 1) counted.splice(MAX_NAMES - 1, hidden, `${hidden} more`)
  return counted.join(' + ')
}

const MAX_NAMES = 4
