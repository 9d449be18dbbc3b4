/**
 * Bisection of a batch of claims that the database rejects.
 *
 * The batch is halved until the delivery at fault is alone (C-15). That delivery becomes stuck and
 * needs attention (C-9), or is quarantined if the stuck mark cannot be written. The others are
 * sent.
 *
 * If no claim succeeds, the fault may be general: the deliveries are quarantined first, and become
 * stuck if they fail again after other claims succeeded.
 */

import { runWithBisection } from '@purser/runtime/async/bisection'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { isBusy, isDataError } from '../../core/database/database-errors.ts'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import type { PlatformMetrics } from '../platform-metrics.ts'
import type { EndedDelivery } from '../store/platform-change-feed.ts'
import { describeCause, setStuck } from './bisect-record.ts'
import { type Claim, type ClaimableLane, claimByIds, dueInLanes, toDueValues } from './delivery-claim.ts'
import type { Quarantine } from './quarantine.ts'

export interface BisectClaimDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<PlatformMetrics, 'delivered'>
}

type Due = EndedDelivery['delivery'] & Pick<Claim, 'attempts'>

const READ_DUE = statement(
  'platform_read_due',
  `select due.* from ${dueInLanes('delivery_id, bet_id, partner_id, operation, attempts')}`,
)

/**
 * If this number of claims fail and none succeeds, the fault is general and the bisection stops.
 */
const MAX_FAILED = 100

interface BisectState {
  claimed: number
  readonly failed: { readonly due: Due; readonly cause: unknown }[]
}

/**
 * `since` is explained at `claimDue`. `claimed` is called after each part, because its leases run.
 * Throws errors that no delivery causes.
 */
export async function claimWithBisection(
  deps: BisectClaimDeps,
  lanes: readonly ClaimableLane[],
  since: Date,
  quarantine: Quarantine,
  claimed: (claims: readonly Claim[], claimedAt: number) => void,
): Promise<void> {
  if (lanes.length === 0) return
  const due = await deps.db.query<Due & Row>(READ_DUE, toDueValues(lanes, deps.clock.now(), since, quarantine.ids()))
  const state: BisectState = { claimed: 0, failed: [] }
  await bisectClaim(deps, due, state, claimed)
  const mayBeEverywhere = state.claimed === 0 && state.failed.length > 1
  if (mayBeEverywhere) deps.log.error({ deliveries: due.length }, 'no delivery could be claimed')
  for (const { due: failed, cause } of state.failed) {
    if (mayBeEverywhere && !quarantine.isProven(failed.delivery_id)) quarantine.suspect(failed.delivery_id)
    else await setStuckOrQuarantine(deps, failed, cause, quarantine)
  }
}

async function bisectClaim(
  deps: BisectClaimDeps,
  due: readonly Due[],
  state: BisectState,
  claimed: (claims: readonly Claim[], claimedAt: number) => void,
): Promise<void> {
  await runWithBisection(due, async (part) => {
    if (state.claimed === 0 && state.failed.length >= MAX_FAILED) return 'done'
    const [claimedAt, now] = [environment.monotonicNow(), deps.clock.now()]
    const ids = part.map(({ delivery_id }) => delivery_id)
    try {
      const claims = await deps.db.transaction((tx) => claimByIds(tx, ids, now))
      state.claimed += claims.length
      claimed(claims, claimedAt)
    } catch (error) {
      if (!isDataError(error)) throw error
      if (part.length > 1) return 'halve'
      for (const one of part) state.failed.push({ due: one, cause: error })
    }
    return 'done'
  })
}

async function setStuckOrQuarantine(
  deps: BisectClaimDeps,
  due: Due,
  cause: unknown,
  quarantine: Quarantine,
): Promise<void> {
  const ids = { deliveryId: String(due.delivery_id), betId: due.bet_id }
  deps.log.error({ err: cause, ...ids }, 'a delivery could not be claimed and needs attention')
  const reason = `it was not sent, because the claim could not be stored: ${describeCause(cause)}`
  try {
    await deps.db.transaction((tx) => setStuck(deps, tx, due, false, reason))
    deps.metrics.delivered(due.operation, 'stuck')
  } catch (error) {
    if (!isDataError(error) && !isBusy(error)) throw error
    deps.log.error({ err: error, ...ids }, 'the state "stuck" could not be written either')
    quarantine.add(due.delivery_id)
  }
}
