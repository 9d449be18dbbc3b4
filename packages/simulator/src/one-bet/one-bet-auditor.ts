/**
 * The auditor of one bet: it computes the answer to each call, and the player's money after the
 * call.
 *
 * The auditor's only source is decisions.md: "The life of a bet", I-2, I-3, I-5, L-1 to L-4, S-5.
 * It shares no line with the wallet's rules, which it checks. A moment is the number of the step
 * that took effect. The functions are pure.
 */
import type { ReplyCode } from '@purser/protocol/reply-codes'
import { type BetCallName, CALLS } from './one-bet-actions.ts'

export type ExpectedAnswer =
  | { readonly status: 200; readonly moment: number }
  | { readonly status: 400; readonly code: ReplyCode }

export type ExpectedStatus = 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'

export interface ExpectedState {
  readonly status: ExpectedStatus
  readonly stake: bigint
  readonly placed: number
  /** The moment of the last operation that took effect. */
  readonly since: number
  readonly payout: bigint
  readonly resultType: string
  readonly refusal: ReplyCode | undefined
  readonly results: number
  /** Results answered 200: request and moment. */
  readonly acknowledged: ReadonlyMap<number, number>
  /** Results refused with 20 or 21: the code, and the number of results acknowledged before. */
  readonly refused: ReadonlyMap<number, readonly [code: ReplyCode, results: number]>
  readonly balance: bigint
  readonly locked: boolean
  /**
   * `live`: valid by the wallet's clock. `spent`: a call was refused as expired, so the token stays
   * expired (P-1).
   */
  readonly live: boolean
  readonly spent: boolean
}

export function newExpectedState(balance: bigint): ExpectedState {
  const life = {
    status: 'nothing',
    stake: 0n,
    placed: 0,
    since: 0,
    payout: 0n,
    resultType: '',
    refusal: undefined,
    results: 0,
  } as const
  return { ...life, acknowledged: new Map(), refused: new Map(), balance, locked: false, live: true, spent: false }
}

export interface AuditedStep {
  readonly verdict: ExpectedAnswer
  readonly expected: ExpectedState
}

export interface AuditedCall {
  readonly name: BetCallName
  readonly request: number
  /** The number of this step. */
  readonly moment: number
  /** A result may take back more than the balance (L-2). */
  readonly mayGoBelowZero: boolean
}

export function auditCall(expected: ExpectedState, auditedCall: AuditedCall): AuditedStep {
  switch (CALLS[auditedCall.name].kind) {
    case 'place':
      return auditPlace(expected, auditedCall)
    case 'settle':
    case 'unsettle':
      return auditResult(expected, auditedCall)
    case 'rollback':
      return auditRollback(expected, auditedCall)
  }
}

function auditPlace(expected: ExpectedState, { name, moment }: AuditedCall): AuditedStep {
  const stake = CALLS[name].amount
  if (expected.refusal !== undefined) return toRefused(expected, expected.refusal)
  if (expected.status === 'cancelled') return toRefused(expected, 'already_processed')
  if (expected.status !== 'nothing')
    return expected.stake === stake
      ? toAcknowledged(expected, expected.placed)
      : toRefused(expected, 'already_processed')
  if (!isAlive(expected)) return toRefused({ ...expected, spent: true }, 'expired_token')
  if (expected.balance < stake)
    return toRefused({ ...expected, status: 'refused', refusal: 'not_enough_money', since: moment }, 'not_enough_money')
  const placed = { status: 'open', stake, placed: moment, since: moment, balance: expected.balance - stake } as const
  return toAcknowledged({ ...expected, ...placed }, moment)
}

function auditRollback(expected: ExpectedState, { moment }: AuditedCall): AuditedStep {
  if (expected.status === 'settled') return toRefused(expected, 'already_processed')
  if (expected.status === 'cancelled' || expected.status === 'refused') return toAcknowledged(expected, expected.since)
  const back = expected.status === 'open' ? expected.stake : 0n
  return toAcknowledged({ ...expected, status: 'cancelled', since: moment, balance: expected.balance + back }, moment)
}

function auditResult(expected: ExpectedState, auditedCall: AuditedCall): AuditedStep {
  if (expected.status === 'nothing' || expected.status === 'refused') return toRefused(expected, 'invalid_request')
  const acknowledgedAt = expected.acknowledged.get(auditedCall.request)
  if (acknowledgedAt !== undefined) return toAcknowledged(expected, acknowledgedAt)
  const [code, results = 0] = expected.refused.get(auditedCall.request) ?? []
  if (code !== undefined && results < expected.results) return toRefused(expected, code)
  const { expected: after, verdict } =
    expected.status === 'cancelled' ? toRefused(expected, 'recalculation_blocked') : auditChange(expected, auditedCall)
  if (verdict.status === 200)
    return {
      verdict,
      expected: { ...after, acknowledged: new Map(after.acknowledged).set(auditedCall.request, verdict.moment) },
    }
  const isFirst =
    (verdict.code === 'recalculation_blocked' || verdict.code === 'recalculation_negative') && code === undefined
  if (!isFirst) return { verdict, expected: after }
  return {
    verdict,
    expected: { ...after, refused: new Map(after.refused).set(auditedCall.request, [verdict.code, after.results]) },
  }
}

function auditChange(expected: ExpectedState, { name, moment, mayGoBelowZero }: AuditedCall): AuditedStep {
  const call = CALLS[name]
  const isSettle = call.kind === 'settle'
  const resultType = isSettle ? call.resultType : ''
  const payout = isSettle ? call.amount : 0n
  const has = isSettle
    ? expected.status === 'settled' && expected.payout === payout && expected.resultType === resultType
    : expected.status === 'open'
  if (has) return toAcknowledged({ ...expected, results: expected.results + 1 }, expected.since)
  if (resultType === 'cashout' && !isAlive(expected)) return toRefused({ ...expected, spent: true }, 'expired_token')
  if (expected.status === 'settled' && expected.locked) return toRefused(expected, 'recalculation_blocked')
  const balance = expected.balance + payout - expected.payout
  if (balance < expected.balance && balance < 0n && !mayGoBelowZero)
    return toRefused(expected, 'recalculation_negative')
  const status = isSettle ? 'settled' : 'open'
  return toAcknowledged(
    { ...expected, status, payout, resultType, balance, since: moment, results: expected.results + 1 },
    moment,
  )
}

function isAlive({ live, spent }: ExpectedState): boolean {
  return live && !spent
}

function toAcknowledged(expected: ExpectedState, moment: number): AuditedStep {
  return { verdict: { status: 200, moment }, expected }
}

function toRefused(expected: ExpectedState, code: ReplyCode): AuditedStep {
  return { verdict: { status: 400, code }, expected }
}
