/**
 * State of a bet in the load test, and its transitions by the wallet's answers. Pure.
 *
 * An answer that neither accepts nor finally rejects a call leaves the money of the bet in doubt.
 * The call is retried until the doubt is resolved, as a platform does (C-2, C-4, C-5).
 *
 *   new ──place──► open ──settle──► settled ◄─┐
 *                   │                   └─resettle
 *                   └──rollback──► over
 */

import type { CallOutcome } from '@purser/protocol/client/answer-classification'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import type { CallMessage } from './call-body.ts'
import type { CallKind } from './call-mix.ts'

export interface LoadBet {
  readonly betId: string
  /** Index of the player. */
  readonly player: number
  /** Minor units, like all amounts in this file. */
  readonly stake: bigint
  readonly life: 'new' | 'open' | 'settled' | 'over'
  /** The payout that the wallet has acknowledged. */
  readonly payout: bigint
  /** Acknowledged. */
  readonly last?: CallMessage
}

export interface LoadCall {
  readonly kind: CallKind
  readonly bet: LoadBet
  readonly message: CallMessage
  /** For settle and resettle, the new payout of the bet. */
  readonly payout: bigint
}

export type CallEffect =
  /**
   * `delta`: change of the balance. A bet that gets no further calls is over and has no last call.
   */
  | { readonly kind: 'known'; readonly delta: bigint; readonly bet: LoadBet }
  | { readonly kind: 'doubt'; readonly why: string }

export function judgeAnswer(call: LoadCall, outcome: CallOutcome): CallEffect {
  switch (call.kind) {
    case 'place':
      return judgePlace(call, outcome)
    case 'settle':
    case 'resettle':
      return judgeSettle(call, outcome)
    case 'rollback':
      return judgeRollback(call, outcome)
    case 'repeat':
      return judgeRepeat(call, outcome)
    default:
      return call.kind satisfies never
  }
}

/** The stake may have been debited after code 100 or an unreadable answer (C-2). */
function judgePlace({ bet, message }: LoadCall, outcome: CallOutcome): CallEffect {
  if (outcome.kind === 'accepted') return knownEffect(-bet.stake, { ...bet, life: 'open', last: message })
  if (outcome.kind === 'refused' && outcome.code !== REPLY_CODES.system_error.code)
    return knownEffect(0n, withoutLastCall(bet))
  return unknownEffect(outcome)
}

/**
 * After the Rollback the wallet holds no stake of the bet, whether the Place bet was applied or not
 * (C-2).
 */
export function judgeCompensation({ bet }: LoadCall, outcome: CallOutcome): CallEffect {
  return outcome.kind === 'accepted' || isDone(outcome) ? knownEffect(0n, withoutLastCall(bet)) : unknownEffect(outcome)
}

/** These codes reject a result finally (C-5). */
const FINAL_CODES: readonly number[] = [
  REPLY_CODES.recalculation_blocked.code,
  REPLY_CODES.recalculation_negative.code,
  REPLY_CODES.invalid_request.code,
]

function judgeSettle({ bet, message, payout }: LoadCall, outcome: CallOutcome): CallEffect {
  if (outcome.kind === 'accepted')
    return knownEffect(payout - bet.payout, { ...bet, life: 'settled', payout, last: message })
  if (outcome.kind === 'refused' && FINAL_CODES.includes(outcome.code)) return knownEffect(0n, withoutLastCall(bet))
  return unknownEffect(outcome)
}

/** Any 400 ends a Rollback, but only code 8 confirms the refund (C-4). */
function judgeRollback({ bet, message }: LoadCall, outcome: CallOutcome): CallEffect {
  if (outcome.kind === 'accepted' || isDone(outcome))
    return knownEffect(bet.stake, { ...bet, life: 'over', last: message })
  return outcome.kind === 'refused' ? knownEffect(0n, withoutLastCall(bet)) : unknownEffect(outcome)
}

/** Code 8 accepts a Rollback (C-4). */
function isDone(outcome: CallOutcome): boolean {
  return outcome.kind === 'refused' && outcome.code === REPLY_CODES.already_processed.code
}

/**
 * A repeat moves no money. If its answer was lost, it may still arrive, so the bet gets no further
 * calls.
 */
function judgeRepeat({ bet }: LoadCall, outcome: CallOutcome): CallEffect {
  return knownEffect(0n, outcome.kind === 'unknown' ? withoutLastCall(bet) : bet)
}

function knownEffect(delta: bigint, bet: LoadBet): CallEffect {
  return { kind: 'known', delta, bet }
}

function withoutLastCall({ last: _last, ...bet }: LoadBet): LoadBet {
  return { ...bet, life: 'over' }
}

function unknownEffect(outcome: Exclude<CallOutcome, { kind: 'accepted' }>): CallEffect {
  return { kind: 'doubt', why: outcome.kind === 'refused' ? `refused with code ${outcome.code}` : outcome.detail }
}
