/**
 * Describes the steps of a bet from the platform's record of the bet's deliveries. Pure functions.
 */

import { REPLY_CODES, ROLLBACK_REASON, replyCode } from '@purser/protocol/reply-codes'
import { formatMoney, parseDecimal, STANDARD_SCALES } from '@purser/protocol/values/money'

export const SHORT_ID_LENGTH = 6

/** The end of the id, because bets that were placed together begin with the same time. */
export function toShortBetId(betId: string): string {
  return betId.slice(-SHORT_ID_LENGTH)
}

/** The members of `GET /bets/{betId}` that are read here. */
export interface BetDetail {
  readonly betId: string
  readonly status: 'placing' | 'accepted' | 'declined' | 'cancelled' | 'settled'
  readonly reason?: string
  readonly currency: string
  readonly deliveries: readonly DeliveryDetail[]
}

export interface DeliveryDetail {
  readonly operation: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly status: 'waiting' | 'pending' | 'done' | 'refused' | 'unknown' | 'stuck'
  readonly attempts: number
  readonly code?: number
  readonly error?: string
  readonly request: { readonly amount?: number; readonly resultType?: string; readonly errorCode?: number }
}

export const BET_STEP_KINDS = ['accepted', 'declined', 'rolled back', 'won', 'lost', 'void', 'cashed out'] as const
/** Includes intermediate steps. */
export type BetStepKind =
  | (typeof BET_STEP_KINDS)[number]
  | 'debited'
  | 'unknown'
  | 'corrected'
  | 'result withdrawn'
  | 'result refused'
  | 'stuck'

export interface BetStep {
  readonly kind: BetStepKind
  readonly text: string
}

/** `steps` are complete; `isMoving` is true while another one is in progress. */
export function describeBetSteps(bet: BetDetail): { steps: BetStep[]; isMoving: boolean } {
  if (bet.status === 'declined' && bet.deliveries.length === 0)
    return { steps: [{ kind: 'declined', text: `declined: ${bet.reason}` }], isMoving: false }
  const over = bet.deliveries.filter(({ status }) => status !== 'waiting' && status !== 'pending')
  const steps = over.map((delivery, i) => appendAttempts(toBetStep(bet, delivery, over.slice(0, i)), delivery))
  return { steps, isMoving: bet.status === 'placing' || over.length < bet.deliveries.length }
}

function appendAttempts(step: BetStep, { attempts }: DeliveryDetail): BetStep {
  return attempts > 1 ? { ...step, text: `${step.text} (${attempts}×)` } : step
}

function toBetStep(bet: BetDetail, delivery: DeliveryDetail, before: readonly DeliveryDetail[]): BetStep {
  if (delivery.status === 'stuck') return { kind: 'stuck', text: `${delivery.operation} stuck` }
  switch (delivery.operation) {
    case 'place':
      return describePlacement(bet, delivery)
    case 'rollback':
      return describeRollback(delivery)
    case 'unsettle':
      return delivery.status === 'refused'
        ? { kind: 'result refused', text: `unsettle refused (code ${delivery.code})` }
        : { kind: 'result withdrawn', text: 'result withdrawn' }
    case 'settle':
      return describeResult(bet, delivery, before)
    default:
      return delivery.operation satisfies never
  }
}

const DECLINED: Readonly<Record<number, string>> = {
  [REPLY_CODES.invalid_token.code]: 'invalid session',
  [REPLY_CODES.expired_token.code]: 'session out of date',
  [REPLY_CODES.not_enough_money.code]: 'not enough money',
}

/**
 * A bet that the wallet accepted and the control stage rejected is shown as debited, not as
 * accepted (C-3).
 */
function describePlacement(bet: BetDetail, { status, code, error }: DeliveryDetail): BetStep {
  if (status === 'refused' && code === replyCode('system_error')) return { kind: 'unknown', text: 'wallet error' }
  if (status === 'refused') return { kind: 'declined', text: `declined: ${DECLINED[code ?? 0] ?? `code ${code}`}` }
  if (status === 'unknown') return { kind: 'unknown', text: describeUnknown(error ?? '') }
  const isRolledBack = bet.deliveries[1]?.operation === 'rollback'
  return isRolledBack ? { kind: 'debited', text: 'debited' } : { kind: 'accepted', text: 'accepted' }
}

function describeUnknown(error: string): string {
  if (error.startsWith('time_out')) return 'no answer in 5 s'
  if (error.startsWith('network')) return 'connection lost'
  const status = /HTTP status (\d+)/.exec(error)?.[1]
  return status === undefined ? error : `error ${status}`
}

/** Only the reasons that the previous step does not show (C-2, C-3). */
const REASONS: Readonly<Record<number, string>> = {
  [ROLLBACK_REASON.oddsChanged]: ': odds moved',
  [ROLLBACK_REASON.eventCompleted]: ': match over',
  [ROLLBACK_REASON.eventWithdrawn]: ': withdrawn',
}

function describeRollback({ status, code, request }: DeliveryDetail): BetStep {
  if (status === 'refused') return { kind: 'result refused', text: `rollback refused (code ${code})` }
  return { kind: 'rolled back', text: `rolled back${REASONS[request.errorCode ?? 0] ?? ''}` }
}

const RESULTS: Readonly<Record<string, BetStep['kind'] & (typeof BET_STEP_KINDS)[number]>> = {
  won: 'won',
  lost: 'lost',
  refund: 'void',
  cashout: 'cashed out',
}

function describeResult(
  { currency }: BetDetail,
  { status, code, request }: DeliveryDetail,
  before: readonly DeliveryDetail[],
): BetStep {
  if (status === 'refused') return { kind: 'result refused', text: `result refused (code ${code})` }
  const kind = RESULTS[request.resultType ?? ''] ?? 'lost'
  const text = kind === 'lost' ? kind : `${kind} ${formatAmount(request.amount ?? 0, currency)}`
  const isCorrection = before.at(-1)?.operation === 'settle'
  return isCorrection ? { kind: 'corrected', text: `corrected: ${text}` } : { kind, text }
}

function formatAmount(amount: number, currency: string): string {
  const scale = STANDARD_SCALES.get(currency)
  const units = scale === undefined ? undefined : parseDecimal(String(amount), scale)
  return scale === undefined || units === undefined ? String(amount) : formatMoney(units, scale)
}
