/**
 * Verdict on the answer to a call about a bet: the answer must fit a possible state of the bet, and
 * the balance where it is known. Then the form of the answer is judged.
 */
import { replyCodes } from '@purser/protocol/reply-codes'
import type { Exchange } from '../http-exchange.ts'
import { isCarriedOut } from '../wallet/case/accepted-call.ts'
import { type AnswerMeaning, isSystemErrorAnswer } from '../wallet/play/answer-meaning.ts'
import { describeAllowed } from '../wallet/play/case-finding.ts'
import { listAllowedAnswers } from './books/allowed-answers.ts'
import {
  type AnswerFit,
  expandPending,
  fitAnswer,
  forgetCall,
  isTooMany,
  type LiveBet,
  mergePossibilities,
  type Possibility,
  takeAgreedNote,
} from './books/bet-history.ts'
import { findNextState, type LiveAllowed, type LiveBetState } from './books/bet-state.ts'
import { checkFunds, type FundsProblem } from './books/funds-check.ts'
import { type EndedCall, type PlayerBook, recordEnded, setPossibilities } from './books/player-book.ts'
import { nameAnswerFault } from './faults/answer-fault.ts'
import { listMoneyFaults } from './faults/money-faults.ts'
import { findBetRefusalFault, findSignatureFault, type RefusalFault } from './faults/refusal-fault.ts'
import { judgeForm } from './form-verdict.ts'
import { type CallToWallet, getUnits } from './live-call.ts'
import type { Verdict } from './live-verdict.ts'
import { buildFaultVerdict, buildVerdict, formatAnswer, formatCallTitle, formatPlayerMoney } from './verdict-text.ts'

export interface BetAnswer {
  readonly book: PlayerBook
  readonly bet: LiveBet
  readonly call: CallToWallet
  readonly exchange: Exchange
  readonly answer: AnswerMeaning
  readonly overlapping: readonly CallToWallet[]
  readonly wasSignedAccepted: boolean
  /** Failures of the server in a row, with this answer. */
  readonly failures: number
}

/** Records the answer in the books. */
export function judgeBetAnswer(given: BetAnswer): Verdict {
  const { book, bet, call, exchange, answer, overlapping } = given
  const before = listStates(bet, call)
  const isDefined = before.some((state) => listAllowedAnswers(state, call, bet).some(({ kind }) => kind === 'accepted'))
  const fit = fitAnswer(bet, call, answer)
  bet.pending = bet.pending.filter((other) => other !== call)
  setPossibilities(book, bet, fit.possibilities.length > 0 ? fit.possibilities : forceAnswer(bet, call, answer))
  if (isTooMany(bet.possibilities)) abandonBet(book, bet)
  const money = bet.isUnclear ? undefined : judgeMoney(given, fit, before)
  const form = judgeForm(given, isDefined)
  recordFacts(bet, call, answer, before)
  const note = takeAgreedNote(bet, call.number)
  const verdict = chooseVerdict(given, { money, form, note: note && buildNote(call, answer, note), before })
  const ended: EndedCall = {
    call,
    exchange,
    answer,
    bet,
    before,
    after: bet.possibilities.map(({ state }) => state),
    overlapping,
    verdict,
  }
  recordEnded(book, ended)
  if (bet.possibilities.some(({ notes }) => notes.has(call.number))) book.noted.set(call.number, ended)
  return verdict
}

/** The states in which the call can take effect. */
function listStates(bet: LiveBet, call: CallToWallet): readonly LiveBetState[] {
  const open = expandPending(bet, call).filter(({ applied }) => !applied.has(call.number))
  return (open.length > 0 ? open : bet.possibilities).map(({ state }) => state)
}

/** Continues after a wrong answer: the call has taken effect, or has had no effect. */
function forceAnswer(bet: LiveBet, call: CallToWallet, answer: AnswerMeaning): readonly Possibility[] {
  const isDone = call.operation !== undefined && isCarriedOut(call.operation as 'rollback', answer)
  const next = expandPending(bet, call).flatMap((one) => {
    const rest = forgetCall(one, call)
    const forced = { ...rest, state: findNextState(one.state, call, toForcedAnswer(call)) }
    return isDone && !one.applied.has(call.number) ? [rest, forced] : [rest]
  })
  return mergePossibilities(next)
}

const EFFECTS = { place: 'debit', settle: 'pay', unsettle: 'unpay', rollback: 'cancel' } as const

function toForcedAnswer({ operation }: CallToWallet): LiveAllowed {
  const effect =
    operation !== undefined && operation in EFFECTS ? EFFECTS[operation as keyof typeof EFFECTS] : 'nothing'
  return { kind: 'accepted', effect, body: [] }
}

/** The bet and the balance are no longer judged, until the next balance is read. */
function abandonBet(book: PlayerBook, bet: LiveBet): void {
  bet.isUnclear = true
  book.base = { low: undefined, high: undefined }
  setPossibilities(book, bet, bet.possibilities.slice(0, 1))
}

