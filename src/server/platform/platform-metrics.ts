/**
 * Prometheus metrics of the platform. Every label is bounded: no label is a partner, player or bet.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from '../../runtime/clock.ts'
import { type Db, INDEX_PLANS_ONLY, type Row, statement } from '../core/database/db.ts'
import { type CachedMetric, createDatabaseMetric } from '../core/observability/metrics-exposition.ts'
import type { CircuitBreakers } from './circuit-breaker.ts'
import { type OwedSum, sumOwed } from './store/needs-attention.ts'
import type { DeliveryKind } from './store/outbox.ts'

export interface PlatformMetrics extends CachedMetric {
  attempted(operation: DeliveryKind, error: string): void
  delivered(operation: DeliveryKind, outcome: string): void
  /** Neither an answer nor the stuck mark of its delivery could be written (C-15). */
  unrecorded(): void
  /** A partner answered code 1 to every secret. */
  signatureRefused(): void
  text(): Promise<string>
}

const NUMBER = (status: string) => `(select count(*) from platform.delivery where status = '${status}')`
const OLDEST = (status: string) =>
  `(select decided_at from platform.delivery where status = '${status}' order by delivery_id limit 1)`
/** One status at a time, so that the partial index is read and not the whole table. */
const BACKLOG = statement(
  'platform_backlog',
  `select ${NUMBER('pending')} + ${NUMBER('waiting')} as pending, ${NUMBER('stuck')} as stuck,
     least(${OLDEST('pending')}, ${OLDEST('waiting')}) as oldest`,
)

/** Read from the index `event_results_pending`. */
const RESULTS = statement(
  'platform_results_behind',
  `select count(*) as events, min(coalesce(results_pending_since, results_at)) as oldest from platform.event
   where results_applied < results_version`,
)

const OWED = statement('platform_owed', sumOwed('status'))
const OLDEST_WAITING = statement(
  'platform_oldest_waiting',
  `select least(${OLDEST('pending')}, ${OLDEST('waiting')}) as oldest`,
)

/** Decision time of the oldest unfinished delivery. */
export async function readOldestWaiting({ userQueries }: Pick<Db, 'userQueries'>): Promise<Date | undefined> {
  const [row] = await userQueries.query<{ oldest: Date | null }>(OLDEST_WAITING)
  return row?.oldest ?? undefined
}

interface PendingResultsRow extends Row {
  events: bigint
  oldest: Date | null
}

interface Backlog extends Row {
  pending: bigint
  stuck: bigint
  oldest: Date | null
}

/**
 * `clock` is the clock of the stored times and can step. `elapsed` is monotonic and gives the age
 * of the cached values.
 */
export function createPlatformMetrics(
  db: Db,
  clock: Clock,
  breakers: Pick<CircuitBreakers, 'all'>,
  elapsed: () => number,
): PlatformMetrics {
  const counted = new Registry()
  collectDefaultMetrics({ register: counted })
  const registers = [counted]
  const deliveries = new Counter({
    name: 'platform_deliveries_total',
    help: 'Deliveries that have ended',
    labelNames: ['operation', 'outcome'],
    registers,
  })
  const attempts = new Counter({
    name: 'platform_delivery_attempts_total',
    help: 'Attempts of deliveries',
    labelNames: ['operation', 'error'],
    registers,
  })
  const unrecorded = new Counter({
    name: 'platform_answers_unrecorded_total',
    help: 'Answers that the database could not record, so their deliveries are sent again',
    registers,
  })
  const signatures = new Counter({
    name: 'platform_signatures_refused_total',
    help: 'Calls that a partner answered with code 1, because it knows none of the secrets',
    registers,
  })
  new Gauge({
    name: 'platform_partners_down',
    help: 'Partners with an open circuit breaker in this process',
    registers,
    collect() {
      this.set([...breakers.all()].filter((breaker) => breaker.state().kind !== 'up').length)
    },
  })
  const stored = createBacklogMetrics(db, clock, elapsed)
  return {
    attempted: (operation, error) => attempts.inc({ operation, error }),
    delivered: (operation, outcome) => deliveries.inc({ operation, outcome }),
    unrecorded: () => unrecorded.inc(),
    signatureRefused: () => signatures.inc(),
    text: async () => (await counted.metrics()) + (await stored.text()),
    age: stored.age,
  }
}

