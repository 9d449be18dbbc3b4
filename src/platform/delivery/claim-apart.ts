/**
 * Claims that could not be made together, because the database refuses what is written of one of them: halved until it is alone (C-15). That
 * delivery is stuck then, a person's to look at (C-9); where not even that can be written, it is left out for a while. The others go out.
 * Where nothing can be claimed the fault may be everywhere: then they are left out first, and stuck when they fail again after others were claimed.
 */
import { type Db, type Row, statement } from '../../db/db.ts'
import { isBusy, isOfData } from '../../db/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { world } from '../../runtime/world.ts'
import type { EndedDelivery } from '../change.ts'
import type { PlatformMetrics } from '../metrics.ts'
import { setStuck, whyOf } from './apart.ts'
import type { Aside } from './aside.ts'
import { type Claim, claimThese, dueBehind, dueInLanes, type Wanted } from './claim.ts'

export interface ClaimApartDeps {
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
const MOST_FAILED = 100

interface Tried {
  claimed: number
  readonly failed: { readonly due: Due; readonly cause: unknown }[]
}

/** `since`: as `claimDue` has it. `claimed` is told of each part as it is claimed: its leases run. Throws when the fault is no delivery's. */
export async function claimApart(
  deps: ClaimApartDeps,
  wanted: readonly Wanted[],
  since: Date,
  aside: Aside,
  claimed: (claims: readonly Claim[], claimedAt: number) => void,
): Promise<void> {
  if (wanted.length === 0) return
  const due = await deps.db.query<Due & Row>(READ_DUE, dueBehind(wanted, deps.clock.now(), since, aside.ids()))
  const tried: Tried = { claimed: 0, failed: [] }
  await inHalves(deps, due, tried, claimed)
  const mayBeEverywhere = tried.claimed === 0 && tried.failed.length > 1
  if (mayBeEverywhere) deps.log.error({ deliveries: due.length }, 'no delivery can be claimed')
  for (const { due: failed, cause } of tried.failed) {
    if (mayBeEverywhere && !aside.isProven(failed.delivery_id)) aside.suspect(failed.delivery_id)
    else await setAside(deps, failed, cause, aside)
  }
}

async function inHalves(
  deps: ClaimApartDeps,
  due: readonly Due[],
  tried: Tried,
  claimed: (claims: readonly Claim[], claimedAt: number) => void,
): Promise<void> {
  const [first] = due
  if (first === undefined || (tried.claimed === 0 && tried.failed.length >= MOST_FAILED)) return
  const [claimedAt, now] = [world.elapsed(), deps.clock.now()]
  const ids = due.map(({ delivery_id }) => delivery_id)
  try {
    const claims = await deps.db.transaction((tx) => claimThese(tx, ids, now))
    tried.claimed += claims.length
    return claimed(claims, claimedAt)
  } catch (error) {
    if (!isOfData(error)) throw error
    if (due.length === 1) return void tried.failed.push({ due: first, cause: error })
  }
  const middle = Math.ceil(due.length / 2)
  await inHalves(deps, due.slice(0, middle), tried, claimed)
  await inHalves(deps, due.slice(middle), tried, claimed)
}

async function setAside(deps: ClaimApartDeps, due: Due, cause: unknown, aside: Aside): Promise<void> {
  const ids = { deliveryId: String(due.delivery_id), betId: due.bet_id }
  deps.log.error({ err: cause, ...ids }, 'a delivery could not be claimed: it needs a person')
  const said = `it was not sent, because that could not be written: ${whyOf(cause)}`
  try {
    await deps.db.transaction((tx) => setStuck(deps, tx, due, false, said))
    deps.metrics.delivered(due.operation, 'stuck')
  } catch (error) {
    if (!isOfData(error) && !isBusy(error)) throw error
    deps.log.error({ err: error, ...ids }, 'that it is stuck could not be written either')
    aside.add(due.delivery_id)
  }
}
