/**
 * The journal of calls (W-30): what came over the wire and what it was answered, for some days. Calls are gathered and written in bulk,
 * after their answers: nothing waits for the journal. What was not written yet is lost in a crash, at most the last second.
 *
 * Invariant: the journal is bounded. So many calls wait at most, so many of strangers are kept per second, the oldest day is dropped
 * whole; what is left out is counted.
 */
import { randomUUID } from 'node:crypto'
import { type Db, type Statement, statement } from '../db/db.ts'
import type { Clock } from '../runtime/clock.ts'
import { inTime } from '../runtime/in-time.ts'
import type { Logger } from '../runtime/logger.ts'
import { createAllowance, createDay } from './allowance.ts'
import { Chunk, type Place, sha256 } from './chunk.ts'
import { cut, maskedAnswer, maskedProfile } from './masked.ts'

/** Whose journal: the schema of its table. */
export type JournalSchema = 'purser' | 'gateway'

export interface JournalCall {
  /** Milliseconds since its first byte came. */
  readonly ageMs: number
  /** Whose connection it was; behind a proxy the proxy's. */
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string | undefined
  readonly betId?: string | undefined
  readonly requestId?: string | undefined
  /** The place, from 0, of the secret that verified the signature; undefined: none did. */
  readonly secret?: number | undefined
  readonly body: Buffer
  readonly status: number
  /** The body of the answer. */
  readonly answer: string | Buffer
  /** The call's own, where the answer is somebody else's, who may repeat it. */
  readonly token?: string | undefined
  /** Milliseconds from the first byte to the whole body, and from there to the answer. */
  readonly arrivalMs: number
  readonly workMs: number
}

/** A call as it waits to be written; `at` in milliseconds. Nothing in it keeps its request alive. */
interface Kept extends Omit<JournalCall, 'ageMs' | 'body' | 'answer' | 'token'> {
  readonly at: number
  readonly bodyBytes: number
  readonly bodySha256: string
  readonly code: number | undefined
  readonly place: Place
}

/** Calls that are written together. */
interface Batch {
  readonly chunk: Chunk
  readonly calls: Kept[]
}

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
/** Calls that are written together at most. */
const MOST_TOGETHER = 1_000
/** Batches that wait to be written at most: some seconds of a busy wallet. */
const MAX_WAITING = 20
/** Calls of strangers (no secret verifies them) that are kept: so many at once, then so many a second. */
const STRANGERS_AT_ONCE = 100
const STRANGERS_PER_SECOND = 1
/** Calls that one process keeps a day on the embedded database, which is for trying things out. */
const EMBEDDED_PER_DAY = 100_000

/** No days: no journal. */
export function createJournal(deps: JournalDeps): Journal {
  if (deps.days === 0) return { isOn: false, add() {}, lost: () => 0, stop: async () => {} }
  const { db, clock } = deps
  const writeBatch = createWriter(deps)
  const strangers = createAllowance(STRANGERS_AT_ONCE, STRANGERS_PER_SECOND)
  const today = createDay(db.kind === 'pglite' ? EMBEDDED_PER_DAY : Number.POSITIVE_INFINITY)
  const full: Batch[] = []
  let open = newBatch()
  let lost = 0
  let writing: Promise<void> | undefined
  let isStopping = false

  const closeBatch = () => {
    if (open.calls.length > 0) full.push(open)
    open = newBatch()
  }
  const writeAll = async () => {
    closeBatch()
    for (let batch = full.shift(); batch !== undefined; batch = full.shift()) {
      if (await writeBatch(batch)) continue
      const missed = isStopping ? [batch, ...full.splice(0)] : [batch]
      lost += missed.reduce((sum, { calls }) => sum + calls.length, 0)
    }
  }
  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }
  const timer = setInterval(() => void write(), WRITE_MS).unref()
  return {
    isOn: true,
    add(call) {
      const now = clock.now().getTime()
      const isKept = full.length < MAX_WAITING && (call.secret !== undefined || strangers.take()) && today.take(now)
      const kept = isKept ? tryToKeep(call, now, open.chunk) : undefined
      if (kept === undefined) lost += 1
      else open.calls.push(kept)
      if (open.calls.length >= MOST_TOGETHER || open.chunk.isFull()) closeBatch()
    },
    lost: () => lost,
    async stop() {
      clearInterval(timer)
      isStopping = true // a database that is silent is waited for once
      await inTime(write().then(write), STOP_MS, () => undefined)
    },
  }
}