function createBacklogMetrics(db: Db, clock: Clock, elapsed: () => number): CachedMetric {
  const registry = new Registry()
  const registers = [registry]
  const pending = new Gauge({ name: 'platform_deliveries_pending', help: 'Open deliveries', registers })
  const stuck = new Gauge({
    name: 'platform_deliveries_stuck',
    help: 'Stuck deliveries: their attempts are exhausted and they need attention',
    registers,
  })
  const oldest = new Gauge({
    name: 'platform_oldest_pending_seconds',
    help: 'Age of the oldest open delivery',
    registers,
  })
  const events = new Gauge({
    name: 'platform_results_pending',
    help: 'Events whose results are not yet applied to all of their bets',
    registers,
  })
  const oldestResults = new Gauge({
    name: 'platform_oldest_pending_results_seconds',
    help: 'Age of the oldest of these events',
    registers,
  })
  const setOwed = createOwedGauges(registry)
  const ageOf = (since: Date | null | undefined) => (since ? (clock.now().getTime() - since.getTime()) / 1_000 : 0)
  return createDatabaseMetric(
    'deliveries',
    async () => {
      const [row, pendingResults, owed] = await readBacklog(db)
      setOwed(owed)
      pending.set(Number.parseInt(String(row?.pending ?? 0n), 10))
      stuck.set(Number.parseInt(String(row?.stuck ?? 0n), 10))
      oldest.set(ageOf(row?.oldest))
      events.set(Number.parseInt(String(pendingResults?.events ?? 0n), 10))
      oldestResults.set(ageOf(pendingResults?.oldest))
      return registry.metrics()
    },
    elapsed,
  )
}

/**
 * Uses the long time limit of sums, because counting millions of deliveries takes seconds. Only
 * index plans are allowed, because Postgres would otherwise read the whole table.
 */
function readBacklog(db: Db): Promise<[Backlog | undefined, PendingResultsRow | undefined, OwedSum[]]> {
  return db.reportSnapshot(async (tx) => {
    const [, [row], [pendingResults], owed] = await Promise.all([
      tx.query(INDEX_PLANS_ONLY),
      tx.query<Backlog>(BACKLOG),
      tx.query<PendingResultsRow>(RESULTS),
      tx.query<OwedSum>(OWED),
    ])
    return [row, pendingResults, owed]
  })
}

/**
 * Deliveries that need attention (C-9), at most one per bet. The settings bound the number of
 * currencies.
 */
function createOwedGauges(registry: Registry): (sums: readonly OwedSum[]) => void {
  const registers = [registry]
  const refused = new Gauge({
    name: 'platform_deliveries_refused',
    help: 'Deliveries that the partner rejected and that need attention',
    registers,
  })
  const owed = new Gauge({
    name: 'platform_bets_owed',
    help: 'Bets with a delivery that needs attention: rejected, stuck, or retried after a 400 or after six minutes without an answer',
    registers,
  })
  const amount = new Gauge({
    name: 'platform_owed_amount',
    help: 'Outstanding amounts in both directions of the deliveries that need attention, in units of the currency',
    labelNames: ['currency'],
    registers,
  })
  const total = (sums: readonly OwedSum[]) =>
    sums.reduce((count, sum) => count + Number.parseInt(String(sum.count), 10), 0)
  return (sums) => {
    refused.set(total(sums.filter(({ kind }) => kind === 'refused')))
    owed.set(total(sums))
    amount.reset()
    for (const { currency, approximate } of sums) amount.inc({ currency }, approximate)
  }
}
