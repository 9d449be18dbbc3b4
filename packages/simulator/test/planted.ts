/**
 * Faults that tests plant in the wallet's rules: a changed state, call or answer. The product has
 * none of these faults.
 */

import { type Money, money, ZERO } from '@purser/protocol/values/money'
import type { Rules } from 'purser/wallet/rules/decision'
import type { Bet, BetCall } from 'purser/wallet/store/bet'
import { type BetAction, parseHistory } from '../src/one-bet/one-bet-actions.ts'
import type { ExpectedState } from '../src/one-bet/one-bet-auditor.ts'
import {
  answerCall,
  applyBetEvent,
  type OneBetAnswer,
  type OneBetState,
  toMomentTime,
} from '../src/one-bet/one-bet-model.ts'

type AnswerCall = typeof answerCall

export interface PlantedFault {
  readonly fault: string
  /** The broken decision. */
  readonly breaks: string
  readonly clawback: Rules['clawback']
  readonly answerCall: AnswerCall
  /** The beginning of every history, if a search from the start would take too long. */
  readonly after?: readonly BetAction[]
}

/** Changes the state that the rules get. */
const seeing =
  (change: (state: OneBetState, call: BetCall) => OneBetState): AnswerCall =>
  (state, call, ...others) =>
    answerCall(change(state, call), call, ...others)

/** Changes the call that the rules get. */
const hearing =
  (change: (call: BetCall, state: OneBetState) => BetCall): AnswerCall =>
  (state, call, ...others) =>
    answerCall(state, change(call, state), ...others)

/** Changes the answer of the rules, or the state after it. */
const saying =
  (change: (answered: OneBetAnswer, call: BetCall, moment: number, before: OneBetState) => OneBetAnswer): AnswerCall =>
  (state, call, moment, rules) =>
    change(answerCall(state, call, moment, rules), call, moment, state)

/** Changes the bet, for these kinds of calls only. */
const seeingBet = (kinds: readonly BetCall['kind'][], change: (bet: Bet, call: BetCall) => Bet): AnswerCall =>
  seeing((state, call) => {
    const { record } = state
    if (record === undefined || !kinds.includes(call.kind)) return state
    return { ...state, record: { ...record, bet: change(record.bet, call) } }
  })

/** Hides earlier calls with this effect from the rules. */
const forgetting =
  (became: OneBetState['seen'][number]['became']['kind'], kinds: readonly BetCall['kind'][]): AnswerCall =>
  (state, call, ...others) => {
    const known = kinds.includes(call.kind) ? state.seen.filter((one) => one.became.kind !== became) : state.seen
    const answered = answerCall({ ...state, seen: known }, call, ...others)
    const seen = [...state.seen, ...answered.state.seen.slice(known.length)]
    return { ...answered, state: { ...answered.state, seen } }
  }

function openAgain(bet: Bet): Bet {
  return 'placement' in bet && bet.placement !== undefined
    ? { kind: 'open', placement: bet.placement, since: bet.since }
    : bet
}

function withoutPayout(bet: Bet): Bet {
  return bet.kind === 'settled' ? { ...bet, settlement: { ...bet.settlement, payout: ZERO } } : bet
}

function isPayoutOf(bet: Bet, call: BetCall): boolean {
  return bet.kind === 'settled' && call.kind === 'settle' && call.payout === bet.settlement.payout
}

function refused(state: OneBetState, code: 'expired_token' | 'recalculation_blocked'): OneBetAnswer {
  return { outcome: { kind: 'refused', code }, state, posted: [] }
}

function stakeOf(state: OneBetState): Money | undefined {
  const bet = state.record?.bet
  return bet !== undefined && 'placement' in bet ? bet.placement?.stake : undefined
}

function isIn(bet: Bet | undefined, status: ExpectedState['status']): boolean {
  return bet?.kind === status
}

type Row = [fault: string, breaks: string, answerCall: AnswerCall]

