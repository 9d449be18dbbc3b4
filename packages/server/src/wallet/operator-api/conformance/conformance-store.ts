/** Stored runs of the conformance kit. */

import { type Queryable, type Row, statement, type Tx } from '../../../core/database/db.ts'
import { type BuiltQuery, buildQuery } from '../../../core/database/query-builder.ts'

export interface KitCase {
  readonly id: string
  readonly clause: string
  readonly level: 'MUST' | 'SHOULD'
  readonly sentence: string
  /** Money that is lost on a failure, and its owner. */
  readonly loses: string
}

export interface KitResult {
  readonly id: string
  readonly verdict: 'passed' | 'failed' | 'not judged'
  readonly why?: string
}

export type RunState = 'running' | 'ended' | 'failed'

export interface RunRow extends Row {
  readonly run_id: string
  readonly started_at: Date
  readonly started_by: string
  readonly state: RunState
  readonly ended_at: Date | null
  readonly is_good: boolean | null
  readonly why: string | null
  readonly cases: string
  readonly results: string
}

const COLUMNS =
  'run_id, started_at, started_by, state, ended_at, is_good, why, cases::text as cases, results::text as results'

const FAIL_LOST = statement(
  'conformance_end_lost',
  `update purser.conformance_run set state = 'failed', ended_at = seen_at, why = 'its process ended before it was over'
   where state = 'running' and seen_at < clock_timestamp() - $1::int * interval '1 second'`,
)
const INSERT = statement(
  'conformance_insert',
  `insert into purser.conformance_run (run_id, started_at, started_by, seen_at, cases)
   values ($1::uuid, $2::timestamptz, $3::text, clock_timestamp(), $4::json) on conflict ((true)) where state = 'running' do nothing`,
)
const SAVE = statement(
  'conformance_save',
  `update purser.conformance_run set results = $2::json, seen_at = clock_timestamp() where run_id = $1::uuid and state = 'running'`,
)
const END = statement(
  'conformance_end',
  `update purser.conformance_run set results = $2::json, ended_at = $3::timestamptz, is_good = $4::boolean,
     why = $5::text, state = case when $5::text is null then 'ended' else 'failed' end
   where run_id = $1::uuid and state = 'running'`,
)
const READ = statement('conformance_read', `select ${COLUMNS} from purser.conformance_run where run_id = $1::uuid`)

/** Fails the runs without an update for this number of seconds. */
export async function failLostRuns(tx: Tx, seconds: number): Promise<void> {
  await tx.execute(FAIL_LOST, [seconds])
}

/** False if another run is in progress. */
export async function insertRun(
  tx: Tx,
  run: { readonly id: string; readonly at: Date; readonly by: string; readonly cases: readonly KitCase[] },
): Promise<boolean> {
  return (await tx.execute(INSERT, [run.id, run.at, run.by, JSON.stringify(run.cases)])) === 1
}

export async function saveRunResults(tx: Tx, id: string, results: readonly KitResult[]): Promise<void> {
  await tx.execute(SAVE, [id, JSON.stringify(results)])
}

export type RunEnding = { readonly isGood: boolean } | { readonly why: string }

export async function endRun(
  tx: Tx,
  id: string,
  results: readonly KitResult[],
  ending: RunEnding,
  at: Date,
): Promise<void> {
  const [isGood, why] = 'why' in ending ? [null, ending.why] : [ending.isGood, null]
  await tx.execute(END, [id, JSON.stringify(results), at, isGood, why])
}

export async function readRun(reading: Queryable, id: string): Promise<RunRow | undefined> {
  const [row] = await reading.query<RunRow>(READ, [id])
  return row
}

/** Newest first. */
export function listRuns(
  reading: Queryable,
  limit: number,
  after: readonly [at: Date, id: string] | undefined,
): Promise<RunRow[]> {
  const { statement: list, values }: BuiltQuery = buildQuery(
    'conformance_list',
    [limit],
    { after: after && ['(started_at, run_id) < (?::timestamptz, ?::uuid)', ...after] },
    (conditions) =>
      `select ${COLUMNS} from purser.conformance_run where true${conditions} order by started_at desc, run_id desc limit $1::int`,
  )
  return reading.query<RunRow>(list, values)
}
