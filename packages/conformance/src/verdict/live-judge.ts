/** The judge of live calls (live-verdict.ts). */
import { isBetOperation } from '@purser/protocol/operation'
import { getWrittenNumber } from '@purser/protocol/values/exact-json'
import { parseNearest, parseWireBalance } from '@purser/protocol/values/money'
import type { Exchange } from '../http-exchange.ts'
import { type AnswerMeaning, interpretAnswer, parseObject } from '../wallet/play/answer-meaning.ts'
import { judgeBalance } from './balance-verdict.ts'
import { judgeBetAnswer, settleNotes } from './bet-verdict.ts'
import { fitAnswer, type LiveBet } from './books/bet-history.ts'
import {
  beginBetCall,
  createPlayerBook,
  endProgress,
  noteOverlaps,
  type PlayerBook,
  replacePlayer,
  setPossibilities,
} from './books/player-book.ts'
import { nameForbiddenSuccess } from './faults/answer-fault.ts'
import type { FaultName } from './faults/live-fault.ts'
import { type CallOrigin, type CallToWallet, type KnownPlayers, readCallToWallet } from './live-call.ts'
import type { LiveJudge, LiveJudgeOptions, LivePlayer, Verdict } from './live-verdict.ts'
import { judgeReading } from './reading-verdict.ts'
import { createVerdictTally } from './verdict-tally.ts'
import { buildFaultVerdict, buildVerdict, formatAnswer, formatCallTitle } from './verdict-text.ts'

/** Milliseconds after its end during which a call without an answer may still take effect. */
const LATE_EFFECT_MS = 60_000

interface JudgeState {
  readonly secret: string
  readonly books: Map<string, PlayerBook>
  readonly tokens: Map<string, string>
  /** Calls in progress. */
  readonly calls: Map<number, StartedCall>
  /** Failures of the server in a row, by operation. */
  readonly failures: Map<CallToWallet['operation'], number>
  wasSignedAccepted: boolean
  last: number
}

interface StartedCall {
  readonly call: CallToWallet
  readonly book: PlayerBook | undefined
  readonly bet: LiveBet | undefined
}

export function createLiveJudge({ secret, players }: LiveJudgeOptions): LiveJudge {
  const state: JudgeState = {
    ...{ secret, books: new Map(), tokens: new Map(), calls: new Map(), failures: new Map() },
    ...{ wasSignedAccepted: false, last: 0 },
  }
  const tally = createVerdictTally()
  const record = (verdicts: readonly Verdict[]) => {
    for (const verdict of verdicts) tally.record(verdict)
    return verdicts
  }
  for (const player of players) addPlayer(state, player)
  return {
    begin(request, at, marks = {}) {
      state.last += 1
      const origin: CallOrigin = { number: state.last, beganAt: at, secret, marks }
      return beginCall(state, readCallToWallet(request, findPlayers(state), origin))
    },
    end: (number, exchange) => record(endCall(state, number, exchange)),
    balance(userId, units) {
      const book = state.books.get(userId)
      return record(book === undefined ? [] : readBalance(book, units))
    },
    addPlayer: (player) => addPlayer(state, player),
    sum: () => tally.sum(),
  }
}

function addPlayer({ books, tokens }: JudgeState, player: LivePlayer): void {
  const known = books.get(player.userId)
  if (known === undefined) books.set(player.userId, createPlayerBook(player))
  else replacePlayer(known, player)
  for (const token of player.tokens) tokens.set(token, player.userId)
}

function findPlayers({ books, tokens }: JudgeState): KnownPlayers {
  return {
    find: (userId) => (userId === undefined ? undefined : books.get(userId)?.player),
    findByToken: (token) => books.get(tokens.get(token) ?? '')?.player,
  }
}

function beginCall(state: JudgeState, call: CallToWallet): number {
  const book = call.userId === undefined ? undefined : findBook(state, call, call.userId)
  if (book !== undefined) expireUnanswered(book, call.beganAt)
  const isAboutBet = call.operation !== undefined && isBetOperation(call.operation) && call.betId !== undefined
  const bet = book && isAboutBet ? beginBetCall(book, call, call.betId) : undefined
  if (book !== undefined && bet === undefined) noteOverlaps(book, call)
  state.calls.set(call.number, { call, book, bet })
  return call.number
}

/** A player whom the judge does not know has an unknown balance. */
function findBook({ books }: JudgeState, { currency = '', scale }: CallToWallet, userId: string): PlayerBook {
  const known = books.get(userId)
  if (known !== undefined) return known
  const book = createPlayerBook({ userId, currency, scale, tokens: [] })
  books.set(userId, book)
  return book
}

