/**
 * Claims that could not be made together, because the database refuses what is written of one of them: halved until it is alone (C-15). That
 * delivery is stuck then, a person's to look at (C-9); where not even that can be written, it is left out for a while. The others go out.
 * Where nothing can be claimed the fault may be everywhere: then they are left out first, and stuck when they fail again after others were claimed.
 */

import type { Clock } from '../../../runtime/clock.ts'
import { environment } from '../../../runtime/environment.ts'
import type { Logger } from '../../../runtime/logger.ts'
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

/** Claims that fail one by one, with none that can be made, after which no more are tried: then it is not the fault of each. */
const MAX_FAILED = 100

interface BisectState {
  claimed: number
  readonly failed: { readonly due: Due; readonly cause: unknown }[]
}

/** `since`: as `claimDue` has it. `claimed` is told of each part as it is claimed: its leases run. Throws when the fault is no delivery's. */
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
  const [first] = due
  if (first === undefined || (state.claimed === 0 && state.failed.length >= MAX_FAILED)) return
  const [claimedAt, now] = [environment.monotonicNow(), deps.clock.now()]
  const ids = due.map(({ delivery_id }) => delivery_id)
  try {
    const claims = await deps.db.transaction((tx) => claimByIds(tx, ids, now))
    state.claimed += claims.length
    return claimed(claims, claimedAt)
  } catch (error) {
    if (!isDataError(error)) throw error
    if (due.length === 1) return void state.failed.push({ due: first, cause: error })
  }
  const middle = Math.ceil(due.length / 2)
  await bisectClaim(deps, due.slice(0, middle), state, claimed)
  await bisectClaim(deps, due.slice(middle), state, claimed)
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
