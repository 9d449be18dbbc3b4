/**
 * Why a call was answered as it was, and what the same call would have come to had the wallet known something else of its bet: each row of the
 * life table, judged by the wallet's own rules (wallet/decide). Pure.
 */

import { effectOnPlayer } from '../../../src/ledger/posting.ts'
import { REPLY_CODES } from '../../../src/protocol/codes.ts'
import { type Money, money, ZERO } from '../../../src/protocol/money.ts'
import { sayResult } from '../../../src/timeline/results.ts'
import type { WalletBet, WalletCall } from '../../../src/timeline/sources.ts'
import { type Known, knownBefore } from '../../../src/timeline/why.ts'
import { decide } from '../../../src/wallet/decide/decide.ts'
import type { BetPosting, Decision } from '../../../src/wallet/decide/decision.ts'
import type { Bet, Placement, Settlement } from '../../../src/wallet/store/bet.ts'
import { factsFor, isAsRecorded, judge, NO_PAST, type Past, pastAfter } from './past.ts'
import { callOf, placementOf, refusalOf, resultsAround, textOf } from './read.ts'

export interface Verdict {
  /** 200, or the refusal; `says`: more than its code does. */
  readonly answer: 200 | { readonly code: number; readonly says?: string }
  /** It was answered so before. */
  readonly isRepeat?: true
  readonly moves: readonly { readonly what: string; readonly amount: string }[]
  /** What of that is the player's, signed. */
  readonly forPlayer: string
  readonly leaves: Known
  readonly anomaly?: string
}

export interface Row extends Verdict {
  readonly known: Known
  /** Of the bet in that state: "10.00 staked". */
  readonly had: string
  /** What the wallet knew when the call came. */
  readonly isOwn?: true
}

export interface WhatIf {
  readonly rows: readonly Row[]
  /** False: the rules of this version answer otherwise than stands on record. */
  readonly isAsRecorded: boolean
}

const STATES: readonly Known[] = ['nothing', 'open', 'settled', 'cancelled', 'refused']

/** The rows in the order of the life table; a state has several where the bet's own numbers matter. */
export function whatIf(bet: WalletBet, at: number): WhatIf | undefined {
  const told = bet.history[at]
  if (told === undefined) return undefined
  const past = pastOf(bet, at)
  const judged = judge(bet, told, past)
  const own: Row = { ...rowOf(bet, past.bet, judged.decision), isOwn: true }
  const others = situationsOf(bet, told, at).map((state) => {
    const call = callOf(bet, told)
    return rowOf(bet, state, decide(call, factsFor({ ...NO_PAST, bet: state }, call, new Date(told.at))))
  })
  const isNew = (row: Row) => row.known !== own.known || verdictText(row) !== verdictText(own)
  const rows = [own, ...others.filter(isNew)].sort((a, b) => STATES.indexOf(a.known) - STATES.indexOf(b.known))
  return { rows, isAsRecorded: isAsRecorded(judged, told) }
}

const verdictText = ({ answer, moves, forPlayer, leaves }: Verdict) =>
  JSON.stringify([answer, moves, forPlayer, leaves])

/** Where a call of the record is not what these rules make of it, its own word counts. */
function pastOf(bet: WalletBet, at: number): Past {
  const known = knownBefore(bet.history)
  return bet.history.slice(0, at).reduce((past, told, i): Past => {
    const judged = judge(bet, told, past)
    if (isAsRecorded(judged, told)) return pastAfter(past, judged, i + 1, new Date(told.at))
    const state = known[i + 1] ?? 'nothing'
    const [found] = situationsOf(bet, told, i + 1).filter((one) => knownOf(one) === state)
    return { ...past, bet: found ?? NO_PAST.bet }
  }, NO_PAST)
}

function situationsOf(bet: WalletBet, told: WalletCall, at: number): Bet[] {
  const since = new Date(told.at)
  const placement = placementOf(bet, told)
  const call = callOf(bet, told)
  const stakes =
    call.kind === 'place' ? [{ ...placement, ...asPlaced(call) }, otherStake(placement, call.stake)] : [placement]
  return [
    NO_PAST.bet,
    ...stakes.map((one): Bet => ({ kind: 'open', placement: one, since })),
    ...stakes.flatMap((one) =>
      settlementsOf(bet, told, at, one).map(
        (settlement): Bet => ({ kind: 'settled', placement: one, settlement, since }),
      ),
    ),
    { kind: 'cancelled', placement, since },
    { kind: 'refused', refusal: refusalOf(bet), since },
  ]
}

const asPlaced = ({ stake, currency }: Pick<Placement, 'stake' | 'currency'>) => ({ stake, currency })

/** Another bet under the same id. */
function otherStake(placement: Placement, stake: Money): Placement {
  return { ...placement, stake: placement.stake === stake ? money(stake * 2n) : placement.stake }
}

/** Of a result: this one, and another one. Of all other calls any result will do. */
function settlementsOf(bet: WalletBet, told: WalletCall, at: number, { stake, funder }: Placement): Settlement[] {
  const call = callOf(bet, told)
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

function rowOf(bet: WalletBet, state: Bet, decision: Decision): Row {
  return { known: knownOf(state), had: had(bet, state), ...verdictOf(bet, state, decision) }
}

function knownOf({ kind }: Bet): Known {
  return kind === 'unknown' ? 'nothing' : kind
}

function had(bet: WalletBet, state: Bet): string {
  switch (state.kind) {
    case 'unknown':
      return ''
    case 'open':
      return `${textOf(bet, state.placement.stake)} staked`
    case 'settled':
      return `${textOf(bet, state.placement.stake)} staked, ${sayResult(state.settlement.resultType)}${state.settlement.payout > 0n ? ` ${textOf(bet, state.settlement.payout)}` : ''}`
    case 'cancelled':
      return state.placement === undefined ? 'before it was placed' : `${textOf(bet, state.placement.stake)} refunded`
    case 'refused':
      return state.refusal.replaceAll('_', ' ')
    default:
      return state satisfies never
  }
}

function verdictOf(bet: WalletBet, state: Bet, decision: Decision): Verdict {
  const postings = decision.kind === 'apply' ? decision.postings : []
  const sum = postings.reduce((total, posting) => total + effectOnPlayer(posting), 0n)
  const left = decision.kind === 'repeat' ? state : (decision.bet ?? state)
  const anomaly = decision.kind === 'repeat' ? undefined : decision.anomaly
  return {
    answer: decision.kind === 'refuse' ? refusalIn(decision) : 200,
    ...(decision.kind === 'repeat' && { isRepeat: true }),
    moves: postings.map((posting) => ({ what: sayPosting(posting), amount: textOf(bet, posting.amount) })),
    forPlayer: textOf(bet, money(sum)),
    leaves: knownOf(left),
    ...(anomaly !== undefined && { anomaly: anomaly.replaceAll('_', ' ') }),
  }
}

function refusalIn({ code, detail }: Decision & { kind: 'refuse' }) {
  return { code: REPLY_CODES[code].code, ...(detail !== undefined && { says: detail }) }
}

const sayPosting = ({ debit, credit }: BetPosting) => `${debit.replaceAll('_', ' ')} → ${credit.replaceAll('_', ' ')}`
