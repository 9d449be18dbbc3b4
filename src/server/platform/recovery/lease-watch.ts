/**
 * What is held: claims and placements, of all processes on this database. Whoever holds one answers for it, or has died: then another
 * process that has watched it for a whole lease releases it (C-12), or gives the placement up (C-1).
 */
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { IN_LANE } from '../delivery/delivery-claim.ts'
import { computeNextAttempt, MAX_RESULT_GAP_MS, ROLLBACK_WINDOW_MS } from '../delivery/retry-backoff.ts'
import { type DeliveryKind, LEASE_MS, START_WITHIN_MS, statusColumn } from '../store/outbox.ts'
import { detectStaleLeases, type ReadingSpan } from './stale-lease-detector.ts'

/** What a process holds, or held when it died. */
export interface HeldClaim extends Record<string, unknown> {
  readonly delivery_id: bigint
  readonly bet_id: string
  readonly operation: 'place' | DeliveryKind
  readonly attempts: number
  readonly attempts_before: number
  readonly first_attempt_at: Date
}

/** One that becomes due again when it is abandoned; a placement is given up (C-1). */
export type Releasable = HeldClaim & { readonly operation: DeliveryKind }

export function isReleasable(claim: HeldClaim): claim is Releasable {
  return claim.operation !== 'place'
}

/**
 * Deliveries at the front of each lane among which claims are looked for, and placements. What was due first is claimed first, so claims
 * that nobody answers for are there, or come there as those before them end.
 */
const MAX_SCANNED_CLAIMS = 2_000

/** In SQL, as the index delivery_placing has it: so no statistics choose another one. */
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
 * Of all processes on this database. A Place bet is held by the process that places it until its answer is recorded; those with smaller
 * ids than `placementsFrom` are over.
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

/** Makes deliveries due again whose claims are abandoned. A claim that has ended meanwhile is left alone. `random` is from 0 to 1. */
export function releaseClaims(tx: Tx, claims: readonly Releasable[], now: Date, random: number): Promise<number> {
  return tx.execute(
    RELEASE,
    RELEASED.values(claims.map((claim) => ({ claim, dueAt: planRelease(claim, now, random) }))),
  )
}

/**
 * As after an attempt of which nobody knows the outcome, so that a rollback keeps its times (C-4). The attempt began at some time after
 * its claim, which has been watched for a lease. A rollback that may not be tried again is due when its time is over: who claims it then
 * says so. A result may be one that the database refuses to end (C-15): it keeps its longest gap, however long that goes on.
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
  /** Takes all claims that are held, by whomever; gives those that were held, unchanged, for a whole lease. */
  abandoned(held: readonly HeldClaim[], read: ReadingSpan): HeldClaim[]
  /** All placements with smaller ids are over. */
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

/** Each claim counts the attempt, so that the next claim of a delivery has another key. */
function keyOf({ delivery_id, attempts }: HeldClaim): string {
  return `${delivery_id}/${attempts}`
}

/** Milliseconds after which each transaction that had taken an id is over: the database ends one that is silent for 5 s. */
const COMMITTED_MS = 60_000

/** The oldest placement that was seen. It may have been seen before one with a smaller id was committed, so it counts a while later. */
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
