/**
 * The journal of calls (W-30): what came over the wire and what it was answered, for some days. Calls are gathered and written in bulk,
 * after their answers: nothing waits for the journal. What was not written yet is lost in a crash, at most the last second.
 *
 * Invariant: the journal is bounded. So many calls wait at most, so many of strangers are kept per second, the oldest day is dropped
 * whole; what is left out is counted.
 */
import { type Db, statement } from '../db/db.ts'
import type { Clock } from '../runtime/clock.ts'
import { inTime } from '../runtime/in-time.ts'
import type { Logger } from '../runtime/logger.ts'
import { world } from '../runtime/world.ts'
import { createAllowance, createDay } from './allowance.ts'
import { Chunk, type ClosedChunk } from './chunk.ts'
import { type JournalSchema, turnJournal } from './journal-retention.ts'
import type { JournalCall } from './record.ts'

export type { JournalSchema } from './journal-retention.ts'

export interface Journal {
  /** Whether calls are kept at all. */
  readonly isOn: boolean
  /** Never waits, never throws. */
  add(call: JournalCall): void
  /** Calls that were left out since the start: too many at once, too many of strangers, or the database was not there. */
  lost(): number
  /** Writes what waits, and ends. */
  stop(): Promise<void>
}

export interface JournalDeps {
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
const MOST_TOGETHER = 8
/** Chunks that wait to be written at most: some seconds of a busy wallet. */
const MAX_WAITING = 80
/** Calls of strangers (no secret verifies them) that are kept: so many at once, then so many a second. */
const STRANGERS_AT_ONCE = 100
const STRANGERS_PER_SECOND = 1
/** Calls that one process keeps a day on the embedded database, which is for trying things out. */
const EMBEDDED_PER_DAY = 100_000

/** No days: no journal, and none is left. */
export function createJournal(deps: JournalDeps): Journal {
  if (deps.days === 0) return createNone(deps)
  const { db, clock } = deps
  const writeChunks = createWriter(deps)
  const strangers = createAllowance(STRANGERS_AT_ONCE, STRANGERS_PER_SECOND)
  const today = createDay(db.kind === 'pglite' ? EMBEDDED_PER_DAY : Number.POSITIVE_INFINITY)
  const full: ClosedChunk[] = []
  const open = new Chunk()
  let lost = 0
  let writing: Promise<void> | undefined
  let isStopping = false

  const closeChunk = () => {
    if (open.calls > 0) full.push(open.close())
  }
  const writeAll = async () => {
    closeChunk()
    for (let chunks = full.splice(0, MOST_TOGETHER); chunks.length > 0; chunks = full.splice(0, MOST_TOGETHER)) {
      if (await writeChunks(chunks)) continue
      const missed = isStopping ? [...chunks, ...full.splice(0)] : chunks
      lost += missed.reduce((sum, { calls }) => sum + calls, 0)
    }
  }
  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }
  const cancel = world.every(WRITE_MS, () => void write())
  return {
    isOn: true,
    add(call) {
      const now = clock.now().getTime()
      const isKept = full.length < MAX_WAITING && (call.secret !== undefined || strangers.take()) && today.take(now)
      if (open.isOver(now)) closeChunk()
      if (!isKept || !tryToAdd(open, call, now)) lost += 1
      if (open.isFull()) closeChunk()
    },
    lost: () => lost,
    async stop() {
      cancel()
      isStopping = true // a database that is silent is waited for once
      await inTime(write().then(write), STOP_MS, () => undefined)
    },
  }
}

/** What an earlier start has kept goes, every day of it. */
function createNone(deps: JournalDeps): Journal {
  const gone = turnJournal(deps).then(
    () => {},
    (error: unknown) => deps.log.warn({ err: error }, 'the journal that is not wanted any more could not be dropped'),
  )
  return {
    ...{ isOn: false, add() {}, lost: () => 0 },
    stop: () => inTime(gone, STOP_MS, () => undefined),
  }
}

/** Whatever a body holds, its call is answered: a defect here costs a line of the journal. */
function tryToAdd(chunk: Chunk, call: JournalCall, now: number): boolean {
  try {
    chunk.add(call, now)
    return true
  } catch {
    return false
  }
}

/** Writes chunks in a transaction of their own; resolves to whether they are there. */
function createWriter(deps: JournalDeps): (chunks: readonly ClosedChunk[]) => Promise<boolean> {
  const { db, clock, log, schema } = deps
  const insert = INSERT[schema]
  let turnedOn = ''
  let isKept = true

  const turn = async (day: string) => {
    if (turnedOn === day) return
    try {
      isKept = (await turnJournal(deps)) > 0
      turnedOn = day
    } catch (error) {
      log.warn({ err: error }, 'the journal could not turn to a new day') // its partition is there since yesterday
    }
  }
  return async (chunks) => {
    try {
      await turn(dayOf(clock.now()))
      if (!isKept) return true // The owner of the tables keeps no journal.
      await db.transaction(async (tx) => {
        await Promise.all(chunks.map((chunk) => tx.execute(insert, valuesOf(chunk))))
      })
      return true
    } catch (error) {
      turnedOn = ''
      const calls = chunks.reduce((sum, chunk) => sum + chunk.calls, 0)
      log.warn({ err: error, calls }, 'calls are missing in the journal')
      return false
    }
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

const INSERT = { purser: insertInto('purser'), gateway: insertInto('gateway') }

function insertInto(schema: JournalSchema) {
  return statement(
    `${schema}_insert_journal`,
    `insert into ${schema}.journal (at, chunk, since, calls, slowest, keys, bytes)
     values ($1::timestamptz, $2::uuid, $3::timestamptz, $4::int, $5::real, $6::int[], $7::bytea)`,
  )
}

function valuesOf({ at, since, calls, slowestMs, keys, bytes }: ClosedChunk): unknown[] {
  return [new Date(at), world.uuid(), new Date(since), calls, slowestMs, keys, bytes]
}
