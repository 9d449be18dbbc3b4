/**
 * Prometheus metrics of the platform. Every label is bounded: no label is a partner, player or bet.
 */
import type { Clock } from '@purser/runtime/clock'
import { type Db, INDEX_PLANS_ONLY, type Row, statement } from '../core/database/db.ts'
import { createLabelledCounter } from '../core/observability/labelled-counter.ts'
import { type CachedMetric, createDatabaseMetric, formatMetric } from '../core/observability/metrics-exposition.ts'
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
  const deliveries = createLabelledCounter('platform_deliveries_total', 'Deliveries that have ended', [
    'operation',
    'outcome',
  ])
  const attempts = createLabelledCounter('platform_delivery_attempts_total', 'Attempts of deliveries', [
    'operation',
    'error',
  ])
  let [unrecorded, refusedSignatures] = [0, 0]
  const formatOwn = () => [
    formatMetric(
      'platform_answers_unrecorded_total',
      'counter',
      'Answers that the database could not record, so their deliveries are sent again',
      [[{}, unrecorded]],
    ),
    formatMetric(
      'platform_signatures_refused_total',
      'counter',
      'Calls that a partner answered with code 1, because it knows none of the secrets',
      [[{}, refusedSignatures]],
    ),
    formatMetric('platform_partners_down', 'gauge', 'Partners with an open circuit breaker in this process', [
      [{}, [...breakers.all()].filter((breaker) => breaker.state().kind !== 'up').length],
    ]),
  ]
  const stored = createDatabaseMetric('deliveries', async () => formatBacklog(await readBacklog(db), clock), elapsed)
  return {
    attempted: attempts.increment,
    delivered: deliveries.increment,
    unrecorded() {
      unrecorded += 1
    },
    signatureRefused() {
      refusedSignatures += 1
    },
    text: async () => [deliveries.text(), attempts.text(), ...formatOwn(), await stored.text()].join(''),
    age: stored.age,
  }
}

type BacklogReading = [Backlog | undefined, PendingResultsRow | undefined, OwedSum[]]

function formatBacklog([row, results, owed]: BacklogReading, clock: Clock): string {
  const gauge = (name: string, help: string, value: number | bigint) => formatMetric(name, 'gauge', help, [[{}, value]])
  const ageOf = (since: Date | null | undefined) => (since ? (clock.now().getTime() - since.getTime()) / 1_000 : 0)
  return [
    gauge('platform_deliveries_pending', 'Open deliveries', row?.pending ?? 0n),
    gauge(
      'platform_deliveries_stuck',
      'Stuck deliveries: their attempts are exhausted and they need attention',
      row?.stuck ?? 0n,
    ),
    gauge('platform_oldest_pending_seconds', 'Age of the oldest open delivery', ageOf(row?.oldest)),
    gauge(
      'platform_results_pending',
      'Events whose results are not yet applied to all of their bets',
      results?.events ?? 0n,
    ),
    gauge('platform_oldest_pending_results_seconds', 'Age of the oldest of these events', ageOf(results?.oldest)),
    formatOwed(owed),
  ].join('')
}

/**
 * Uses the long time limit of sums, because counting millions of deliveries takes seconds. Only
 * index plans are allowed, because Postgres would otherwise read the whole table.
 */
function readBacklog(db: Db): Promise<BacklogReading> {
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
function formatOwed(sums: readonly OwedSum[]): string {
  const countOf = (counted: readonly OwedSum[]) => counted.reduce((total, { count }) => total + BigInt(count), 0n)
  const byCurrency = new Map<string, number>()
  for (const { currency, approximate } of sums) byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + approximate)
  return [
    formatMetric(
      'platform_deliveries_refused',
      'gauge',
      'Deliveries that the partner rejected and that need attention',
      [[{}, countOf(sums.filter(({ kind }) => kind === 'refused'))]],
    ),
    formatMetric(
      'platform_bets_owed',
      'gauge',
      'Bets with a delivery that needs attention: rejected, stuck, or retried after a 400 or after six minutes without an answer',
      [[{}, countOf(sums)]],
    ),
    formatMetric(
      'platform_owed_amount',
      'gauge',
      'Outstanding amounts in both directions of the deliveries that need attention, in units of the currency',
      [...byCurrency].map(([currency, amount]) => [{ currency }, amount]),
    ),
  ].join('')
}
