/**
 * Converts a bet's history into the language of the simulator (`npm run simulate -- --history`).
 * The simulator's fixed amounts replace the amounts of the bet.
 */
import { replyCode, replyCodes } from '@purser/protocol/reply-codes'
import type { WalletBetDetail, WalletCallView } from './bet-sources.ts'

export interface SimulatorReplay {
  /** The value of `--history`. Empty if the wallet has answered no call. */
  readonly history: string
  /** The same for a file: one call per line, with its answer. */
  readonly saved: string
  /** Circumstances that the simulator does not support. */
  readonly leftOut: readonly string[]
}

interface ReplayState {
  /** The request ids of each step, in order. */
  readonly sent: Map<string, string[]>
  readonly words: string[]
  /** `words` with the answers. */
  readonly lines: string[]
  readonly leftOut: Set<string>
  /** The amounts of the `settle 25` steps. */
  readonly won: Set<string>
  isPoor: boolean
  isLocked: boolean
  isCancelled: boolean
  hasToken: boolean
}

export function toSimulatorReplay({ history, stake }: Pick<WalletBetDetail, 'history' | 'stake'>): SimulatorReplay {
  const first = history.find(({ operation }) => operation === 'place')?.amount ?? stake
  const state: ReplayState = {
    ...{ sent: new Map(), words: [], lines: [], leftOut: new Set<string>(), won: new Set<string>() },
    ...{ isPoor: false, isLocked: false, isCancelled: false, hasToken: true },
  }
  for (const call of history) addCall(state, call, first)
  const leftOut = [...state.leftOut]
  const notes = leftOut.map((unsupported) => `# The simulator does not know ${unsupported}.`)
  return { history: state.words.join('; '), saved: [...notes, ...state.lines].join('\n'), leftOut }
}

function addCall(state: ReplayState, call: WalletCallView, stake: string | undefined): void {
  addCircumstances(state, call)
  const word = toSimulatorWord(call, stake)
  if (word === 'settle 25' && call.amount !== undefined) state.won.add(call.amount)
  if (state.won.size > 1) state.leftOut.add('that it was won with different amounts')
  const ids = state.sent.get(word) ?? []
  const { requestId } = call
  if (ids.length === 0 && [...state.sent.values()].some((others) => others.includes(requestId)))
    state.leftOut.add('a requestId that two different calls had')
  const sending = ids.at(-1) === requestId ? 'again' : ids[0] === requestId ? 'late copy' : undefined
  const letter = sending === undefined ? word : `${word}, ${sending}`
  state.words.push(letter)
  state.lines.push(`${letter} = ${call.outcome === 'refused' ? `400/${call.code}` : '200'}`)
  if (sending === undefined) state.sent.set(word, [...ids, requestId])
}

function toSimulatorWord({ operation, amount, resultType }: WalletCallView, stake: string | undefined): string {
  if (operation === 'place') return amount === undefined || amount === stake ? 'place' : 'place other'
  if (operation !== 'settle') return operation
  if (resultType === 'refund') return 'return 25'
  if (resultType === 'cashout') return 'cashout'
  return amount === undefined || /^[0.]+$/.test(amount) ? 'settle 0' : 'settle 25'
}

const TOKEN = replyCodes('invalid_token', 'expired_token')
const MONEY = replyCodes('not_enough_money', 'recalculation_negative')
const BLOCKED = replyCode('recalculation_blocked')
/** Codes that depend only on the bet's state. */
const LIFE_CODES = replyCodes('invalid_request', 'already_processed')

/** Adds the changes between calls that explain the answer, such as an expired token. */
function addCircumstances(state: ReplayState, { operation, outcome, code = 0 }: WalletCallView): void {
  if (outcome === 'applied') {
    if (state.isPoor && operation !== 'rollback') toggleState(state, 'isPoor', '(money)')
    if (state.isLocked && operation !== 'place') toggleState(state, 'isLocked', '(lock)')
    state.isCancelled ||= operation === 'rollback'
  }
  if (outcome !== 'refused' || LIFE_CODES.includes(code)) return
  if (TOKEN.includes(code)) {
    if (state.hasToken) addWord(state, '(token)')
    state.hasToken = false
  } else if (MONEY.includes(code)) {
    if (!state.isPoor) toggleState(state, 'isPoor', '(money)')
  } else if (code === BLOCKED) {
    if (!state.isLocked && !state.isCancelled) toggleState(state, 'isLocked', '(lock)')
  } else state.leftOut.add(`what was refused with code ${code}`)
}

function toggleState(state: ReplayState, unsupported: 'isPoor' | 'isLocked', word: string): void {
  state[unsupported] = !state[unsupported]
  addWord(state, word)
}

function addWord({ words, lines }: ReplayState, word: string): void {
  words.push(word)
  lines.push(word)
}