/** Codes after which a declined bet stays declined (I-3). */
const FINAL_CODES = replyCodes(
  ...(['not_enough_money', 'player_blocked', 'stake_limit', 'loss_limit', 'bet_count_limit', 'self_excluded'] as const),
  ...(['not_verified', 'under_age'] as const),
)
const CHANGE_CODES = replyCodes('recalculation_blocked', 'recalculation_negative')

function recordFacts(bet: LiveBet, call: CallToWallet, answer: AnswerMeaning, before: readonly LiveBetState[]): void {
  const { operation, content } = call
  const code = answer.kind === 'refused' ? answer.code : undefined
  if (answer.kind === 'accepted') bet.accepted.add(operation)
  if (answer.kind === 'lost') bet.unanswered.add(content)
  if (operation === 'place') {
    if (answer.kind === 'accepted') bet.wasPlaced ||= before.some(({ phase }) => phase === 'none')
    if (code !== undefined && FINAL_CODES.includes(code) && !bet.wasPlaced) bet.wasDeclined = true
    return
  }
  if (operation !== 'settle' && operation !== 'unsettle') return
  if (answer.kind === 'accepted') bet.acknowledged.add(content)
  if (code !== undefined && CHANGE_CODES.includes(code)) bet.rejected.add(content)
  if (operation === 'settle' && answer.kind === 'accepted') bet.payout = getUnits(call)
}

function judgeMoney(given: BetAnswer, fit: AnswerFit, before: readonly LiveBetState[]): Verdict | undefined {
  const { call, answer, bet, book } = given
  const code = answer.kind === 'refused' ? answer.code : undefined
  const signature = findSignatureFault(call, code, given.wasSignedAccepted)
  if (signature !== undefined) return blameRefusal(given, signature)
  if (fit.possibilities.length === 0) return blameAnswer(given, before)
  const { currency } = book.player
  const refusal =
    answer.kind === 'refused' ? findBetRefusalFault(call, code, { bet, states: before, currency }) : undefined
  return refusal === undefined ? judgeFunds(given, fit) : blameRefusal(given, refusal)
}

function blameRefusal({ call, answer }: BetAnswer, { cause, hint, isUndecided }: RefusalFault): Verdict {
  const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}, but ${hint}`
  return buildFaultVerdict(cause, { call, sentence, ...(isUndecided && { kind: 'undecided' }) })
}

function blameAnswer({ call, answer, bet, book }: BetAnswer, before: readonly LiveBetState[]): Verdict {
  const cause = nameAnswerFault(call, answer, bet, before)
  const allowed = before.flatMap((state) => listAllowedAnswers(state, call, bet))
  const states = [...new Set(before.map((state) => describeState(state, book)))].join(' or ')
  const demanded = describeAllowed(allowed.filter(({ kind, advice }) => kind !== 'lost' && advice === undefined))
  const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}; it had to ${demanded}, because ${describeReason(call, states)}`
  return buildFaultVerdict(cause, { call, sentence })
}

function describeReason({ isSigned, operation }: CallToWallet, states: string): string {
  if (!isSigned) return 'the service has not signed it'
  return operation === undefined ? 'the interface has no such call' : states
}

function describeState({ phase, paid, resultType }: LiveBetState, { player }: PlayerBook): string {
  switch (phase) {
    case 'none':
      return 'no stake is debited for the bet'
    case 'open':
      return 'the bet is open'
    case 'settled':
      return `the bet is settled: ${resultType} ${formatPlayerMoney(paid, player)}`
    case 'cancelled':
      return 'the bet is rolled back'
    case 'reopened':
      return 'the bet was rolled back and then unsettled'
    default:
      return phase satisfies never
  }
}

function judgeFunds({ book, bet, call, answer, overlapping }: BetAnswer, { matches }: AnswerFit): Verdict | undefined {
  const [needs] = matches.map((match) => match.needs)
  if (needs === undefined || matches.some((match) => match.needs !== needs)) return undefined
  // an earlier attempt may have been declined, which the wallet remembers (I-3)
  if (needs === 'no funds' && (bet.unanswered.size > 0 || bet.pending.length > 0)) return undefined
  const problem = checkFunds(book, bet, call, { needs, overlapping })
  if (problem === undefined) return undefined
  const verdict =
    problem.kind === 'funds'
      ? blameAcceptance(book, call, answer, { problem, overlapping })
      : blamePoverty(book, call, answer, problem)
  if (!book.hasReads) limitAfterFault(book, problem)
  return verdict
}

/** One fault must not accuse every later bet, so the balance is unknown on this side. */
function limitAfterFault(book: PlayerBook, { kind }: FundsProblem): void {
  book.base = kind === 'funds' ? { ...book.base, high: undefined } : { ...book.base, low: undefined }
}

