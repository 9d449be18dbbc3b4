/**
 * Runs of the conformance kit against this wallet, if a setting permits them. A run continues in
 * the background. Its results are stored every second, so every process can show them.
 */

import { UUID } from '@purser/protocol/wire-ids'
import { withTimeout } from '@purser/runtime/async/timeouts'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { errorText } from '@purser/runtime/errors/error-text'
import type { Logger } from '@purser/runtime/logger'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import type { Db } from '../../../core/database/db.ts'
import {
  decodeCursor,
  invalidCursorProblem,
  parseLimit,
  toPage,
  toPageSchema,
} from '../../../core/http/api/pagination.ts'
import { conflict, notFound } from '../../../core/http/api/problem-details.ts'
import {
  endRun,
  failLostRuns,
  insertRun,
  type KitCase,
  type KitResult,
  listRuns,
  type RunEnding,
  type RunRow,
  readRun,
  saveRunResults,
} from './conformance-store.ts'

/** The conformance kit, which uses only the wire of the wallet. */
export interface ConformanceRunner {
  readonly cases: readonly KitCase[]
  /** Rejects if the wallet cannot be tested at all. */
  run(signal: AbortSignal, found: (result: KitResult) => void): Promise<{ results: KitResult[]; isGood: boolean }>
}

export interface ConformanceRuns {
  start(author: Actor): Promise<Static<typeof RunSchema>>
  get(runId: string): Promise<Static<typeof RunDetailSchema>>
  list(query: { limit?: string; after?: string }): Promise<Static<typeof RunPageSchema>>
  stop(): Promise<void>
}

const count = Type.Integer({ minimum: 0 })
const time = Type.String({ format: 'date-time' })
const optional = Type.Optional
const run = {
  runId: Type.String({ format: 'uuid' }),
  startedAt: time,
  startedBy: Type.String(),
  state: Type.Enum(['running', 'ended', 'failed'], {
    description: '`failed` means that the run ended without a result.',
  }),
  endedAt: optional(time),
  isGood: optional(Type.Boolean({ description: 'True if no MUST failed. It is present when the run has ended.' })),
  why: optional(Type.String({ description: 'The reason of the failure.' })),
  totals: Type.Object({ cases: count, passed: count, failedMust: count, failedShould: count, notJudged: count }),
}
export const RunSchema = Type.Object(run)
export const RunPageSchema = toPageSchema(RunSchema)
export const RunDetailSchema = Type.Object({
  ...run,
  cases: Type.Array(
    Type.Object({
      id: Type.String(),
      clause: Type.String({ description: 'The part of the specification, or the decision, that the case tests.' }),
      level: Type.Enum(['MUST', 'SHOULD']),
      sentence: Type.String(),
      loses: Type.String({ description: 'The impact of a failure: who loses money, and how.' }),
      verdict: optional(
        Type.Enum(['passed', 'failed', 'not judged'], {
          description: 'The result. It is absent until the case has run.',
        }),
      ),
      why: optional(Type.String({ description: 'Details of a case that did not pass.' })),
    }),
  ),
})

/** Milliseconds between two saves of the results. */
const SAVE_MS = 1_000
/** Seconds without an update after which a run's process counts as ended. */
const LOST_S = 30
/** Milliseconds that the shutdown waits until the run is stored. */
const STOP_MS = 2_000

export interface ConformanceRunsDeps {
  readonly db: Pick<Db, 'transaction' | 'userQueries'>
  readonly clock: Clock
  readonly log: Logger
  /** Undefined: runs are not permitted on this wallet. */
  readonly kit: ConformanceRunner | undefined
}

