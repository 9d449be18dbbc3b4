/**
 * Records the partners' answers to deliveries. A record has the attempt, the end of the delivery or
 * its next attempt, and the state of the bet at the partner.
 */

import type { CallOutcome } from '@purser/protocol/client/answer-classification'
import type { WalletAnswer } from '@purser/protocol/client/wallet-client'
import { replyCode } from '@purser/protocol/reply-codes'
import type { Clock } from '@purser/runtime/clock'
import { parseRetryAfter } from '@purser/runtime/network/retry-after'
import type { Tx } from '../../core/database/db.ts'
import { type FinishedRow, finishCalls } from '../store/attempt-outcome-store.ts'
import {
  type AttemptRecord,
  type AttemptResult,
  type DeliveryStatus,
  promoteNext,
  type RefusedCashout,
} from '../store/outbox.ts'
import { addDeliveryChanges, type EndedDelivery } from '../store/platform-change-feed.ts'
import { REFUSES_A_CASHOUT, REFUSES_A_RESULT } from '../store/unreversed-result.ts'
import type { Claim } from './delivery-claim.ts'
import { computeNextAttempt, MAX_RESULT_GAP_MS, ROLLBACK_WINDOW_MS } from './retry-backoff.ts'

export interface RecordDeps {
  readonly clock: Clock
  readonly random: () => number
  /**
   * A rejected cashout is reversed in the transaction that records the rejection (C-8). That
   * transaction holds the bets.
   */
  onCashoutsRefused(tx: Tx, refused: readonly RefusedCashout[]): Promise<void>
}

export interface FinishedCall {
  readonly claim: Claim
  readonly answer: WalletAnswer
  readonly startedAt: Date
}

export interface DeliveryEnd {
  readonly claim: Claim
  readonly status: DeliveryStatus
  /** True if a later delivery of the bet has been decided. */
  readonly hasLater: boolean
}

export interface RecordOutcome {
  readonly over: readonly DeliveryEnd[]
  /** Answers whose bets another transaction holds; they are recorded a little later. */
  readonly busy: readonly FinishedCall[]
}

export interface RecordInProgress extends RecordOutcome {
  /**
   * Sends the last statements. Statements that are sent with them need no round trip of their own.
   */
  sendRemaining(): Promise<unknown>
}

const NOTHING = async () => {}

/**
 * The bets are locked first, because other transactions may decide deliveries of the same bets.
 * Such a transaction either sees this result, or the promotion sees its delivery.
 */
export async function recordAnswers(
  deps: RecordDeps,
  tx: Tx,
  finished: readonly FinishedCall[],
): Promise<RecordInProgress> {
  if (finished.length === 0) return { over: [], busy: [], sendRemaining: NOTHING }
  const now = deps.clock.now()
  const calls = finished.map((entry) => ({
    claim: entry.claim,
    ...{ betId: entry.claim.bet_id, attempt: toAttempt(entry), result: toResult(deps, entry, now) },
  }))
  const { locked, written } = await finishCalls(tx, calls, now)
  const over = written.filter((row) => row.status === 'done' || row.status === 'refused')
  const followed = over.filter((row) => row.has_later)
  const sendRemaining = () =>
    Promise.all([promoteNext(tx, followed, now), addDeliveryChanges(tx, toEndedDeliveries(calls, written), now)])
  const recorded = {
    over: toDeliveryEnds(finished, written),
    busy: finished.filter(({ claim }) => !locked.has(claim.bet_id)),
  }
  const refused = toRefusedCashouts(finished, over)
  if (refused.length === 0) return { ...recorded, sendRemaining }
  await sendRemaining()
  await deps.onCashoutsRefused(tx, refused)
  return { ...recorded, sendRemaining: NOTHING }
}

function toDeliveryEnds(finished: readonly FinishedCall[], written: readonly FinishedRow[]): DeliveryEnd[] {
  const rows = new Map(written.map((row) => [row.delivery_id, row]))
  return finished.flatMap(({ claim }) => {
    const row = rows.get(claim.delivery_id)
    return row === undefined || row.status === 'pending' ? [] : [{ claim, status: row.status, hasLater: row.has_later }]
  })
}

