/**
 * Verdict on a balance that was read. A difference from the books is explained by the faults of
 * calls since the last balance that was right.
 */
import { matchBalance } from './books/balance-match.ts'
import type { Possibility } from './books/bet-history.ts'
import { mergePossibilities } from './books/bet-history.ts'
import type { LiveBetState } from './books/bet-state.ts'
import { type EndedCall, type PlayerBook, rebase, setPossibilities } from './books/player-book.ts'
import type { FaultName } from './faults/live-fault.ts'
import { listMoneyFaults, type MoneyFault } from './faults/money-faults.ts'
import { isRoundingError, losesDecimals } from './faults/rounding-fault.ts'
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
  const found = explainDifference(book, recent, { units, expected: match.expected, start, known: book.shownFaults })
  if (found.kind === 'calls') return blameCalls(book, units, found.faults)
  rebase(book, units)
  const [expected = units] = match.expected
  return [
    found.kind === 'arithmetic'
      ? blameArithmetic(book, found.cause, last, { units, expected })
      : reportChange(book, { units, expected }),
  ]
}

type Explanation =
  | { readonly kind: 'calls'; readonly faults: readonly MoneyFault[] }
  | { readonly kind: 'arithmetic'; readonly cause: FaultName }
  | { readonly kind: 'none' }

interface WrongBalance {
  readonly units: bigint
  /** The balances that fit the books. */
  readonly expected: readonly bigint[]
  /** The balance that was read before. */
  readonly start: bigint | undefined
  /** Faults that the wallet has shown before. */
  readonly known: ReadonlySet<FaultName>
}

function explainDifference(book: PlayerBook, recent: readonly EndedCall[], wrong: WrongBalance): Explanation {
  const { units, expected, start } = wrong
  const { scale } = book.player
  const single = findFaults(recent, wrong, 1)
  if (single !== undefined) return { kind: 'calls', faults: single }
  if (start !== undefined && losesDecimals(recent, { start, end: units, scale }))
    return { kind: 'arithmetic', cause: 'cents lost at three decimals' }
  const several = findFaults(recent, wrong, MAX_FAULTS)
  if (several !== undefined) return { kind: 'calls', faults: several }
  const isRounded = expected.some((one) => isRoundingError(recent, units - one, scale))
  return isRounded ? { kind: 'arithmetic', cause: 'cents lost by floats' } : { kind: 'none' }
}

/** Faults that together explain a difference. */
const MAX_FAULTS = 6
/** Sums of faults of one size that are compared. */
const MAX_COMBINATIONS = 5_000

/**
 * Rank of a fault as an explanation. A fault that this wallet has shown before is the likeliest. A
 * repeat with a second effect is likelier than a first call without effect, and a refused call that
 * moves money is the least likely.
 */
function rankFault({ cause, ended }: MoneyFault, known: ReadonlySet<FaultName>): number {
  if (known.has(cause)) return 0
  if (UNLIKELY.includes(cause)) return 3
  if (ended.answer.kind === 'refused' && ended.call.operation !== 'rollback') return 4
  return cause.startsWith('lost update') ? 2 : 1
}

const UNLIKELY: readonly FaultName[] = [
  ...(['stake not debited', 'payout missing', 'refund missing'] as const),
  ...(['stake paid on top of the payout', 'corrected result not applied', 'refund of the named amount'] as const),
]

interface Combination {
  readonly faults: readonly MoneyFault[]
  readonly sum: bigint
  readonly next: number
}

/** The fewest faults whose sum is a difference. A call has at most one fault. */
function findFaults(
  recent: readonly EndedCall[],
  { units, expected, known }: WrongBalance,
  maxFaults: number,
): readonly MoneyFault[] | undefined {
  const differences = new Set(expected.map((one) => units - one))
  const all = recent.flatMap((ended) => listMoneyFaults(ended, units, expected))
  const candidates = all.toSorted((a, b) => rankFault(a, known) - rankFault(b, known))
  let combinations: readonly Combination[] = [{ faults: [], sum: 0n, next: 0 }]
  for (let size = 1; size <= maxFaults && combinations.length > 0; size++) {
    combinations = combinations.flatMap((one) => extendCombination(one, candidates)).slice(0, MAX_COMBINATIONS)
    const found = combinations.find(({ sum }) => differences.has(sum))
    if (found !== undefined) return found.faults
  }
  return undefined
}

function extendCombination({ faults, sum, next }: Combination, candidates: readonly MoneyFault[]): Combination[] {
  return candidates.slice(next).flatMap((candidate, index) => {
    if (faults.some(({ ended }) => ended === candidate.ended)) return []
    return [{ faults: [...faults, candidate], sum: sum + candidate.difference, next: next + index + 1 }]
  })
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