/** Another bet at the same moment shows a race. Otherwise the next balance decides. */
function blameAcceptance(
  book: PlayerBook,
  call: CallToWallet,
  answer: AnswerMeaning,
  { problem, overlapping }: { problem: FundsProblem; overlapping: readonly CallToWallet[] },
): Verdict {
  const isRace = overlapping.some(({ operation, betId }) => operation === 'place' && betId !== call.betId)
  const left = formatPlayerMoney(problem.balance, book.player)
  const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}, with a balance of ${left}; it had to be refused with code 7`
  if (isRace)
    return buildFaultVerdict('race of two bets', {
      call,
      sentence: `${sentence}: two bets at once have used the same money`,
    })
  const rest = book.hasReads ? '. The next balance decides' : ', unless money was added meanwhile'
  return buildFaultVerdict('stake above the balance accepted', {
    call,
    sentence: sentence + rest,
    ...(book.hasReads && { kind: 'undecided' }),
  })
}

/** A debit that no answer shows can explain that money is missing. */
function blamePoverty(book: PlayerBook, call: CallToWallet, answer: AnswerMeaning, problem: FundsProblem): Verdict {
  const left = formatPlayerMoney(problem.balance, book.player)
  const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}, although the calls leave ${left}`
  if (book.hasReads)
    return buildFaultVerdict('sufficient money refused', {
      call,
      sentence: `${sentence}. The next balance decides`,
      kind: 'undecided',
    })
  const stake = getUnits(call) ?? 0n
  const suspects = book.recent.flatMap((ended) => listMoneyFaults(ended, 0n, []))
  const found = suspects.findLast(
    ({ ended, difference }) =>
      ended.call.number !== call.number &&
      difference < 0n &&
      problem.balance + difference < stake &&
      ended.answer.kind === 'accepted',
  )
  if (found === undefined) return buildFaultVerdict('sufficient money refused', { call, sentence })
  const hint = `${found.cause}, by ${formatCallTitle(found.ended.call)}`
  return buildFaultVerdict(found.cause, {
    call,
    sentence: `${sentence}; this fits: ${hint}`,
    difference: found.difference,
  })
}

function buildNote(call: CallToWallet, answer: AnswerMeaning, cause: Parameters<typeof buildFaultVerdict>[0]): Verdict {
  return buildFaultVerdict(cause, {
    call,
    sentence: `${formatCallTitle(call)}: ${formatAnswer(answer)}: ${cause}`,
    kind: 'advice',
  })
}

/** Advice about earlier calls that a balance has decided. */
export function settleNotes(book: PlayerBook): readonly Verdict[] {
  return [...book.noted].flatMap(([number, { bet, call, answer, verdict }]) => {
    const isOpen = new Set(bet.possibilities.map(({ notes }) => notes.get(number))).size > 1
    if (isOpen) return []
    book.noted.delete(number)
    const note = takeAgreedNote(bet, number)
    return note === undefined || verdict.kind === 'wrong' ? [] : [buildNote(call, answer, note)]
  })
}

interface Findings {
  readonly money: Verdict | undefined
  readonly form: Verdict | undefined
  readonly note: Verdict | undefined
  readonly before: readonly LiveBetState[]
}

function chooseVerdict({ call, answer, bet }: BetAnswer, { money, form, note, before }: Findings): Verdict {
  const found = [money, form, note].filter((one) => one !== undefined)
  const worst = found.find(({ kind }) => kind === 'wrong') ?? found.find(({ kind }) => kind === 'undecided') ?? found[0]
  if (worst !== undefined) return worst
  const title = `${formatCallTitle(call)}: ${formatAnswer(answer)}`
  if (isOutcomeUnknown(answer)) return buildVerdict(call, 'undecided', `${title}. ${describeLoss(call)}`)
  if (bet.isUnclear) return buildVerdict(call, 'undecided', `${title}. Too many states of this bet are possible`)
  return buildVerdict(call, 'right', `${title}${describeRepeat(call, before)}`)
}

function isOutcomeUnknown(answer: AnswerMeaning): boolean {
  if (answer.kind === 'accepted') return false
  return answer.kind === 'lost' || isSystemErrorAnswer(answer) || isServerFailure(answer)
}

function isServerFailure({ status }: { readonly status: number }): boolean {
  return status >= 500 || status === TOO_MANY_REQUESTS
}

const TOO_MANY_REQUESTS = 429

function describeLoss({ operation }: CallToWallet): string {
  return operation === 'place' ? 'The service sends a Rollback' : 'The service sends it again'
}

function describeRepeat(call: CallToWallet, before: readonly LiveBetState[]): string {
  const phases = new Set(before.map(({ phase }) => phase))
  const [phase] = phases
  if (phases.size !== 1 || call.operation === undefined) return ''
  if (call.operation === 'place' && (phase === 'open' || phase === 'settled'))
    return ': the bet is known, and no second stake is due'
  if (call.operation === 'place' && phase === 'cancelled') return ': the bet is rolled back, and no stake is due'
  if (call.operation === 'rollback' && phase === 'cancelled') return ': the bet is already rolled back'
  return call.operation === 'rollback' && phase === 'none' ? ': the bet is unknown, and nothing is refunded' : ''
}
