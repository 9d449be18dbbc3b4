/**
 * What a bet has seen before (I-2, S-5): late copies of results, and Place bets. A `requestId` identifies one request, so a
 * call that brings one again is a copy of that request and of no other.
 */
import type { ResultType } from '../../../protocol/bet-request.ts'
import type { ReplyCode } from '../../../protocol/reply-codes.ts'
import type { Money } from '../../../protocol/values/money.ts'
import type { Currency } from '../../../protocol/wire-ids.ts'
import type { BetCall, UnsettleCall } from '../store/bet.ts'
import { type Decision, type Facts, refuseCall } from './decision.ts'

/** What a call says beside whose bet it is about. */
export interface CallContent {
  readonly requestId: string
  readonly kind: BetCall['kind']
  readonly amount: Money | null
  readonly currency: Currency | null
  readonly resultType: ResultType | null
}

/** The refusals that end a result for the platform. */
export const FINAL_REFUSALS = ['recalculation_blocked', 'recalculation_negative'] as const
export type FinalRefusal = (typeof FINAL_REFUSALS)[number]

export type RecordedEffect =
  /** A settle or unsettle that was answered 200, with this time. */
  | { readonly kind: 'acknowledged'; readonly at: Date }
  /** A settle or unsettle; `seq` is its number among the calls about the bet. */
  | { readonly kind: 'refused'; readonly code: FinalRefusal; readonly seq: number }
  /** A Place bet that did not open the bet; of the one that did, the bet itself has the requestId. */
  | { readonly kind: 'place_bet' }

/** An earlier call about this bet. */
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

/** What later calls must know of this one, which is number `seq`; undefined if nothing. */
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

/** Also one that the bet had already: what was refused before it is not the platform's last word any more (I-2). */
export function isNewResult({ kind }: BetCall, decision: Decision): boolean {
  const isResult = kind === 'settle' || kind === 'unsettle'
  return isResult && (decision.kind === 'apply' || (decision.kind === 'repeat' && decision.isNew === true))
}

/**
 * The late copy of an acknowledged settle or unsettle succeeds, and that of one that was refused for good is refused again,
 * both without effect, whatever came in between (I-2). As long as no other result was acknowledged since, a refused one is no
 * late copy: the platform may ask again, and the player may have money again (L-2).
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

/** S-5: a Place bet's bytes with PUT are an Unsettle by method and type, and carry the Place bet's requestId. */
export function isPlaceBetWithPut({ requestId }: UnsettleCall, { placeRequestId, seen: earlierCalls }: Facts): boolean {
  return (
    requestId === placeRequestId ||
    earlierCalls.some((one) => one.became.kind === 'place_bet' && one.requestId === requestId)
  )
}
