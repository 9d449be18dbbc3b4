/**
 * Journal of the calls on the wire and their answers (W-30).
 *
 * A call is answered before it is stored, so no call waits for the journal. Calls are collected in
 * segments and stored together. A crash loses at most the calls of the last second.
 *
 * Invariant: the journal is bounded. The number of waiting segments is limited, calls without a
 * valid signature are stored up to a rate limit, and old days are dropped whole. Omitted calls are
 * counted.
 */

import { withTimeout } from '@purser/runtime/async/timeouts'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { type Db, statement } from '../database/db.ts'
import type { AnsweredCall } from './journal-record.ts'
import { type JournalSchema, rotateJournal } from './journal-retention.ts'
import { type ClosedSegment, JournalSegment } from './journal-segment.ts'
import { createDailyQuota, createTokenBucket } from './token-bucket.ts'

export type { JournalSchema } from './journal-retention.ts'

export interface CallJournal {
  /** False: no calls are stored. */
  readonly isOn: boolean
  /** Never waits or throws. */
  add(call: AnsweredCall): void
  /**
   * Calls omitted since the start: too many at once, too many unverified, or the database was down.
   */
  lost(): number
  /** Writes the waiting calls and ends. */
  stop(): Promise<void>
}

export interface CallJournalDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly schema: JournalSchema
  /** Days that are stored, in addition to today. */
  readonly days: number
}

const WRITE_MS = 500
/** Milliseconds to write the last calls at the end, because the database may not answer. */
const STOP_MS = 2_000
const MAX_SEGMENTS_PER_WRITE = 8
/** Some seconds of a busy wallet. */
const MAX_WAITING_SEGMENTS = 80
/** Stored calls without a valid signature: first a burst, then a number per second. */
const UNVERIFIED_BURST = 100
const UNVERIFIED_PER_SECOND = 1
/** Calls per process and day on the embedded database, which is for trials. */
const EMBEDDED_PER_DAY = 100_000

/** With 0 days no call is stored, and all stored days are dropped. */
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
      isStopping = true // a database that does not answer is tried only once
      await withTimeout(write().then(write), STOP_MS, () => undefined)
    },
  }
}

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

/** An error here costs one entry of the journal, and never the answer to the call. */
function tryAdd(segment: JournalSegment, call: AnsweredCall, now: number): boolean {
  try {
    segment.add(call, now)
    return true
  } catch {
    return false
  }
}

/** Writes segments in a transaction of their own. Returns false if that failed. */
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
      log.warn({ err: error }, 'the journal could not begin a new day') // its partition has existed since yesterday
    }
  }
  return async (segments) => {
    try {
      await rotate(formatDay(clock.now()))
      if (!isKept) return true // the owner of the tables disabled the journal
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
