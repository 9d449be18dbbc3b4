/**
 * Detects results that arrive again late, and Place bets that are sent again as an Unsettle (I-2,
 * S-5).
 *
 * A `requestId` identifies one request, so a call with a known `requestId` is a copy of that
 * request.
 */
import type { ResultType } from '@purser/protocol/bet-request'
import type { ReplyCode } from '@purser/protocol/reply-codes'
import type { Money } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import type { BetCall, UnsettleCall } from '../store/bet.ts'
import { type Decision, type Facts, refuseCall } from './decision.ts'

export interface CallContent {
  readonly requestId: string
  readonly kind: BetCall['kind']
  readonly amount: Money | null
  readonly currency: Currency | null
  readonly resultType: ResultType | null
}

/** Refusals after which the platform no longer sends the result. */
export const FINAL_REFUSALS = ['recalculation_blocked', 'recalculation_negative'] as const
export type FinalRefusal = (typeof FINAL_REFUSALS)[number]

export type RecordedEffect =
  /** A Settle or Unsettle that was answered 200 with this time. */
  | { readonly kind: 'acknowledged'; readonly at: Date }
  /** A refused Settle or Unsettle; `seq` is its number among the bet's calls. */
  | { readonly kind: 'refused'; readonly code: FinalRefusal; readonly seq: number }
  /**
   * A Place bet that did not open the bet. The bet stores the `requestId` of the Place bet that
   * opened it.
   */
  | { readonly kind: 'place_bet' }

export interface EarlierCall extends CallContent {
  readonly became: RecordedEffect
}

export function contentOf(call: BetCall): CallContent {
  const { requestId, kind, currency = null } = call
  return {
    requestId,
    kind,
    currency,
    amount: amountOf(call),
    resultType: call.kind === 'settle' ? call.resultType : null,
  }
}

function amountOf(call: BetCall): Money | null {
  switch (call.kind) {
    case 'place':
      return call.stake
    case 'settle':
      return call.payout
    case 'unsettle':
    case 'rollback':
      return call.amount ?? null
    default:
      return call satisfies never
  }
}

/**
 * Effect that later calls must know; undefined if it has no effect. `seq` is the number of this
 * call.
 */
export function toRecordedEffect(
  call: BetCall,
  seq: number,
  decision: Decision,
  now: Date,
): RecordedEffect | undefined {
  if (call.kind === 'rollback') return undefined
  if (call.kind === 'place') return { kind: 'place_bet' }
  if (decision.kind === 'repeat') return { kind: 'acknowledged', at: decision.at }
  if (decision.kind === 'apply') return { kind: 'acknowledged', at: now }
  return isFinal(decision.code) ? { kind: 'refused', code: decision.code, seq } : undefined
}

function isFinal(code: ReplyCode): code is FinalRefusal {
  return FINAL_REFUSALS.some((one) => one === code)
}

/**
 * A result that confirms the bet's state is new too: it replaces results that were refused before
 * (I-2).
 */
export function isNewResult({ kind }: BetCall, decision: Decision): boolean {
  const isResult = kind === 'settle' || kind === 'unsettle'
  return isResult && (decision.kind === 'apply' || (decision.kind === 'repeat' && decision.isNew === true))
}

/**
 * A late copy of an acknowledged Settle or Unsettle succeeds again, and a copy of a refused one is
 * refused again. Neither has an effect, even if other results came in between (I-2).
 *
 * A refused result is no late copy while no other result was acknowledged since. The platform may
 * send it again, and the player may have money by then (L-2).
 */
export function findReplay(call: BetCall, { seen: earlierCalls, lastResult }: Facts): Decision | undefined {
  const content = contentOf(call)
  const members = ['requestId', 'kind', 'amount', 'currency', 'resultType'] as const
  const copies = earlierCalls.filter((one) => members.every((member) => one[member] === content[member]))
  const [acknowledged] = copies.flatMap(({ became: effect }) => (effect.kind === 'acknowledged' ? [effect] : []))
  if (acknowledged !== undefined) return { kind: 'repeat', at: acknowledged.at }
  const [refused] = copies.flatMap(({ became: effect }) => (effect.kind === 'refused' ? [effect] : []))
  return refused !== undefined && refused.seq < lastResult ? refuseCall(refused.code) : undefined
}

/**
 * The bytes of a Place bet sent with PUT are an Unsettle by method and type (S-5). They carry the
 * Place bet's `requestId`.
 */
export function isPlaceBetWithPut({ requestId }: UnsettleCall, { placeRequestId, seen: earlierCalls }: Facts): boolean {
  return (
    requestId === placeRequestId ||
    earlierCalls.some((one) => one.became.kind === 'place_bet' && one.requestId === requestId)
  )
}
