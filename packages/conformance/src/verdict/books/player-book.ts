/**
 * The books of one player in a foreign wallet, as far as the answers show them: the possible states
 * of the bets, and the range of the balance.
 *
 * `base` is the balance without all bets of the books. So the balance is `base` plus the effects of
 * the bets. Answers limit `base`: an accepted stake needs enough money, code 7 needs less.
 */
import type { Exchange } from '../../http-exchange.ts'
import type { AnswerMeaning } from '../../wallet/play/answer-meaning.ts'
import type { FaultName } from '../faults/live-fault.ts'
import { type CallToWallet, getUnits } from '../live-call.ts'
import type { LivePlayer, Verdict } from '../live-verdict.ts'
import {
  addPendingCall,
  createLiveBet,
  expandPending,
  getNetEffect,
  type LiveBet,
  type Possibility,
} from './bet-history.ts'
import type { LiveBetState } from './bet-state.ts'

/** Minor units. Undefined: unlimited. */
export interface AmountRange {
  readonly low: bigint | undefined
  readonly high: bigint | undefined
}

/** A call with its answer. */
export interface EndedCall {
  readonly call: CallToWallet
  readonly exchange: Exchange
  readonly answer: AnswerMeaning
  readonly bet: LiveBet
  /** The states of the bet that were possible before and after the answer. */
  readonly before: readonly LiveBetState[]
  readonly after: readonly LiveBetState[]
  /** Calls of the player that were in progress at the same time. */
  readonly overlapping: readonly CallToWallet[]
  /** The last verdict on the call. */
  verdict: Verdict
}

export interface PlayerBook {
  player: LivePlayer
  readonly bets: Map<string, LiveBet>
  /** Bets whose effect on the balance is not known. */
  readonly uncertain: Set<LiveBet>
  /** Minor units: the sum of the effects of the bets with a known effect. */
  knownEffects: bigint
  base: AmountRange
  /** A balance was read, so that a later read shows each loss of money. */
  hasReads: boolean
  /** Faults that wrong balances have shown. */
  readonly shownFaults: Set<FaultName>
  /** Minor units: the balance that was read last. */
  lastRead: bigint | undefined
  /** Calls in progress, with the calls that were in progress at the same time. */
  readonly inProgress: Map<number, { readonly call: CallToWallet; readonly overlapping: CallToWallet[] }>
  /** Calls without an answer that can still take effect. */
  unanswered: readonly { readonly call: CallToWallet; readonly bet: LiveBet; readonly endedAt: Date }[]
  /** Calls with advice that holds in some possible states only. */
  readonly noted: Map<number, EndedCall>
  /** Calls since the last read of the balance that was right, oldest first. */
  recent: EndedCall[]
}

/** Bets of one player. The oldest bet is forgotten first. */
const MAX_BETS = 50_000
/** Calls that can explain a wrong balance. */
const MAX_RECENT = 200

const UNKNOWN_RANGE: AmountRange = { low: undefined, high: undefined }

export function createPlayerBook(player: LivePlayer): PlayerBook {
  const { balance } = player
  return {
    ...{ player, bets: new Map(), uncertain: new Set(), knownEffects: 0n, hasReads: false },
    lastRead: balance,
    base: balance === undefined ? UNKNOWN_RANGE : { low: balance, high: balance },
    ...{ shownFaults: new Set(), inProgress: new Map(), noted: new Map(), unanswered: [], recent: [] },
  }
}

/** Another currency has another balance. */
export function replacePlayer(book: PlayerBook, player: LivePlayer): void {
  if (player.currency !== book.player.currency) {
    book.base = UNKNOWN_RANGE
    book.hasReads = false
    book.lastRead = undefined
    book.recent = []
    book.player = player
    for (const bet of book.bets.values()) refreshEffect(book, bet)
  }
  book.player = player
  if (player.balance !== undefined && book.base.low === undefined) rebase(book, player.balance)
}