const FAULTS: readonly Row[] = [
  [
    'a rollback leaves no tombstone',
    'the bet’s life',
    saying((answered) => {
      const bet = answered.state.record?.bet
      const isTombstone = bet?.kind === 'cancelled' && bet.placement === undefined
      return isTombstone ? { ...answered, state: { ...answered.state, record: undefined } } : answered
    }),
  ],
  [
    'a tombstone is forgotten when a Place bet arrives',
    'the bet’s life',
    seeing((state, call) =>
      call.kind === 'place' && isIn(state.record?.bet, 'cancelled') && stakeOf(state) === undefined
        ? { ...state, record: undefined }
        : state,
    ),
  ],
  [
    'a refused Place bet is decided again',
    'I-3',
    seeing((state) => (isIn(state.record?.bet, 'refused') ? { ...state, record: undefined } : state)),
  ],
  [
    'a Place bet with another stake counts as a repeat',
    'the bet’s life',
    hearing((call, state) => (call.kind === 'place' ? { ...call, stake: stakeOf(state) ?? call.stake } : call)),
  ],
  [
    'a repeated Place bet debits the stake again',
    'the bet’s life',
    seeingBet(['place'], (bet) => (bet.kind === 'open' ? { kind: 'unknown' } : bet)),
  ],
  [
    'a refused Place bet debits its stake',
    'code 7',
    saying((answered, { kind }) =>
      kind === 'place' && answered.posted.length > 0
        ? { ...answered, outcome: { kind: 'refused', code: 'not_enough_money' } }
        : answered,
    ),
  ],
  [
    'a balance grows by more than the booked amount',
    'M-1',
    saying((answered, { kind }) => {
      const { account } = answered.state
      if (kind !== 'settle' || answered.posted.length === 0) return answered
      const rounded = { ...account, balance: money(account.balance + 1n) }
      return { ...answered, state: { ...answered.state, account: rounded } }
    }),
  ],
  [
    'a lost bet books a payout of 0',
    'the interface, Settle',
    saying((answered) => {
      const [first] = answered.posted
      if (first?.kind !== 'stake_closed' || answered.posted.length > 1) return answered
      const { credit: debit } = first
      return { ...answered, posted: [first, { ...first, kind: 'payout', debit, credit: 'player', amount: ZERO }] }
    }),
  ],
  [
    'a repeat gets a new time',
    'R-2',
    saying((answered, _, moment) =>
      answered.outcome.kind === 'accepted'
        ? { ...answered, outcome: { ...answered.outcome, at: toMomentTime(moment) } }
        : answered,
    ),
  ],
  [
    'an ended token places bets',
    'P-1',
    seeing((state, { kind }) => (kind === 'place' ? { ...state, live: true, isSpent: false } : state)),
  ],
  [
    'a cashout is paid with an ended token',
    'L-4',
    seeing((state, { kind }) => (kind === 'settle' ? { ...state, live: true, isSpent: false } : state)),
  ],
  [
    'an expired token is valid again when the clock is set back',
    'P-1',
    seeing((state) => ({ ...state, isSpent: false })),
  ],
  [
    'every settle needs a live token',
    'L-4',
    (state, call, ...others) =>
      call.kind === 'settle' && isIn(state.record?.bet, 'open') && !state.live
        ? refused(state, 'expired_token')
        : answerCall(state, call, ...others),
  ],
  [
    'missing money counts as present',
    'code 7',
    seeing((state) => (state.account.balance > 0n ? state : applyBetEvent(state, 'money'))),
  ],
  [
    'the bytes of a Place bet count as an Unsettle when sent with PUT',
    'S-5',
    seeing((state) =>
      state.record === undefined ? state : { ...state, record: { ...state.record, placeRequestId: null } },
    ),
  ],
  ['the late copy of a settle is applied', 'I-2', forgetting('acknowledged', ['settle'])],
  ['the late copy of an unsettle reverses a newer result', 'I-2', forgetting('acknowledged', ['unsettle'])],
  [
    'a repeated result is paid again',
    'L-1',
    seeingBet(['settle'], (bet, call) => (isPayoutOf(bet, call) ? openAgain(bet) : bet)),
  ],
  [
    'a changed result does not reverse the earlier payout',
    'L-1',
    seeingBet(['settle'], (bet, call) => (isPayoutOf(bet, call) ? bet : withoutPayout(bet))),
  ],
  [
    'another type with the same payout is not recorded',
    'L-1',
    hearing((call, { record }) =>
      call.kind === 'settle' && record?.bet.kind === 'settled' && record.bet.settlement.payout === call.payout
        ? { ...call, resultType: record.bet.settlement.resultType }
        : call,
    ),
  ],
  ['an unsettle leaves the payout with the player', 'the bet’s life', seeingBet(['unsettle'], withoutPayout)],
  [
    'the rollback of a settled bet refunds the stake',
    'the bet’s life',
    seeingBet(['rollback'], (bet) => (bet.kind === 'settled' ? openAgain(bet) : bet)),
  ],
  [
    'a second rollback refunds the stake again',
    'the bet’s life',
    seeingBet(['rollback'], (bet) => (bet.kind === 'cancelled' ? openAgain(bet) : bet)),
  ],
  [
    'a cancelled bet is settled',
    'the bet’s life',
    seeingBet(['settle'], (bet) => (bet.kind === 'cancelled' ? openAgain(bet) : bet)),
  ],
  [
    'a rollback refunds its own amount instead of the stored stake',
    'I-4',
    seeingBet(['rollback'], (bet) =>
      bet.kind === 'open' ? { ...bet, placement: { ...bet.placement, stake: money(10n) } } : bet,
    ),
  ],
  [
    'the lock of a bet is ignored',
    'L-3',
    seeing((state) => (state.record === undefined ? state : { ...state, record: { ...state.record, locked: false } })),
  ],
  [
    'the lock refuses the repeat too',
    'L-3',
    saying((answered, call, moment, before) =>
      call.kind === 'settle' &&
      before.record?.locked === true &&
      answered.outcome.kind === 'accepted' &&
      answered.outcome.at.getTime() !== toMomentTime(moment).getTime()
        ? refused(before, 'recalculation_blocked')
        : answered,
    ),
  ],
  [
    'a balance goes below zero though the policy is to refuse',
    'L-2',
    (state, call, moment, rules) => answerCall(state, call, moment, { ...rules, clawback: 'allow-negative' }),
  ],
]

/** A correction is refused, although the policy permits a balance below zero. */
const TOO_STRICT: Row = [
  'a reversal is refused though the balance may go below zero',
  'L-2',
  (state, call, moment, rules) => answerCall(state, call, moment, { ...rules, clawback: 'refuse' }),
]

/** A refused result, a newer result, and an unlocked bet: the refusal must stay. */
const OUTLIVED: PlantedFault = {
  ...{ fault: 'a refused result is applied after another result', breaks: 'I-2', clawback: 'refuse' },
  answerCall: forgetting('refused', ['settle', 'unsettle']),
  ...{ after: parseHistory('place; settle 25; (lock)') ?? [] },
}

const toPlanted =
  (clawback: Rules['clawback']) =>
  ([fault, breaks, answerCall]: Row): PlantedFault => ({ fault, breaks, clawback, answerCall })

export const PLANTED: readonly PlantedFault[] = [
  ...FAULTS.map(toPlanted('refuse')),
  OUTLIVED,
  toPlanted('allow-negative')(TOO_STRICT),
]
