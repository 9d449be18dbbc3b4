/**
 * Bisection of a batch of answers that the database rejects.
 *
 * The batch is halved until the answer at fault is alone (C-15). The delivery of this answer
 * becomes stuck and needs attention (C-9). The other answers are recorded, so that their bets
 * continue (C-6).
 */

import { runWithBisection } from '@purser/runtime/async/bisection'
import { errorText } from '@purser/runtime/errors/error-text'
import type { Logger } from '@purser/runtime/logger'
import { isDataError } from '../../core/database/database-errors.ts'
import type { Db, Tx } from '../../core/database/db.ts'
import { statement } from '../../core/database/db.ts'
import type { PlatformMetrics } from '../platform-metrics.ts'
import { assignOwed } from '../store/needs-attention.ts'
import { insertAttempts, statusColumn } from '../store/outbox.ts'
import { lockPlatformBets } from '../store/platform-bet-store.ts'
import { addDeliveryChanges, type EndedDelivery } from '../store/platform-change-feed.ts'
import {
  type DeliveryEnd,
  type FinishedCall,
  type RecordDeps,
  type RecordOutcome,
  recordAnswers,
  toAttempt,
} from './attempt-recorder.ts'
import type { Claim } from './delivery-claim.ts'

export interface BisectRecordDeps extends RecordDeps {
  readonly db: Db
  readonly log: Logger
  readonly metrics: Pick<PlatformMetrics, 'unrecorded' | 'delivered'>
}

/** Returns the answers that must be recorded again. */
export async function recordWithBisection(
  deps: BisectRecordDeps,
  finished: readonly FinishedCall[],
): Promise<readonly FinishedCall[]> {
  try {
    const { over, busy } = await bisectRecord(deps, finished)
    for (const { claim, status } of over) deps.metrics.delivered(claim.operation, status)
    return busy
  } catch (error) {
    deps.log.error({ err: error }, 'answers could not be recorded')
    return finished
  }
}

/** Throws if no answer may be at fault, for example while the database is down. */
async function bisectRecord(deps: BisectRecordDeps, finished: readonly FinishedCall[]): Promise<RecordOutcome> {
  const outcome = { over: [] as DeliveryEnd[], busy: [] as FinishedCall[] }
  await runWithBisection(finished, async (part) => {
    try {
      const { over, busy } = await deps.db.transaction((tx) => recordWhole(deps, tx, part))
      outcome.over.push(...over)
      outcome.busy.push(...busy)
    } catch (error) {
      if (!isDataError(error)) throw error
      if (part.length > 1) return 'halve'
      for (const call of part) outcome.over.push(...(await recordAsStuck(deps, call, error)))
    }
    return 'done'
  })
  return outcome
}

async function recordWhole(deps: BisectRecordDeps, tx: Tx, finished: readonly FinishedCall[]): Promise<RecordOutcome> {
  const { sendRemaining, ...recorded } = await recordAnswers(deps, tx, finished)
  await sendRemaining()
  return recorded
}

/**
 * The attempt is stored if possible. A delivery that cannot be changed stays claimed, and is sent
 * again after its lease.
 */
async function recordAsStuck(deps: BisectRecordDeps, finished: FinishedCall, cause: unknown): Promise<DeliveryEnd[]> {
  const { claim } = finished
  const ids = { deliveryId: String(claim.delivery_id), betId: claim.bet_id }
  deps.log.error({ err: cause, ...ids }, 'an answer could not be recorded, and its delivery needs attention')
  const tryTo = async (action: string, write: (tx: Tx) => Promise<unknown>) => {
    try {
      await deps.db.transaction(write)
      return true
    } catch (error) {
      if (!isDataError(error)) throw error
      deps.log.error({ err: error, ...ids }, `${action} could not be written either`)
      return false
    }
  }
  await tryTo('the attempt', (tx) => insertAttempts(tx, [toAttempt(finished)]))
  const isSet = await tryTo('the state "stuck"', (tx) =>
    setStuck(deps, tx, claim, true, describeAnswer(finished, cause)),
  )
  if (isSet) return [{ claim, status: 'stuck', hasLater: false }]
  deps.metrics.unrecorded()
  return []
}

const SET_STUCK = statement(
  'platform_set_stuck',
  `update platform.delivery d set status = 'stuck', is_claimed = false, error = $3, finished_at = $4::timestamptz,
     ${assignOwed('true', '$4::timestamptz')}
   where d.delivery_id = $1::bigint and d.attempts = $2::int and d.is_claimed = $5::boolean and ${statusColumn('d')} = 'pending'`,
)

/** Has no effect if the attempt is recorded already or another process has the claim. */
export async function setStuck(
  { clock }: Pick<BisectRecordDeps, 'clock'>,
  tx: Tx,
  delivery: EndedDelivery['delivery'] & Pick<Claim, 'attempts'>,
  isClaimed: boolean,
  error: string,
): Promise<void> {
  const now = clock.now()
  await lockPlatformBets(tx, [delivery.bet_id]) // a later decision about the bet then counts this delivery as owed or sees its mark
  if ((await tx.execute(SET_STUCK, [delivery.delivery_id, delivery.attempts, error, now, isClaimed])) === 0) return
  await addDeliveryChanges(tx, [{ delivery, status: 'stuck', code: null, error }], now)
}

function describeAnswer({ answer }: FinishedCall, cause: unknown): string {
  const answerText = [answer.outcome.kind, ...(answer.status === null ? [] : [`HTTP status ${answer.status}`])].join(
    ', ',
  )
  return `the partner answered (${answerText}), but the answer could not be recorded: ${describeCause(cause)}`
}

export function describeCause(cause: unknown): string {
  return errorText(cause).slice(0, MAX_CAUSE)
}

/** In characters. */
const MAX_CAUSE = 200
