/** What a monitoring system scrapes from a platform (Prometheus text). No label is unbounded: no partner, player or bet. */
import { Counter, Gauge, Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import { type Db, type Row, statement } from '../db/db.ts'
import { remembered } from '../remembered.ts'
import type { DeliveryKind } from './schedule.ts'

export interface PlatformMetrics {
  attempted(operation: DeliveryKind, error: string): void
  delivered(operation: DeliveryKind, outcome: string): void
  text(): Promise<string>
  readonly contentType: string
}

const NUMBER = (status: string) => `(select count(*) from platform.delivery where status = '${status}')`
const OLDEST = (status: string) =>
  `(select decided_at from platform.delivery where status = '${status}' order by delivery_id limit 1)`
/** C-9, of bets with a delivery in this state: decided, not acknowledged, and nothing is under way. A bet has one of them at most. */
const OWED = (state: string) => `(select count(*) from platform.delivery d join platform.bet b on b.bet_id = d.bet_id
  where ${state} and d.operation <> 'place' and (b.payout, b.result_type,
    case b.status when 'accepted' then 'open' when 'declined' then null else b.status end)
    is distinct from (b.told_payout, b.told_result_type, b.told_status))`
const OWED_BETS = [
  "d.status = 'refused' and d.number = b.deliveries",
  "d.status = 'stuck'",
  "d.status = 'pending' and d.code is not null", // tried again after a 400 that does not end it (C-5)
]
/** One status at a time, so that each is read from the partial index and never from the whole table. */
const BACKLOG = statement(
  'platform_backlog',
  `select ${NUMBER('pending')} + ${NUMBER('waiting')} as pending, ${NUMBER('stuck')} as stuck,
     ${OWED_BETS.map(OWED).join(' + ')} as owed,
     least(${OLDEST('pending')}, ${OLDEST('waiting')}) as oldest`,
)

interface Backlog extends Row {
  pending: bigint
  stuck: bigint
  owed: bigint
  oldest: Date | null
}

/** Milliseconds for which a count holds: it reads every delivery that is not over, and a scrape needs no key. */
const BACKLOG_MS = 5_000

export function createPlatformMetrics(db: Db, clock: Clock): PlatformMetrics {
  const registry = new Registry()
  const registers = [registry]
  const deliveries = new Counter({
    name: 'platform_deliveries_total',
    help: 'Deliveries that are over',
    labelNames: ['operation', 'outcome'],
    registers,
  })
  const attempts = new Counter({
    name: 'platform_delivery_attempts_total',
    help: 'Calls made for deliveries',
    labelNames: ['operation', 'error'],
    registers,
  })
  const pending = new Gauge({ name: 'platform_deliveries_pending', help: 'Deliveries that are not over', registers })
  const stuck = new Gauge({
    name: 'platform_deliveries_stuck',
    help: 'Deliveries that were given up and wait for a person',
    registers,
  })
  const owed = new Gauge({
    name: 'platform_bets_owed',
    help: 'Bets of which something was decided that the partner has not acknowledged, with nothing under way',
    registers,
  })
  const oldest = new Gauge({
    name: 'platform_oldest_pending_seconds',
    help: 'Age of the oldest delivery that is not over',
    registers,
  })
  const readBacklog = remembered(
    async () => (await db.people.query<Backlog>(BACKLOG))[0],
    BACKLOG_MS,
    () => clock.now().getTime(),
  )
  return {
    attempted: (operation, error) => attempts.inc({ operation, error }),
    delivered: (operation, outcome) => deliveries.inc({ operation, outcome }),
    async text() {
      const row = await readBacklog()
      pending.set(Number.parseInt(String(row?.pending ?? 0n), 10))
      owed.set(Number.parseInt(String(row?.owed ?? 0n), 10))
      stuck.set(Number.parseInt(String(row?.stuck ?? 0n), 10))
      oldest.set(row?.oldest ? (clock.now().getTime() - row.oldest.getTime()) / 1_000 : 0)
      return registry.metrics()
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }
}
