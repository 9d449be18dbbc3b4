/**
 * What a load knows of one bet, and what an answer makes of it. A balance is only expected where the wallet has said yes or no; what
 * it has left open is a doubt, and asked again until it is none (C-2, C-4, C-5), as a platform would. Pure.
 *
 *   new ──place──► open ──settle──► settled ◄─┐
 *                   │                   └─resettle
 *                   └──rollback──► over
 */

import type { CallOutcome } from '../../protocol/client/answer-classification.ts'
import { REPLY_CODES } from '../../protocol/reply-codes.ts'
import type { CallMessage } from './call-body.ts'
import type { CallKind } from './call-mix.ts'

export interface LoadBet {
  readonly betId: string
  /** Its place among the players. */
  readonly player: number
  /** Minor units, as all amounts here. */
  readonly stake: bigint
  readonly life: 'new' | 'open' | 'settled' | 'over'
  /** What the wallet has acknowledged that it paid. */
  readonly payout: bigint
  /** The last acknowledged call. */
  readonly last?: CallMessage
}

export interface LoadCall {
  readonly kind: CallKind
  readonly bet: LoadBet
  readonly message: CallMessage
  /** Of settle and resettle: what the bet has paid afterwards. */
  readonly payout: bigint
}

export type CallEffect =
  /** `delta`: by how much the balance has moved. A bet that is not to be used again is over, without a last call. */
  | { readonly kind: 'known'; readonly delta: bigint; readonly bet: LoadBet }
  | { readonly kind: 'doubt'; readonly why: string }

/** What the first answer to a call makes of its bet. */
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

/** C-2: code 100 and whatever cannot be read leave open whether the stake was taken. */
function judgePlace({ bet, message }: LoadCall, outcome: CallOutcome): CallEffect {
  if (outcome.kind === 'accepted') return knownEffect(-bet.stake, { ...bet, life: 'open', last: message })
  if (outcome.kind === 'refused' && outcome.code !== REPLY_CODES.system_error.code)
    return knownEffect(0n, withoutLastCall(bet))
  return unknownEffect(outcome)
}

/** C-2: a Place bet in doubt is rolled back. Then the wallet holds nothing of it, whether it took the stake or not. */
export function judgeCompensation({ bet }: LoadCall, outcome: CallOutcome): CallEffect {
  return outcome.kind === 'accepted' || isDone(outcome) ? knownEffect(0n, withoutLastCall(bet)) : unknownEffect(outcome)
}

/** Codes that are the wallet's last word on a result (C-5). */
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

/** C-4: any 400 ends a Rollback. Only code 8 says that the stake is back. */
function judgeRollback({ bet, message }: LoadCall, outcome: CallOutcome): CallEffect {
  if (outcome.kind === 'accepted' || isDone(outcome))
    return knownEffect(bet.stake, { ...bet, life: 'over', last: message })
  return outcome.kind === 'refused' ? knownEffect(0n, withoutLastCall(bet)) : unknownEffect(outcome)
}

/** C-4: code 8 is a yes to a Rollback. */
function isDone(outcome: CallOutcome): boolean {
  return outcome.kind === 'refused' && outcome.code === REPLY_CODES.already_processed.code
}

/** Moves nothing. One whose answer was lost may still be on its way: no other call of the bet may meet it. */
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
