/**
 * Every history of one bet, up to a length: the wallet's rules on one side, the auditor on the other. After each step the answers, the
 * balance, the bet's state and the sums of the ledger must be what the auditor says. Depth first, so that it needs no memory.
 */
import { effectOnPlayer } from '../../ledger/posting.ts'
import { REPLY_CODES } from '../../protocol/codes.ts'
import type { Outcome } from '../../wallet/apply/judge.ts'
import type { Rules } from '../../wallet/decide/decision.ts'
import { audit, type Judged, type Mind, newMind, type Verdict } from './auditor.ts'
import { describe, type EventName, LETTERS, type Letter, requestOf, type Sent } from './letters.ts'
import { callOf, happen, momentOf, NEW_STATE, OPENING, placeWithPut, RULES, type State, tell } from './world.ts'

export interface Found {
  /** One line per step. */
  readonly story: readonly string[]
  readonly complaint: string
}

export interface Searched {
  /** Histories, each of them judged to its end. */
  readonly histories: number
  readonly found: Found | undefined
  /** How often each answer of the auditor was met, so that a search that never met one is noticed. */
  readonly met: ReadonlyMap<string, number>
}

export interface SearchOptions {
  readonly length: number
  readonly clawback: Rules['clawback']
  /** Stands for the rules of the wallet; a planted fault in a test. */
  readonly tell?: typeof tell
}

interface Node {
  readonly state: State
  readonly mind: Mind
  readonly sent: Sent
  readonly requests: number
}

interface Search {
  readonly rules: Rules
  readonly tell: typeof tell
  readonly path: Letter[]
  readonly met: Map<string, number>
  histories: number
}

/** The shortest histories first, so that what is found is as short as it can be. */
export function search(options: SearchOptions): Searched {
  for (let length = 1; ; length++) {
    const searched = searchAll({ ...options, length })
    if (searched.found !== undefined || length === options.length) return searched
  }
}

function searchAll({ length, clawback, tell: toTell = tell }: SearchOptions): Searched {
  const whole: Search = { rules: { ...RULES, clawback }, tell: toTell, path: [], met: new Map(), histories: 0 }
  const root: Node = { state: NEW_STATE, mind: newMind(OPENING), sent: {}, requests: 0 }
  const complaint = visit(whole, root, length)
  const story = whole.path.map(describe)
  return {
    histories: whole.histories,
    met: whole.met,
    found: complaint === undefined ? undefined : { story, complaint },
  }
}

/** Leaves the path where it stands when something is found. */
function visit(search: Search, node: Node, left: number): string | undefined {
  for (const letter of LETTERS) {
    const step = next(search, node, letter)
    if (step === undefined) continue
    search.histories++
    search.path.push(letter)
    if (typeof step === 'string') return step
    const complaint = left > 1 ? visit(search, step, left - 1) : undefined
    if (complaint !== undefined) return complaint
    search.path.pop()
  }
  return undefined
}

/** What the letter leads to, or a complaint; undefined when it says nothing here. */
function next(search: Search, node: Node, letter: Letter): Node | string | undefined {
  switch (letter.kind) {
    case 'event':
      return afterEvent(node, letter.name)
    case 'place with PUT':
      return afterPlaceWithPut(search, node)
    case 'call':
      return afterCall(search, node, letter)
    default:
      return letter satisfies never
  }
}

function afterEvent({ state, mind, ...others }: Node, name: EventName): Node | undefined {
  if (name === 'token' && !state.live) return undefined
  if (name === 'lock' && state.record === undefined) return undefined
  const after = happen(state, name)
  const { live } = after
  const then = { ...mind, live, locked: after.record?.locked ?? false, balance: after.account.balance }
  return { ...others, state: after, mind: then }
}

function afterPlaceWithPut(search: Search, node: Node): Node | string | undefined {
  const request = node.sent.place?.[0]
  if (request === undefined) return undefined
  const answered = search.tell(node.state, placeWithPut(request), search.path.length + 1, search.rules)
  const judged: Judged = { verdict: { status: 400, code: 5 }, mind: node.mind }
  return compare(search, judged, answered.outcome, { ...node, state: answered.state })
}

function afterCall(search: Search, node: Node, letter: Letter & { kind: 'call' }): Node | string | undefined {
  const { name } = letter
  const request = requestOf(letter, node.sent, node.requests)
  if (request === undefined) return undefined
  const moment = search.path.length + 1
  const mayGoBelowZero = search.rules.clawback === 'allow-negative'
  const judged = audit(node.mind, { name, request, moment, mayGoBelowZero })
  const answered = search.tell(node.state, callOf(name, request), moment, search.rules)
  const isFresh = letter.sending === 'fresh'
  const sent = isFresh ? { ...node.sent, [name]: [node.sent[name]?.[0] ?? request, request] as const } : node.sent
  const after = { state: answered.state, mind: judged.mind, sent, requests: node.requests + (isFresh ? 1 : 0) }
  return compare(search, judged, answered.outcome, after)
}

function compare({ met }: Search, { verdict, mind }: Judged, outcome: Outcome, after: Node): Node | string {
  const expected = wordsOf(verdict)
  met.set(expected, (met.get(expected) ?? 0) + 1)
  const answer = answerOf(outcome)
  if (answer !== told(verdict)) return `answered ${answer}, must be ${told(verdict)}`
  const { state } = after
  const status = state.record?.bet.kind ?? 'unknown'
  const must = mind.status === 'nothing' ? 'unknown' : mind.status
  if (status !== must) return `the bet is ${status}, must be ${must}`
  if (state.account.balance !== mind.balance) return `the balance is ${state.account.balance}, must be ${mind.balance}`
  return ledgerComplaint(state, mind) ?? after
}

/** Without the moment, for counting. */
function wordsOf(verdict: Verdict): string {
  return verdict.status === 200 ? '200' : `400/${verdict.code}`
}

function told(verdict: Verdict): string {
  return verdict.status === 200 ? `200 of step ${verdict.moment}` : `400/${verdict.code}`
}

function answerOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return `200 of step ${momentOf(outcome.at)}`
    case 'refused':
      return `400/${REPLY_CODES[outcome.code].code}`
    case 'failed':
      return 'a failure'
    default:
      return outcome satisfies never
  }
}

/** The bet's transfers add up to its state: the stake lies where it must, the house has won or lost the rest. */
function ledgerComplaint({ transfers }: State, { status, stake, payout }: Mind): string | undefined {
  let openStakes = 0n
  let player = 0n
  for (const transfer of transfers) {
    if (transfer.amount <= 0n) return `a transfer of ${transfer.amount}`
    player += effectOnPlayer(transfer)
    if (transfer.credit === 'open_stakes') openStakes += transfer.amount
    if (transfer.debit === 'open_stakes') openStakes -= transfer.amount
  }
  const staked = status === 'open' || status === 'settled' ? stake : 0n
  if (openStakes !== (status === 'open' ? stake : 0n)) return `open stakes are ${openStakes} of a bet that is ${status}`
  const due = (status === 'settled' ? payout : 0n) - staked
  return player === due ? undefined : `the bet's transfers gave the player ${player}, must be ${due}`
}
