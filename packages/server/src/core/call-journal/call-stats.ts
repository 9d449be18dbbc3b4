/**
 * Statistics of the calls of the last hour: results and durations, by minute and by party, which is
 * a platform or a partner.
 *
 * Invariant: a call is counted once, by the process that answered or made it. Every few seconds
 * each process adds its counts to rows that all processes share. A crash loses the counts of the
 * last seconds, and no call waits for a count.
 */

import { withTimeout } from '@purser/runtime/async/timeouts'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { type Db, type Row, statement } from '../database/db.ts'

type Schema = 'purser' | 'platform'

export const CALL_STATS_RESULTS = ['accepted', 'refused', 'failed'] as const
/** `failed`: the result is unknown. */
export type CallStatsResult = (typeof CALL_STATS_RESULTS)[number]

export interface CallStatsMinute extends Record<CallStatsResult, number> {
  /** The start of the minute, in milliseconds since 1970. */
  readonly at: number
  readonly name: string
  /**
   * Calls by duration: each element counts durations up to its bound in HISTOGRAM_BOUNDS_MS, and
   * above the previous one. The last element counts all longer ones.
   */
  readonly durations: readonly number[]
}

export interface CallStats {
  /** Never waits or throws. */
  add(name: string, result: CallStatsResult, ms: number): void
  /** Writes its own counts, then reads the counts of every process. The rows have no order. */
  read(): Promise<CallStatsMinute[]>
  start(): void
  /** Writes the remaining counts. */
  stop(): Promise<void>
}

/** Milliseconds. Two bounds are the time limits of calls: 4 s and 5 s (C-2). */
export const HISTOGRAM_BOUNDS_MS = [
  1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 170, 300, 500, 800, 1_300, 2_200, 4_000, 5_000, 10_000,
]
export const MINUTE_MS = 60_000
/** In addition to the current minute. */
export const SHOWN_MINUTES = 60
/** More slots than shown minutes, so that no slot is reused while it is read. */
const SLOTS = 64
const WRITE_MS = 2_000
/** Milliseconds to write the last counts at the end. */
const STOP_MS = 1_000
/** Rows that wait while the database is down; the oldest are dropped first. */
const MAX_WAITING_COUNTS = 4_096

interface Counts extends Record<CallStatsResult, number> {
  readonly durations: number[]
}

interface WaitingRow extends Counts {
  readonly at: number
  readonly name: string
}

export interface CallStatsDeps {
  readonly db: Pick<Db, 'transaction' | 'userQueries'>
  readonly clock: Clock
  readonly log: Logger
  readonly schema: Schema
}

export function createCallStats({ db, clock, log, schema }: CallStatsDeps): CallStats {
  const { add, read } = STATEMENTS[schema]
  /** Counts since the last write. They belong to the minute in which they are written. */
  const fresh = new Map<string, Counts>()
  let waiting: WaitingRow[] = []
  let cancel = () => {}
  let writing: Promise<void> | undefined

  const writeAll = async () => {
    if (fresh.size + waiting.length === 0) return
    const at = startOfMinute(clock.now())
    const isShown = (row: WaitingRow) => row.at > at - SHOWN_MINUTES * MINUTE_MS
    const counted = [...fresh].map(([name, counts]) => ({ at, name, ...counts }))
    fresh.clear()
    waiting = [...waiting.filter(isShown), ...counted].slice(-MAX_WAITING_COUNTS).sort(compareRows)
    try {
      await db.transaction(async (tx) => {
        await Promise.all(waiting.map((row) => tx.execute(add, toValues(row))))
      })
      waiting = []
    } catch (error) {
      log.debug({ err: error }, 'the counts of calls could not be stored; they are kept for the next attempt')
    }
  }
  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }
  return {
    add(name, result, ms) {
      const counts = fresh.get(name) ?? beginCounts(fresh, name)
      counts[result] += 1
      const boundIndex = findBoundIndex(ms)
      counts.durations[boundIndex] = (counts.durations[boundIndex] ?? 0) + 1
    },
    async read() {
      await write()
      const since = new Date(startOfMinute(clock.now()) - SHOWN_MINUTES * MINUTE_MS)
      return (await db.userQueries.query<MinuteRow>(read, [since])).map(toMinute)
    },
    start() {
      cancel = environment.setRepeatingTimer(WRITE_MS, () => void write())
    },
    async stop() {
      cancel()
      await withTimeout(write(), STOP_MS, () => undefined)
    },
  }
}

export function startOfMinute(time: Date): number {
  return Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS
}

function beginCounts(fresh: Map<string, Counts>, name: string): Counts {
  const counts = {
    accepted: 0,
    refused: 0,
    failed: 0,
    durations: Array<number>(HISTOGRAM_BOUNDS_MS.length + 1).fill(0),
  }
  fresh.set(name, counts)
  return counts
}

function findBoundIndex(ms: number): number {
  const boundIndex = HISTOGRAM_BOUNDS_MS.findIndex((most) => ms <= most)
  return boundIndex === -1 ? HISTOGRAM_BOUNDS_MS.length : boundIndex
}

const slotOf = (at: number) => (at / MINUTE_MS) % SLOTS

/** All processes lock rows in the same order, which prevents deadlocks. */
function compareRows(a: WaitingRow, b: WaitingRow): number {
  return slotOf(a.at) - slotOf(b.at) || (a.name < b.name ? -1 : 1)
}

function toValues({ at, name, accepted, refused, failed, durations }: WaitingRow): unknown[] {
  return [slotOf(at), name, new Date(at), accepted, refused, failed, durations]
}

interface MinuteRow extends Row {
  name: string
  minute: Date
  accepted: bigint
  refused: bigint
  failed: bigint
  durations: string
}

function toMinute({ name, minute, durations, ...row }: MinuteRow): CallStatsMinute {
  const [accepted, refused, failed] = CALL_STATS_RESULTS.map((result) => Number.parseInt(String(row[result]), 10))
  return {
    ...{ at: minute.getTime(), name, accepted: accepted ?? 0, refused: refused ?? 0, failed: failed ?? 0 },
    durations: durations.split(',').map((calls) => Number.parseInt(calls, 10)),
  }
}

const STATEMENTS = { purser: createStatements('purser'), platform: createStatements('platform') }

function createStatements(schema: Schema) {
  const isSame = 'm.minute = excluded.minute'
  const both = CALL_STATS_RESULTS.map(
    (name) => `${name} = excluded.${name} + case when ${isSame} then m.${name} else 0 end`,
  )
  return {
    add: statement(
      `${schema}_add_minute`,
      `insert into ${schema}.call_stats as m (slot, name, minute, accepted, refused, failed, durations)
       values ($1::smallint, $2::text, $3::timestamptz, $4::bigint, $5::bigint, $6::bigint, $7::bigint[])
       on conflict (slot, name) do update set minute = excluded.minute, ${both.join(', ')},
         durations = case when ${isSame} then (
           select array_agg(coalesce(a, 0) + coalesce(b, 0) order by i)
           from unnest(m.durations, excluded.durations) with ordinality as t (a, b, i)
         ) else excluded.durations end
       where m.minute <= excluded.minute`,
    ),
    read: statement(
      `${schema}_read_minutes`,
      `select name, minute, accepted, refused, failed, array_to_string(durations, ',') as durations
       from ${schema}.call_stats where minute >= $1::timestamptz`,
    ),
  }
}
