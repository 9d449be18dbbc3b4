/**
 * Verdict on a balance that was read. A difference from the books is explained by the faults of
 * calls since the last balance that was right.
 */
import { matchBalance } from './books/balance-match.ts'
import type { Possibility } from './books/bet-history.ts'
import { mergePossibilities } from './books/bet-history.ts'
import type { LiveBetState } from './books/bet-state.ts'
import { type EndedCall, type PlayerBook, rebase, setPossibilities } from './books/player-book.ts'
import { explainDifference } from './faults/balance-explanation.ts'
import type { FaultName } from './faults/live-fault.ts'
import type { MoneyFault } from './faults/money-faults.ts'
import type { CallToWallet } from './live-call.ts'
import type { Verdict } from './live-verdict.ts'
import { buildFaultVerdict, formatAnswer, formatCallTitle, formatPlayerMoney } from './verdict-text.ts'

/** Compares the balance, keeps the states of the bets that fit, and returns new verdicts. */
export function judgeBalance(book: PlayerBook, units: bigint): readonly Verdict[] {
  const match = matchBalance(book, units)
  const { recent } = book
  book.recent = []
  const [last] = recent.slice(-1)
  const start = book.lastRead
  book.hasReads = true
  book.lastRead = units
  if (match.kind !== 'different') return match.kind === 'matched' ? confirmSuspicions(book, recent) : []
  const { scale } = book.player
  const wrong = { units, expected: match.expected, start, scale, known: book.shownFaults }
  const found = explainDifference(recent, wrong)
  if (found.kind === 'calls') return blameCalls(book, units, found.faults)
  rebase(book, units)
  const [expected = units] = match.expected
  return [
    found.kind === 'arithmetic'
      ? blameArithmetic(book, found.cause, last, { units, expected })
      : reportChange(book, { units, expected }),
  ]
}

function blameCalls(book: PlayerBook, units: bigint, faults: readonly MoneyFault[]): readonly Verdict[] {
  const right = units - faults.reduce((sum, { difference }) => sum + difference, 0n)
  for (const fault of faults) {
    book.shownFaults.add(fault.cause)
    bookFault(book, fault)
  }
  if (matchBalance(book, units).kind === 'different') rebase(book, units)
  const fresh = faults.filter(({ ended, cause }) => !isAlreadyBlamed(ended.verdict, cause))
  return fresh.map(({ ended, cause, difference }) => {
    const { call, answer } = ended
    const found = `the balance is ${formatPlayerMoney(units, book.player)} instead of ${formatPlayerMoney(right, book.player)}`
    const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}, and then ${found}: ${cause}`
    return { ...buildFaultVerdict(cause, { call, sentence, isOfMoney: true, difference }), call: call.number }
  })
}

/** One race can show twice: in an answer and in the balance. */
function isAlreadyBlamed({ kind, cause }: Verdict, found: FaultName): boolean {
  if (kind !== 'wrong') return false
  return cause === found || cause === 'race of two bets'
}

/** The wallet may have booked the excess, so that it returns it later, or may not. */
function bookFault(book: PlayerBook, { ended, difference }: MoneyFault): void {
  const { bet, call } = ended
  const next = bet.possibilities.flatMap((one) => addExcess(one, call, difference))
  setPossibilities(book, bet, mergePossibilities(next))
}

function addExcess(one: Possibility, call: CallToWallet, difference: bigint): Possibility[] {
  const { state } = one
  const kept: LiveBetState = { ...state, excess: state.excess + difference }
  const returned: LiveBetState = { ...kept, returnsExcess: true }
  const isLateDebit = call.operation === 'place' && state.phase === 'cancelled'
  const opened: LiveBetState[] = isLateDebit ? [{ ...state, phase: 'open', stake: state.stake - difference }] : []
  return [kept, returned, ...opened].map((changed) => ({ ...one, state: changed }))
}

/** Confirms faults that only answers have shown: a stake above the balance, a wrong code 7. */
function confirmSuspicions(book: PlayerBook, recent: readonly EndedCall[]): readonly Verdict[] {
  return recent.flatMap(({ verdict, call, answer }) => {
    if (verdict.kind !== 'undecided' || verdict.cause === undefined) return []
    const isOfFunds =
      verdict.cause === 'stake above the balance accepted' || verdict.cause === 'sufficient money refused'
    if (!isOfFunds) return []
    const balance = formatPlayerMoney(book.lastRead ?? 0n, book.player)
    const sentence = `${formatCallTitle(call)}: ${formatAnswer(answer)}, and the balance is now ${balance}: ${verdict.cause}`
    return [buildFaultVerdict(verdict.cause as FaultName, { call, sentence })]
  })
}

interface Difference {
  readonly units: bigint
  readonly expected: bigint
}

function blameArithmetic(
  book: PlayerBook,
  cause: FaultName,
  last: EndedCall | undefined,
  { units, expected }: Difference,
): Verdict {
  const difference = units - expected
  const [is, had] = [formatPlayerMoney(units, book.player), formatPlayerMoney(expected, book.player)]
  const sentence = `After ${last === undefined ? 'the calls' : formatCallTitle(last.call)} the balance is ${is} instead of ${had}: ${cause}`
  return buildFaultVerdict(cause, { call: last?.call, sentence, isOfMoney: true, difference })
}

function reportChange(book: PlayerBook, { units, expected }: Difference): Verdict {
  const [is, had] = [formatPlayerMoney(units, book.player), formatPlayerMoney(expected, book.player)]
  const change = units - expected
  const amount = `${change > 0n ? '+' : ''}${formatPlayerMoney(change, book.player)}`
  const sentence = `The balance changed by ${amount}, from ${had} to ${is}, without a call that explains it. If you changed it yourself, ignore this`
  return { call: 0, kind: 'undecided', sentence, cause: 'unexplained balance' }
}