export function createConformanceRuns({ db, clock, log, kit }: ConformanceRunsDeps): ConformanceRuns {
  const stopping = new AbortController()
  let current: Promise<void> | undefined

  const go = async (id: string, { run: runKit }: ConformanceRunner) => {
    const recorded: KitResult[] = []
    const save = () => db.transaction((tx) => saveRunResults(tx, id, recorded))
    const cancel = environment.setRepeatingTimer(
      SAVE_MS,
      () => void save().catch((err: unknown) => log.warn({ err }, NOT_STORED)),
    )
    const { results, ending } = await runKit(stopping.signal, (result) => recorded.push(result)).then(
      ({ results, isGood }) => ({ results, ending: toRunEnding(stopping.signal, isGood) }),
      (error: unknown) => ({ results: recorded, ending: { why: errorText(error) } }),
    )
    cancel()
    await db.transaction((tx) => endRun(tx, id, results, ending, clock.now()))
  }
  return {
    async start(author) {
      if (kit === undefined)
        throw conflict('conformance_off', 'conformance tests are off on this wallet: set PURSER_CONFORMANCE=on')
      const [runId, at, by] = [environment.uuid(), clock.now(), author.person ?? author.keyName]
      const after = { state: 'running', cases: kit.cases.length }
      const isOnlyRun = await db.transaction(async (tx) => {
        await failLostRuns(tx, LOST_S)
        if (!(await insertRun(tx, { id: runId, at, by, cases: kit.cases }))) return false
        await author.record(tx, { on: { runId }, before: {}, after, at })
        return true
      })
      if (!isOnlyRun) throw conflict('already_running', 'another run is in progress: wait for its end')
      current = go(runId, kit).catch((err: unknown) => log.warn({ err }, NOT_STORED))
      const totals = { cases: kit.cases.length, ...NONE }
      return { runId, startedAt: at.toISOString(), startedBy: by, state: 'running', totals }
    },
    async get(runId) {
      const row = await readRun(db.userQueries, runId)
      if (row === undefined) throw notFound('the run')
      return renderRunDetail(row)
    },
    async list(query) {
      const limit = parseLimit(query)
      const cursor = decodeCursor(query.after, 2)
      const [id] = cursor?.ids ?? []
      if (id !== undefined && !UUID.test(id)) throw invalidCursorProblem()
      const rows = await listRuns(db.userQueries, limit + 1, cursor && id !== undefined ? [cursor.at, id] : undefined)
      return toPage(rows, limit, renderRun, (row) => [row.started_at.toISOString(), row.run_id])
    },
    async stop() {
      stopping.abort()
      await withTimeout(current ?? Promise.resolve(), STOP_MS, () => undefined)
    },
  }
}

const NOT_STORED = 'the results of the conformance tests could not be stored'
const NONE = { passed: 0, failedMust: 0, failedShould: 0, notJudged: 0 }

function toRunEnding({ aborted }: AbortSignal, isGood: boolean): RunEnding {
  return aborted ? { why: 'the wallet was stopped before the run ended' } : { isGood }
}

function renderRun(row: RunRow): Static<typeof RunSchema> {
  const cases = JSON.parse(row.cases) as KitCase[]
  const results = new Map((JSON.parse(row.results) as KitResult[]).map((result) => [result.id, result.verdict]))
  const of = (verdict: KitResult['verdict'], level?: KitCase['level']) =>
    cases.filter((one) => results.get(one.id) === verdict && (level === undefined || one.level === level)).length
  return {
    ...{ runId: row.run_id, startedAt: row.started_at.toISOString(), startedBy: row.started_by, state: row.state },
    ...(row.ended_at && { endedAt: row.ended_at.toISOString() }),
    ...(row.is_good !== null && { isGood: row.is_good }),
    ...(row.why !== null && { why: row.why }),
    totals: {
      ...{ cases: cases.length, passed: of('passed'), failedMust: of('failed', 'MUST') },
      ...{ failedShould: of('failed', 'SHOULD'), notJudged: of('not judged') },
    },
  }
}

function renderRunDetail(row: RunRow): Static<typeof RunDetailSchema> {
  const results = new Map((JSON.parse(row.results) as KitResult[]).map((result) => [result.id, result]))
  const cases = (JSON.parse(row.cases) as KitCase[]).map((one) => ({ ...one, ...results.get(one.id) }))
  return { ...renderRun(row), cases }
}