export function beginBetCall(book: PlayerBook, call: CallToWallet, betId: string): LiveBet {
  const bet = getOrCreateBet(book, betId, call.currency ?? book.player.currency)
  if (call.operation === 'place') bet.stake ??= getUnits(call)
  bet.wasUnsettled ||= call.operation === 'unsettle'
  addPendingCall(bet, call)
  noteOverlaps(book, call)
  refreshEffect(book, bet)
  return bet
}

export function noteOverlaps({ inProgress }: PlayerBook, call: CallToWallet): void {
  const others = [...inProgress.values()]
  for (const other of others) other.overlapping.push(call)
  inProgress.set(call.number, { call, overlapping: others.map((other) => other.call) })
}

/** Returns the calls that were in progress at the same time. */
export function endProgress({ inProgress }: PlayerBook, call: CallToWallet): readonly CallToWallet[] {
  const overlapping = inProgress.get(call.number)?.overlapping ?? []
  inProgress.delete(call.number)
  return overlapping
}

function getOrCreateBet(book: PlayerBook, betId: string, currency: string): LiveBet {
  const known = book.bets.get(betId)
  if (known !== undefined) return known
  const [oldest] = book.bets.size >= MAX_BETS ? [...book.bets.entries()] : []
  if (oldest !== undefined) forgetBet(book, ...oldest)
  const bet = createLiveBet(betId, currency)
  book.bets.set(betId, bet)
  return bet
}

/** The effect of the bet stays in the sum. */
function forgetBet({ bets, uncertain }: PlayerBook, betId: string, bet: LiveBet): void {
  bets.delete(betId)
  uncertain.delete(bet)
}

export function recordEnded(book: PlayerBook, ended: EndedCall): void {
  book.recent.push(ended)
  if (book.recent.length > MAX_RECENT) book.recent.shift()
}

/** Call it after each change of the bet. */
export function refreshEffect(book: PlayerBook, bet: LiveBet): void {
  const { currency } = book.player
  const effects = new Set(bet.possibilities.map((one) => getNetEffect(one, currency)))
  const [effect] = effects
  const isKnown = effects.size === 1 && bet.pending.length === 0
  book.knownEffects -= bet.knownEffect ?? 0n
  bet.knownEffect = isKnown ? effect : undefined
  book.knownEffects += bet.knownEffect ?? 0n
  if (isKnown) book.uncertain.delete(bet)
  else book.uncertain.add(bet)
}

export function setPossibilities(book: PlayerBook, bet: LiveBet, possibilities: readonly Possibility[]): void {
  bet.possibilities = possibilities
  refreshEffect(book, bet)
}

/** The range of the sum of the effects, without one bet. */
export function findEffectRange(book: PlayerBook, without?: LiveBet): { least: bigint; most: bigint } {
  const { currency } = book.player
  let [least, most] = [book.knownEffects - (without?.knownEffect ?? 0n), 0n]
  most = least
  for (const bet of book.uncertain) {
    if (bet === without) continue
    const effects = expandPending(bet).map((one) => getNetEffect(one, currency))
    least += effects.reduce((a, b) => (b < a ? b : a))
    most += effects.reduce((a, b) => (b > a ? b : a))
  }
  return { least, most }
}

/** The balance is known now. The effects of uncertain bets are assumed to be the least. */
export function rebase(book: PlayerBook, balance: bigint): void {
  const { least, most } = findEffectRange(book)
  book.base = { low: balance - most, high: balance - least }
}

export function limitBase(book: PlayerBook, { low, high }: Partial<AmountRange>): void {
  const { base } = book
  book.base = {
    low: low !== undefined && (base.low === undefined || low > base.low) ? low : base.low,
    high: high !== undefined && (base.high === undefined || high < base.high) ? high : base.high,
  }
}

/** Minor units. Undefined if the balance is not known exactly. */
export function getKnownBalance(book: PlayerBook): bigint | undefined {
  const { low, high } = book.base
  return low !== undefined && low === high && book.uncertain.size === 0 ? low + book.knownEffects : undefined
}