/** In the order of the claims. */
function toEndedDeliveries(
  calls: readonly { claim: Claim; result: AttemptResult }[],
  written: readonly FinishedRow[],
): EndedDelivery[] {
  const statuses = new Map(written.map((row) => [row.delivery_id, row.status]))
  return calls.flatMap(({ claim: delivery, result: { code, error } }) => {
    const status = statuses.get(delivery.delivery_id)
    return status === undefined || status === 'pending' ? [] : [{ delivery, status, code, error }]
  })
}

function toRefusedCashouts(finished: readonly FinishedCall[], over: readonly FinishedRow[]): RefusedCashout[] {
  const cashouts = new Set(
    finished.flatMap(({ claim }) => (claim.result_type === 'cashout' ? [claim.delivery_id] : [])),
  )
  const refused = over.filter(({ status, delivery_id }) => status === 'refused' && cashouts.has(delivery_id))
  return refused.map(({ bet_id: betId, number }) => ({ betId, number }))
}

export function toAttempt({ claim, answer, startedAt }: FinishedCall): AttemptRecord {
  const { outcome, status, body, durationMs, phases } = answer
  return {
    deliveryId: claim.delivery_id,
    number: claim.attempts,
    startedAt,
    durationMs,
    status,
    ...{ body, phases },
    outcome: outcome.kind,
    code: outcome.kind === 'refused' ? outcome.code : null,
    error: outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null,
  }
}

/** A 400 with code 8 means that the rollback is done already (C-4). */
const ALREADY_PROCESSED = replyCode('already_processed')

/** A 400 that does not end a result may repeat for a long time, so the delivery is owed (C-5). */
const BAD_REQUEST = 400
/**
 * A result needs attention after this time of attempts without an answer (W-48). A Rollback is over
 * by then.
 */
const UNANSWERED_MS = ROLLBACK_WINDOW_MS

/**
 * An answer ends the delivery as done or rejected. Other outcomes plan the next attempt, or make it
 * stuck (C-4, C-5).
 */
function toResult(deps: RecordDeps, { claim, answer, startedAt }: FinishedCall, now: Date): AttemptResult {
  const { outcome } = answer
  const attempts = claim.attempts - claim.attempts_before
  const firstAttemptAt = attempts === 1 ? startedAt : claim.first_attempt_at
  const { delivery_id: deliveryId, attempts: attempt } = claim
  const base = { deliveryId, attempt, firstAttemptAt, dueAt: null, code: null, error: null, isOwed: false }
  if (outcome.kind === 'accepted') return { ...base, status: 'done' }
  const reply = toCodeAndError(outcome)
  if (claim.operation === 'rollback' && reply.code === ALREADY_PROCESSED) return { ...base, ...reply, status: 'done' }
  if (isFinalRefusal(claim, answer))
    return { ...base, ...reply, status: 'refused', isOwed: claim.result_type !== 'cashout' }
  const first = firstAttemptAt.getTime()
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now, MAX_RESULT_GAP_MS)
  const times = { lastAt: startedAt.getTime() - first, now: now.getTime() - first, retryAfterMs }
  const tried = { attempts, ...times, random: deps.random() }
  const next = computeNextAttempt(claim.operation, tried)
  return next === undefined
    ? { ...base, ...reply, status: 'stuck', isOwed: true }
    : {
        ...base,
        ...reply,
        status: 'pending',
        dueAt: new Date(first + next),
        isOwed: answer.status === BAD_REQUEST || now.getTime() - first >= UNANSWERED_MS,
      }
}

function toCodeAndError(outcome: Exclude<CallOutcome, { kind: 'accepted' }>): { code: number | null; error: string } {
  if (outcome.kind === 'refused') return { code: outcome.code, error: outcome.message }
  return { code: null, error: `${outcome.reason}: ${outcome.detail}` }
}

/**
 * Every complete 400 ends a rollback (C-4). A result pays the player, so only a code about the
 * result ends it (C-5). A wrong secret (1) or a failing wallet (100) does not.
 */
function isFinalRefusal({ operation, result_type }: Claim, { status, outcome }: WalletAnswer): boolean {
  if (operation === 'rollback')
    return (
      outcome.kind === 'refused' || (status === 400 && outcome.kind === 'unknown' && outcome.reason.endsWith('_body'))
    )
  if (outcome.kind !== 'refused') return false
  return (
    REFUSES_A_RESULT.includes(outcome.code) || (result_type === 'cashout' && REFUSES_A_CASHOUT.includes(outcome.code))
  )
}
