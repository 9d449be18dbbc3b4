/**
 * Watch over the leases of claims (rights to send a delivery) and of placements.
 *
 * A process that has watched a claim or placement unchanged for a whole lease treats its owner as
 * dead. It releases the claim (C-12), or rolls the placement back (C-1).
 */
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { IN_LANE } from '../delivery/delivery-claim.ts'
import { computeNextAttempt, MAX_RESULT_GAP_MS, ROLLBACK_WINDOW_MS } from '../delivery/retry-backoff.ts'
import { type DeliveryKind, LEASE_MS, START_WITHIN_MS, statusColumn } from '../store/outbox.ts'
import { detectStaleLeases, type ReadingSpan } from './stale-lease-detector.ts'

export interface HeldClaim extends Record<string, unknown> {
  readonly delivery_id: bigint
  readonly bet_id: string
  readonly operation: 'place' | DeliveryKind
  readonly attempts: number
  readonly attempts_before: number
  readonly first_attempt_at: Date
}

/** A claim that can become due again; an abandoned placement is rolled back instead (C-1). */
export type Releasable = HeldClaim & { readonly operation: DeliveryKind }

export function isReleasable(claim: HeldClaim): claim is Releasable {
  return claim.operation !== 'place'
}

/**
 * Number of deliveries scanned at the front of each lane, and of placements. Deliveries are claimed
 * in this order, so abandoned claims are at the front, or arrive there when the earlier ones end.
 */
const MAX_SCANNED_CLAIMS = 2_000

/** SQL text of the index `delivery_placing`, so that the planner always uses this index. */
const PLACING_ID = "(case when status = 'pending' and operation = 'place' then delivery_id end)"

const HELD_COLUMNS = 'delivery_id, bet_id, operation, attempts, attempts_before, first_attempt_at'
const READ_HELD_CLAIMS = statement(
  'platform_held_claims',
  `(select ${HELD_COLUMNS} from platform.delivery where ${PLACING_ID} >= $1::bigint order by ${PLACING_ID} limit ${MAX_SCANNED_CLAIMS})
   union all
   select ${HELD_COLUMNS} from platform.partner p
   cross join (values (true), (false)) as k (is_rollback)
   cross join lateral (
     select ${HELD_COLUMNS}, is_claimed from platform.delivery
     where ${IN_LANE('p.partner_id', 'k.is_rollback')}
     order by due_at, delivery_id limit ${MAX_SCANNED_CLAIMS}
   ) d
   where d.is_claimed`,
)

/**
 * Claims of every process. A process holds a placement until the answer is recorded. Placements
 * with ids below `placementsFrom` have ended.
 */
export function readHeldClaims(tx: Pick<Tx, 'query'>, placementsFrom = 0n): Promise<HeldClaim[]> {
  return tx.query<HeldClaim>(READ_HELD_CLAIMS, [placementsFrom])
}

interface ReleasedClaim {
  readonly claim: Releasable
  readonly dueAt: Date
}

const RELEASED = mapRows<ReleasedClaim>(1, {
  delivery_id: ['bigint', ({ claim }) => claim.delivery_id],
  attempts: ['int', ({ claim }) => claim.attempts],
  due_at: ['timestamptz', ({ dueAt }) => dueAt.toISOString()],
})

const RELEASE = statement(
  'platform_release',
  `update platform.delivery d set due_at = r.due_at, is_claimed = false
   from ${RELEASED.from} r
   where d.delivery_id = r.delivery_id and d.attempts = r.attempts and ${statusColumn('d')} = 'pending' and d.operation <> 'place'
     and d.is_claimed`,
)

/**
 * Makes the deliveries of abandoned claims due again. A claim that has ended meanwhile is ignored.
 * `random` is from 0 to 1.
 */
export function releaseClaims(tx: Tx, claims: readonly Releasable[], now: Date, random: number): Promise<number> {
  return tx.execute(
    RELEASE,
    RELEASED.values(claims.map((claim) => ({ claim, dueAt: planRelease(claim, now, random) }))),
  )
}

/**
 * The schedule continues as after an attempt with an unknown outcome, so that a rollback keeps its
 * times (C-4). The attempt began at an unknown time after its claim, which was watched for a lease.
 *
 * A rollback without attempts left is due when its time is over; the next claim makes it stuck. If
 * the database rejects the end of a result (C-15), the retries continue at the longest gap without
 * limit.
 */
function planRelease(
  { operation, attempts, attempts_before, first_attempt_at }: Releasable,
  now: Date,
  random: number,
) {
  const first = first_attempt_at.getTime()
  const since = now.getTime() - first
  const tried = { attempts: attempts - attempts_before, lastAt: since - LEASE_MS + START_WITHIN_MS, now: since, random }
  const last = operation === 'rollback' ? Math.max(since, ROLLBACK_WINDOW_MS + 1) : since + MAX_RESULT_GAP_MS
  return new Date(first + (computeNextAttempt(operation, tried) ?? last))
}

export interface LeaseWatch {
  /** `held` has all claims. Returns the claims that stayed unchanged for a whole lease. */
  abandoned(held: readonly HeldClaim[], read: ReadingSpan): HeldClaim[]
  /** All placements with smaller ids have ended. */
  placementsFrom(): bigint
}

export function watchLeases(): LeaseWatch {
  const watch = detectStaleLeases(keyOf, LEASE_MS)
  const oldest = trackOldestPlacement()
  return {
    abandoned(held, read) {
      oldest.saw(held, read)
      return watch(held, read)
    },
    placementsFrom: oldest.id,
  }
}

/** Each claim has a new attempt number, so the next claim of a delivery has another key. */
function keyOf({ delivery_id, attempts }: HeldClaim): string {
  return `${delivery_id}/${attempts}`
}

/**
 * Every transaction that took an id has ended after this time, because the database ends a
 * transaction that is silent for 5 s.
 */
const COMMITTED_MS = 60_000

/**
 * Tracks the oldest placement. A placement with a smaller id may be committed later, so the id is
 * used only after a delay.
 */
function trackOldestPlacement() {
  let id = 0n
  let next: { readonly id: bigint; readonly at: number } | undefined
  return {
    id: () => id,
    saw(held: readonly HeldClaim[], { begun, ended }: ReadingSpan) {
      const [first] = held.filter((claim) => !isReleasable(claim)).map((claim) => claim.delivery_id)
      if (next !== undefined && begun - next.at >= COMMITTED_MS) {
        id = first !== undefined && first < next.id ? first : next.id
        next = undefined
      }
      if (first !== undefined) next ??= { id: first, at: ended }
    },
  }
}
