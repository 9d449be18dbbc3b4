/**
 * The what-if table of a recorded call: the wallet's answer in each state of the bet, by its own
 * rules (wallet/rules). The functions are pure.
 */

import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { type Money, money, ZERO } from '@purser/protocol/values/money'
import type { WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import { type LifeState, listStatesBefore } from '@purser/timeline/life-table'
import { formatResultType } from '@purser/timeline/result-names'
import { effectOnPlayer } from 'purser/wallet/ledger/posting'
import type { BetPosting, Decision } from 'purser/wallet/rules/decision'
import { decideCall } from 'purser/wallet/rules/rule-dispatch'
import type { Bet, Placement, Settlement } from 'purser/wallet/store/bet'
import {
  findRememberedRefusal,
  formatBetAmount,
  parseBetCall,
  parsePlacement,
  resultsAround,
} from './bet-record-parser.ts'
import {
  assembleFacts,
  evaluateCall,
  isAsRecorded,
  NO_PRIOR_FACTS,
  type PriorFacts,
  updatePriorFacts,
} from './prior-facts.ts'

export interface WhatIfOutcome {
  /** `detail` adds details to the code. */
  readonly answer: 200 | { readonly code: number; readonly detail?: string }
  /** The call repeats an earlier one. */
  readonly isRepeat?: true
  readonly moves: readonly { readonly what: string; readonly amount: string }[]
  /** The signed sum for the player. */
  readonly forPlayer: string
  readonly leaves: LifeState
  readonly anomaly?: string
}

export interface WhatIfCase extends WhatIfOutcome {
  readonly known: LifeState
  /** The bet in that state: "10.00 staked". */
  readonly had: string
  /** The actual state at the time of the call. */
  readonly isOwn?: true
}

export interface WhatIfAnalysis {
  readonly rows: readonly WhatIfCase[]
  /** False if this version's rules give another answer than the recorded one. */
  readonly isAsRecorded: boolean
}

const STATES: readonly LifeState[] = ['nothing', 'open', 'settled', 'cancelled', 'refused']

/** Rows in the order of the life table. A state has several rows if the bet's amounts matter. */
export function analyzeWhatIf(bet: WalletBetDetail, at: number): WhatIfAnalysis | undefined {
  const recorded = bet.history[at]
  if (recorded === undefined) return undefined
  const prior = replayPriorFacts(bet, at)
  const evaluated = evaluateCall(bet, recorded, prior)
  const own: WhatIfCase = { ...toWhatIfCase(bet, prior.bet, evaluated.decision), isOwn: true }
  const others = enumerateStates(bet, recorded, at).map((state) => {
    const call = parseBetCall(bet, recorded)
    return toWhatIfCase(
      bet,
      state,
      decideCall(call, assembleFacts({ ...NO_PRIOR_FACTS, bet: state }, call, new Date(recorded.at))),
    )
  })
  const isNew = (row: WhatIfCase) => row.known !== own.known || outcomeText(row) !== outcomeText(own)
  const rows = [own, ...others.filter(isNew)].sort((a, b) => STATES.indexOf(a.known) - STATES.indexOf(b.known))
  return { rows, isAsRecorded: isAsRecorded(evaluated, recorded) }
}

const outcomeText = ({ answer, moves, forPlayer, leaves }: WhatIfOutcome) =>
  JSON.stringify([answer, moves, forPlayer, leaves])

/** If these rules decide a recorded call differently, the record is used. */
function replayPriorFacts(bet: WalletBetDetail, at: number): PriorFacts {
  const known = listStatesBefore(bet.history)
  return bet.history.slice(0, at).reduce((prior, recorded, i): PriorFacts => {
    const evaluated = evaluateCall(bet, recorded, prior)
    if (isAsRecorded(evaluated, recorded)) return updatePriorFacts(prior, evaluated, i + 1, new Date(recorded.at))
    const state = known[i + 1] ?? 'nothing'
    const [found] = enumerateStates(bet, recorded, i + 1).filter((one) => toLifeState(one) === state)
    return { ...prior, bet: found ?? NO_PRIOR_FACTS.bet }
  }, NO_PRIOR_FACTS)
}

function enumerateStates(bet: WalletBetDetail, recorded: WalletCallView, at: number): Bet[] {
  const since = new Date(recorded.at)
  const placement = parsePlacement(bet, recorded)
  const call = parseBetCall(bet, recorded)
  const stakes =
    call.kind === 'place' ? [{ ...placement, ...asPlaced(call) }, otherStake(placement, call.stake)] : [placement]
  return [
    NO_PRIOR_FACTS.bet,
    ...stakes.map((one): Bet => ({ kind: 'open', placement: one, since })),
    ...stakes.flatMap((one) =>
      enumerateSettlements(bet, recorded, at, one).map(
        (settlement): Bet => ({ kind: 'settled', placement: one, settlement, since }),
      ),
    ),
    { kind: 'cancelled', placement, since },
    { kind: 'refused', refusal: findRememberedRefusal(bet), since },
  ]
}

const asPlaced = ({ stake, currency }: Pick<Placement, 'stake' | 'currency'>) => ({ stake, currency })

/** Another bet with the same id. */
function otherStake(placement: Placement, stake: Money): Placement {
  return { ...placement, stake: placement.stake === stake ? money(stake * 2n) : placement.stake }
}

/**
 * A result is compared with the same result and with another one. For other calls any result is
 * enough.
 */
function enumerateSettlements(
  bet: WalletBetDetail,
  recorded: WalletCallView,
  at: number,
  { stake, funder }: Placement,
): Settlement[] {
  const call = parseBetCall(bet, recorded)
  const around = resultsAround(bet, at)
  if (call.kind !== 'settle') return [around[0] ?? { payout: stake, resultType: 'won', payee: 'player' }]
  const { payout, resultType } = call
  const own: Settlement = { payout, resultType, payee: resultType === 'refund' ? funder : 'player' }
  const other = around.find((one) => one.payout !== payout || one.resultType !== resultType)
  const made: Settlement =
    payout > 0n
      ? { payout: ZERO, resultType: 'lost', payee: 'player' }
      : { payout: stake, resultType: 'won', payee: 'player' }
  return [own, other ?? made]
}

function toWhatIfCase(bet: WalletBetDetail, state: Bet, decision: Decision): WhatIfCase {
  return { known: toLifeState(state), had: describeState(bet, state), ...toOutcome(bet, state, decision) }
}

function toLifeState({ kind }: Bet): LifeState {
  return kind === 'unknown' ? 'nothing' : kind
}

function describeState(bet: WalletBetDetail, state: Bet): string {
  switch (state.kind) {
    case 'unknown':
      return ''
    case 'open':
      return `${formatBetAmount(bet, state.placement.stake)} staked`
    case 'settled':
      return `${formatBetAmount(bet, state.placement.stake)} staked, ${formatResultType(state.settlement.resultType)}${state.settlement.payout > 0n ? ` ${formatBetAmount(bet, state.settlement.payout)}` : ''}`
    case 'cancelled':
      return state.placement === undefined
        ? 'before it was placed'
        : `${formatBetAmount(bet, state.placement.stake)} refunded`
    case 'refused':
      return state.refusal.replaceAll('_', ' ')
    default:
      return state satisfies never
  }
}

function toOutcome(bet: WalletBetDetail, state: Bet, decision: Decision): WhatIfOutcome {
  const postings = decision.kind === 'apply' ? decision.postings : []
  const sum = postings.reduce((total, posting) => total + effectOnPlayer(posting), 0n)
  const left = decision.kind === 'repeat' ? state : (decision.bet ?? state)
  const anomaly = decision.kind === 'repeat' ? undefined : decision.anomaly
  return {
    answer: decision.kind === 'refuse' ? toRefusal(decision) : 200,
    ...(decision.kind === 'repeat' && { isRepeat: true }),
    moves: postings.map((posting) => ({
      what: describePosting(posting),
      amount: formatBetAmount(bet, posting.amount),
    })),
    forPlayer: formatBetAmount(bet, money(sum)),
    leaves: toLifeState(left),
    ...(anomaly !== undefined && { anomaly: anomaly.replaceAll('_', ' ') }),
  }
}

function toRefusal({ code, detail }: Decision & { kind: 'refuse' }) {
  return { code: REPLY_CODES[code].code, ...(detail !== undefined && { detail }) }
}

const describePosting = ({ debit, credit }: BetPosting) =>
  `${debit.replaceAll('_', ' ')} → ${credit.replaceAll('_', ' ')}`