/** After a minute the call has taken effect or never will. */
function expireUnanswered(book: PlayerBook, now: Date): void {
  const isOver = ({ endedAt }: { endedAt: Date }) => now.getTime() - endedAt.getTime() > LATE_EFFECT_MS
  for (const { call, bet } of book.unanswered.filter(isOver)) {
    const { possibilities } = fitAnswer(bet, call, { kind: 'lost', why: 'no answer' })
    bet.pending = bet.pending.filter((other) => other !== call)
    setPossibilities(book, bet, possibilities.length > 0 ? possibilities : bet.possibilities)
  }
  book.unanswered = book.unanswered.filter((one) => !isOver(one))
}

function endCall(state: JudgeState, number: number, exchange: Exchange): readonly Verdict[] {
  const started = state.calls.get(number)
  if (started === undefined) return []
  state.calls.delete(number)
  const { call, book, bet } = started
  const overlapping = book === undefined ? [] : endProgress(book, call)
  const answer = readAnswer(exchange)
  const failures = countFailures(state, call, exchange)
  const { wasSignedAccepted } = state
  state.wasSignedAccepted ||= call.isSigned && answer.kind === 'accepted'
  if (exchange.answer.kind === 'none') return [endWithoutAnswer(started, exchange, exchange.answer.why)]
  if (book !== undefined && bet !== undefined)
    return [judgeBetAnswer({ book, bet, call, exchange, answer, overlapping, wasSignedAccepted, failures })]
  const isRead = call.operation !== undefined && !isBetOperation(call.operation)
  if (!isRead) return [judgeMalformed(call, answer)]
  const verdict = judgeReading({ call, exchange, answer, failures, wasSignedAccepted, player: book?.player })
  const isAlone = overlapping.length === 0 && book?.inProgress.size === 0
  if (book === undefined || call.operation !== 'balance' || verdict.kind === 'wrong' || !isAlone) return [verdict]
  return readBalanceAnswer(book, call, answer, verdict)
}

/** A success without a JSON object does not show whether the call has taken effect. */
function readAnswer(exchange: Exchange): AnswerMeaning {
  const { answer } = exchange
  const meaning = interpretAnswer(exchange)
  if (answer.kind === 'none' || meaning.kind !== 'accepted' || parseObject(answer.body) !== undefined) return meaning
  return { kind: 'lost', why: `HTTP status ${answer.status} without a JSON object` }
}

function countFailures({ failures }: JudgeState, { operation }: CallToWallet, { answer }: Exchange): number {
  const hasFailed = answer.kind === 'some' && answer.status >= 500
  const count = hasFailed ? (failures.get(operation) ?? 0) + 1 : 0
  failures.set(operation, count)
  return count
}

/** The call stays pending, because it may take effect later. */
function endWithoutAnswer({ call, book, bet }: StartedCall, exchange: Exchange, why: string): Verdict {
  const endedAt = new Date(exchange.startedAt.getTime() + exchange.durationMs)
  bet?.unanswered.add(call.content)
  if (book !== undefined && bet !== undefined) book.unanswered = [...book.unanswered, { call, bet, endedAt }]
  return buildVerdict(
    call,
    'undecided',
    `${formatCallTitle(call)}: no answer (${why}). The wallet may have carried it out`,
  )
}

/** A call that names no bet, or that the interface does not have. */
function judgeMalformed(call: CallToWallet, answer: AnswerMeaning): Verdict {
  const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}`
  if (answer.kind !== 'accepted') return buildVerdict(call, 'right', sentence)
  return buildFaultVerdict(nameForbiddenSuccess(call), { call, sentence: `${sentence}; it had to be refused` })
}

function readBalanceAnswer(book: PlayerBook, call: CallToWallet, answer: AnswerMeaning, verdict: Verdict): Verdict[] {
  if (answer.kind !== 'accepted' || answer.body.userId !== book.player.userId) return [verdict]
  if (answer.body.currency !== book.player.currency) return [verdict]
  const { amount } = answer.body
  const units = parseWireBalance(amount, book.player.scale)
  if (units !== undefined) return [verdict, ...readBalance(book, units)]
  const number = getWrittenNumber(amount) ?? (typeof amount === 'number' ? String(amount) : undefined)
  if (number === undefined) return [verdict]
  const sentence = `${formatCallTitle(call)}: the balance is ${number}, which is no amount of ${book.player.currency}`
  const floats = buildFaultVerdict('floats', { call, sentence })
  // rounded, so that a wallet with floats gets its other verdicts too
  const nearest = parseNearest(number, book.player.scale)
  const others = nearest === undefined ? [] : readBalance(book, nearest)
  return [floats, ...others.filter(({ kind, cause = '' }) => kind === 'wrong' && !ROUNDING_FAULTS.includes(cause))]
}

/** A rounded balance cannot show these. */
const ROUNDING_FAULTS: readonly string[] = ['cents lost by floats', 'single minor units lost'] satisfies FaultName[]

function readBalance(book: PlayerBook, units: bigint): readonly Verdict[] {
  if ([...book.inProgress.values()].length > 0) return []
  return [...judgeBalance(book, units), ...settleNotes(book)]
}