/** Writes a batch in a transaction of its own; resolves to whether it is there. */
function createWriter({ db, clock, log, schema, days }: JournalDeps): (batch: Batch) => Promise<boolean> {
  const { insert, insertChunk, turn } = STATEMENTS[schema]
  let turnedOn = ''

  /** Partitions for today and the days beside it; once a day. */
  const turnTo = async (day: string) => {
    if (turnedOn === day) return
    try {
      await db.transaction(async (tx) => void (await tx.query(turn, [day, days])))
      turnedOn = day
    } catch (error) {
      log.warn({ err: error }, 'the journal could not turn to a new day') // its partition is there since yesterday
    }
  }
  return async ({ chunk, calls }) => {
    try {
      await turnTo(dayOf(clock.now()))
      const id = randomUUID()
      const newest = new Date(Math.max(...calls.map(({ at }) => at)))
      await db.transaction(async (tx) => {
        // In the order in which a new day locks them.
        const written = tx.execute(insert, [id, ...valuesOf(calls)])
        await Promise.all([written, tx.execute(insertChunk, [newest, id, chunk.end()])])
      })
      return true
    } catch (error) {
      turnedOn = ''
      log.warn({ err: error, calls: calls.length }, 'calls are missing in the journal')
      return false
    }
  }
}

function newBatch(): Batch {
  return { chunk: new Chunk(), calls: [] }
}

/** Whatever a body holds, its call is answered: a defect here costs a line of the journal. */
function tryToKeep(call: JournalCall, now: number, chunk: Chunk): Kept | undefined {
  try {
    return keep(call, now, chunk)
  } catch {
    return undefined
  }
}

function keep(call: JournalCall, now: number, chunk: Chunk): Kept {
  const { body, status, operation, token } = call
  const answer = call.answer.toString()
  const mask = operation === 'profile' ? maskedProfile : maskedAnswer
  return {
    source: call.source,
    operation,
    outcome: call.outcome,
    player: call.player,
    betId: call.betId,
    requestId: call.requestId,
    secret: call.secret,
    status,
    arrivalMs: call.arrivalMs,
    workMs: call.workMs,
    at: now - call.ageMs,
    bodyBytes: body.length,
    bodySha256: sha256(body),
    code: status === 200 ? undefined : codeIn(answer),
    place: chunk.add(body, mask(answer, token)),
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** One list: columns, types and values of a row. */
const COLUMNS: Readonly<Record<string, readonly [type: string, value: (call: Kept) => unknown]>> = {
  at: ['timestamptz', ({ at }) => new Date(at).toISOString()],
  id: ['uuid', () => randomUUID()],
  source: ['text', ({ source }) => source],
  operation: ['text', ({ operation }) => operation],
  outcome: ['text', ({ outcome }) => outcome],
  player: ['text', ({ player }) => shortened(player)],
  bet_id: ['text', ({ betId }) => shortened(betId)],
  request_id: ['text', ({ requestId }) => shortened(requestId)],
  secret: ['smallint', ({ secret }) => secret],
  body_bytes: ['int', ({ bodyBytes }) => bodyBytes],
  body_sha256: ['text', ({ bodySha256 }) => bodySha256],
  status: ['smallint', ({ status }) => status],
  code: ['smallint', ({ code }) => code],
  arrival_ms: ['real', ({ arrivalMs }) => arrivalMs],
  work_ms: ['real', ({ workMs }) => workMs],
  chunk_from: ['int', ({ place }) => place.from],
  body_kept: ['int', ({ place }) => place.bodyKept],
  answer_kept: ['int', ({ place }) => place.answerKept],
}

const STATEMENTS = { purser: statementsOn('purser'), gateway: statementsOn('gateway') }

function statementsOn(schema: JournalSchema): Record<'insert' | 'insertChunk' | 'turn', Statement> {
  const arrays = Object.values(COLUMNS).map(([type], i) => `$${i + 2}::${type}[]`)
  return {
    insert: statement(
      `${schema}_insert_calls`,
      `insert into ${schema}.journal (chunk, ${Object.keys(COLUMNS).join(', ')})
       select $1::uuid, * from unnest(${arrays.join(', ')})`,
    ),
    insertChunk: statement(
      `${schema}_insert_journal_chunk`,
      `insert into ${schema}.journal_chunk (at, chunk, bytes) values ($1::timestamptz, $2::uuid, $3::bytea)`,
    ),
    turn: statement(`${schema}_turn_journal`, `select ${schema}.turn_journal($1::date, $2::int)`),
  }
}

function valuesOf(calls: readonly Kept[]): unknown[] {
  return Object.values(COLUMNS).map(([, value]) => calls.map(value))
}

/** An id that is longer than any id can be is in the body. */
const MAX_ID = 64

function shortened(id: string | undefined): string | undefined {
  return id === undefined ? undefined : cut(id.slice(0, MAX_ID))
}

const CODE = /^\s*\{\s*"code"\s*:\s*(\d{1,4})\b/

function codeIn(answer: string): number | undefined {
  const [, code] = CODE.exec(answer) ?? []
  return code === undefined ? undefined : Number.parseInt(code, 10)
}
