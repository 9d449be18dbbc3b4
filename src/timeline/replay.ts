/** A bet's history in the words of the simulator (`npm run simulate -- --history`): the same calls in the same order, with its amounts. */
import { replyCode, replyCodes } from '../protocol/codes.ts'
import type { WalletBet, WalletCall } from './sources.ts'

export interface Replay {
  /** What `--history` takes; empty where the wallet has answered no call. */
  readonly history: string
  /** The same for a file: a step a line, each call with what was answered. */
  readonly saved: string
  /** What of the bet the simulator does not know. */
  readonly leftOut: readonly string[]
}

interface Told {
  /** The request ids that each word was sent with, in order. */
  readonly sent: Map<string, string[]>
  readonly words: string[]
  /** As `words`, with the answers. */
  readonly lines: string[]
  readonly leftOut: Set<string>
  /** The amounts that were won with `settle 25`. */
  readonly won: Set<string>
  isPoor: boolean
  isLocked: boolean
  isCancelled: boolean
  hasToken: boolean
}

export function replayOf({ history, stake }: Pick<WalletBet, 'history' | 'stake'>): Replay {
  const first = history.find(({ operation }) => operation === 'place')?.amount ?? stake
  const told: Told = {
    ...{ sent: new Map(), words: [], lines: [], leftOut: new Set<string>(), won: new Set<string>() },
    ...{ isPoor: false, isLocked: false, isCancelled: false, hasToken: true },
  }
  for (const call of history) tell(told, call, first)
  const leftOut = [...told.leftOut]
  const notes = leftOut.map((what) => `# The simulator does not know ${what}.`)
  return { history: told.words.join('; '), saved: [...notes, ...told.lines].join('\n'), leftOut }
}

function tell(told: Told, call: WalletCall, stake: string | undefined): void {
  happen(told, call)
  const word = wordOf(call, stake)
  if (word === 'settle 25' && call.amount !== undefined) told.won.add(call.amount)
  if (told.won.size > 1) told.leftOut.add('that it was won with different amounts')
  const ids = told.sent.get(word) ?? []
  const { requestId } = call
  if (ids.length === 0 && [...told.sent.values()].some((others) => others.includes(requestId)))
    told.leftOut.add('a requestId that two different calls had')
  const sending = ids.at(-1) === requestId ? 'again' : ids[0] === requestId ? 'late copy' : undefined
  const letter = sending === undefined ? word : `${word}, ${sending}`
  told.words.push(letter)
  told.lines.push(`${letter} = ${call.outcome === 'refused' ? `400/${call.code}` : '200'}`)
  if (sending === undefined) told.sent.set(word, [...ids, requestId])
}

function wordOf({ operation, amount, resultType }: WalletCall, stake: string | undefined): string {
  if (operation === 'place') return amount === undefined || amount === stake ? 'place' : 'place other'
  if (operation !== 'settle') return operation
  if (resultType === 'refund') return 'return 25'
  if (resultType === 'cashout') return 'cashout'
  return amount === undefined || /^[0.]+$/.test(amount) ? 'settle 0' : 'settle 25'
}

const TOKEN = replyCodes('invalid_token', 'expired_token')
const MONEY = replyCodes('not_enough_money', 'recalculation_negative')
const BLOCKED = replyCode('recalculation_blocked')
/** What the life of a bet alone decides. */
const OF_LIFE = replyCodes('invalid_request', 'already_processed')

/** What must have happened beside the calls for one to be answered so. */
function happen(told: Told, { operation, outcome, code = 0 }: WalletCall): void {
  if (outcome === 'applied') {
    if (told.isPoor && operation !== 'rollback') toggle(told, 'isPoor', '(money)')
    if (told.isLocked && operation !== 'place') toggle(told, 'isLocked', '(lock)')
    told.isCancelled ||= operation === 'rollback'
  }
  if (outcome !== 'refused' || OF_LIFE.includes(code)) return
  if (TOKEN.includes(code)) {
    if (told.hasToken) note(told, '(token)')
    told.hasToken = false
  } else if (MONEY.includes(code)) {
    if (!told.isPoor) toggle(told, 'isPoor', '(money)')
  } else if (code === BLOCKED) {
    if (!told.isLocked && !told.isCancelled) toggle(told, 'isLocked', '(lock)')
  } else told.leftOut.add(`what was refused with code ${code}`)
}

function toggle(told: Told, what: 'isPoor' | 'isLocked', word: string): void {
  told[what] = !told[what]
  note(told, word)
}

/** Of what is no call, nothing was answered. */
function note({ words, lines }: Told, word: string): void {
  words.push(word)
  lines.push(word)
}
