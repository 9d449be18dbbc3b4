/**
 * The journal of calls (W-30): what came over the wire and what it was answered, for some days. Calls are gathered and written in bulk,
 * after their answers: nothing waits for the journal. What was not written yet is lost in a crash, at most the last second.
 *
 * Invariant: the journal is bounded. So many calls wait at most, so many of strangers are kept per second, the oldest day is dropped
 * whole; what is left out is counted.
 */

import { withTimeout } from '../../../runtime/async/promise-timeout.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { environment } from '../../../runtime/environment.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { type Db, statement } from '../database/db.ts'
import type { AnsweredCall } from './journal-record.ts'
import { type JournalSchema, rotateJournal } from './journal-retention.ts'
import { type ClosedSegment, JournalSegment } from './journal-segment.ts'
import { createDailyQuota, createTokenBucket } from './token-bucket.ts'

export type { JournalSchema } from './journal-retention.ts'

export interface CallJournal {
  /** Whether calls are kept at all. */
  readonly isOn: boolean
  /** Never waits, never throws. */
  add(call: AnsweredCall): void
  /** Calls that were left out since the start: too many at once, too many of strangers, or the database was not there. */
  lost(): number
  /** Writes what waits, and ends. */
  stop(): Promise<void>
}

export interface CallJournalDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly schema: JournalSchema
  /** Days that are kept beside today. */
  readonly days: number
}

/** Milliseconds between two writes. */
const WRITE_MS = 500
/** Milliseconds that a process that ends waits for its last calls to be written: its database may be silent. */
const STOP_MS = 2_000
/** Chunks that are written together at most. */
const MAX_SEGMENTS_PER_WRITE = 8
/** Chunks that wait to be written at most: some seconds of a busy wallet. */
const MAX_WAITING_SEGMENTS = 80
/** Calls of strangers (no secret verifies them) that are kept: so many at once, then so many a second. */
const UNVERIFIED_BURST = 100
const UNVERIFIED_PER_SECOND = 1
/** Calls that one process keeps a day on the embedded database, which is for trying things out. */
const EMBEDDED_PER_DAY = 100_000

/** No days: no journal, and none is left. */
export function createCallJournal(deps: CallJournalDeps): CallJournal {
  if (deps.days === 0) return createDisabledJournal(deps)
  const { db, clock } = deps
  const writeSegments = createSegmentWriter(deps)
  const unverifiedTokens = createTokenBucket(UNVERIFIED_BURST, UNVERIFIED_PER_SECOND)
  const dailyQuota = createDailyQuota(db.kind === 'pglite' ? EMBEDDED_PER_DAY : Number.POSITIVE_INFINITY)
  const full: ClosedSegment[] = []
  const open = new JournalSegment()
  let lost = 0
  let writing: Promise<void> | undefined
  let isStopping = false

  const closeSegment = () => {
    if (open.calls > 0) full.push(open.close())
  }
  const writeAll = async () => {
    closeSegment()
    for (
      let segments = full.splice(0, MAX_SEGMENTS_PER_WRITE);
      segments.length > 0;
      segments = full.splice(0, MAX_SEGMENTS_PER_WRITE)
    ) {
      if (await writeSegments(segments)) continue
      const missed = isStopping ? [...segments, ...full.splice(0)] : segments
      lost += missed.reduce((sum, { calls }) => sum + calls, 0)
    }
  }
  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }
  const cancel = environment.setRepeatingTimer(WRITE_MS, () => void write())
  return {
    isOn: true,
    add(call) {
      const now = clock.now().getTime()
      const isKept =
        full.length < MAX_WAITING_SEGMENTS &&
        (call.secret !== undefined || unverifiedTokens.take()) &&
        dailyQuota.take(now)
      if (open.isExpired(now)) closeSegment()
      if (!isKept || !tryAdd(open, call, now)) lost += 1
      if (open.isFull()) closeSegment()
    },
    lost: () => lost,
    async stop() {
      cancel()
      isStopping = true // a database that is silent is waited for once
      await withTimeout(write().then(write), STOP_MS, () => undefined)
    },
  }
}

/** What an earlier start has kept goes, every day of it. */
function createDisabledJournal(deps: CallJournalDeps): CallJournal {
  const dropped = rotateJournal(deps).then(
    () => {},
    (error: unknown) => deps.log.warn({ err: error }, 'the disabled journal could not be dropped'),
  )
  return {
    ...{ isOn: false, add() {}, lost: () => 0 },
    stop: () => withTimeout(dropped, STOP_MS, () => undefined),
  }
}

/** Whatever a body holds, its call is answered: a defect here costs a line of the journal. */
function tryAdd(segment: JournalSegment, call: AnsweredCall, now: number): boolean {
  try {
    segment.add(call, now)
    return true
  } catch {
    return false
  }
}

/** Writes chunks in a transaction of their own; resolves to whether they are there. */
function createSegmentWriter(deps: CallJournalDeps): (segments: readonly ClosedSegment[]) => Promise<boolean> {
  const { db, clock, log, schema } = deps
  const insert = INSERT[schema]
  let rotatedOn = ''
  let isKept = true

  const rotate = async (day: string) => {
    if (rotatedOn === day) return
    try {
      isKept = (await rotateJournal(deps)) > 0
      rotatedOn = day
    } catch (error) {
      log.warn({ err: error }, 'the journal could not begin a new day') // its partition is there since yesterday
    }
  }
  return async (segments) => {
    try {
      await rotate(formatDay(clock.now()))
      if (!isKept) return true // The owner of the tables keeps no journal.
      await db.transaction(async (tx) => {
        await Promise.all(segments.map((segment) => tx.execute(insert, toValues(segment))))
      })
      return true
    } catch (error) {
      rotatedOn = ''
      const calls = segments.reduce((sum, segment) => sum + segment.calls, 0)
      log.warn({ err: error, calls }, 'calls are missing in the journal')
      return false
    }
  }
}

function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10)
}

const INSERT = { purser: defineInsert('purser'), gateway: defineInsert('gateway') }

function defineInsert(schema: JournalSchema) {
  return statement(
    `${schema}_insert_journal`,
    `insert into ${schema}.journal (at, chunk, since, calls, slowest, keys, bytes)
     values ($1::timestamptz, $2::uuid, $3::timestamptz, $4::int, $5::real, $6::int[], $7::bytea)`,
  )
}

function toValues({ at, since, calls, slowestMs, keys, bytes }: ClosedSegment): unknown[] {
  return [new Date(at), environment.uuid(), new Date(since), calls, slowestMs, keys, bytes]
}
