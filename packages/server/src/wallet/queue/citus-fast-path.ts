/**
 * Fast path on Citus.
 *
 * Citus refuses a statement that writes several tables with data of another table. So each bucket
 * has a function with the fast path's statements on its own shards, which are plain tables of a
 * worker. Outside a transaction, Citus delegates the call of a function to the worker of the
 * bucket. That takes one round trip and one commit on one node, and only the worker plans
 * statements.
 *
 * The function must itself lock the bucket's placement, as Citus does for its own statements. So
 * the function and a shard move wait for each other. The function fails if the bucket is not, or no
 * longer, on this worker.
 */
import { createHash } from 'node:crypto'
import type { PlayerId } from '@purser/protocol/wire-ids'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { isUnknownFunction } from '../../core/database/database-errors.ts'
import { type Lane, statement } from '../../core/database/db.ts'
import { type BucketFunctions, HOLD_BUCKET } from '../../core/database/postgres/citus.ts'
import type { Rules } from '../rules/decision.ts'
import type { BetCall } from '../store/bet.ts'
import {
  type BucketResult,
  type FastPathOutcome,
  groupByBucket,
  isPlace,
  isSettle,
  pickByOrdinals,
  toFastPathOutcomes,
} from './fast-path.ts'
import {
  buildPlaceSql,
  buildSettleSql,
  LOCK_FREE_PLAYERS,
  toPlaceParameters,
  toResultParameters,
} from './fast-path-sql.ts'
import type { WaitingCall } from './rules-path.ts'

/** Types of a statement's parameters, in order, from its text. */
function parameterTypes(text: string): string[] {
  const found = [...text.matchAll(/\$(\d+)::(\w+(?:\[\])?)/g)]
  const types = new Map(found.map(([, number = '', type = '']) => [Number.parseInt(number, 10), type]))
  return Array.from({ length: types.size }, (_, i) => types.get(i + 1) ?? '')
}

/** Renumbers the parameters of a statement; parameter 1, the bucket, stays. */
function shiftParameters(text: string, by: number): string {
  return text.replaceAll(/\$(\d+)::/g, (_, number: string) => {
    const place = Number.parseInt(number, 10)
    return `$${place === 1 ? 1 : place + by}::`
  })
}

/**
 * Bucket, the coordinator's change number, and players; the parameters of both statements follow.
 */
const FIRST_TYPES = ['int', 'bigint', 'text[]']
const PLACE_TYPES = parameterTypes(buildPlaceSql()).slice(1)
const RESULT_TYPES = parameterTypes(buildSettleSql()).slice(1)
const PARAMETERS = [...FIRST_TYPES, ...PLACE_TYPES, ...RESULT_TYPES]
const PLACE_OFFSET = FIRST_TYPES.length - 1
const RESULT_OFFSET = PLACE_OFFSET + PLACE_TYPES.length
/** Number of the players parameter in the text of a statement. */
const PLAYERS = 6

/** Planner settings for hot statements on the worker, as in db.ts. */
const SETTINGS =
  'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan'

/**
 * Change numbers derive from the coordinator's numbers, which leave room in between (citus.ts).
 * Below such a number, eleven bits count raises, ten are the bucket, and one separates the two rows
 * of a batch.
 *
 * A number is raised if the bucket already has a larger one without a position in the feed. The
 * locks of the players decide which change is later.
 */
const LOWER_BITS = 11
const READ_HIGHEST = 'highest := (select max(change_id) from purser.change where last_number is null)'
/** First key of `pg_advisory_xact_lock`, next to the bucket; any constant works. */
const NUMBERING_LOCK = 7_785_774

const BODY = `
#variable_conflict use_column
declare
  change_placed bigint := $2 + ($1 << 1);
  highest bigint;
  busy text[];
  placed int[];
  settled int[];
  moved text;
begin
  busy := array(${LOCK_FREE_PLAYERS.text.replace('$2::', '$3::')});
  ${READ_HIGHEST};
  if highest >= change_placed then
    perform pg_advisory_xact_lock(${NUMBERING_LOCK}, $1);
    ${READ_HIGHEST};
    change_placed := greatest(change_placed, (((highest >> ${LOWER_BITS}) + 1) << ${LOWER_BITS}) + ($1 << 1));
  end if;
  if cardinality($${PLAYERS + PLACE_OFFSET}) > 0 then
    ${shiftParameters(buildPlaceSql('change_placed'), PLACE_OFFSET)} into placed;
  end if;
  if cardinality($${PLAYERS + RESULT_OFFSET}) > 0 then
    ${shiftParameters(buildSettleSql('change_placed + 1'), RESULT_OFFSET)} into settled, moved;
  end if;
  return query select busy, placed, settled;
end`

/**
 * The hash of the text is part of the name, so wallets of another version call their own function.
 */
const NAME = `gate_${createHash('sha256')
  .update(HOLD_BUCKET + BODY)
  .digest('hex')
  .slice(0, 8)}`
const ANSWER = 'returns table (busy text[], placed int[], settled int[]) language plpgsql'
const ALL = PARAMETERS.map((_, i) => `$${i + 1}`).join(', ')

/**
 * A bucket's function is named after its first shard. After a split the function is missing, so
 * nothing is written to a shard that is not read.
 */
const DISPATCH = `
declare shard bigint := purser.lock_bucket($1);
begin
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  return query execute 'select * from purser.${NAME}_' || shard || '(${ALL})' using ${ALL};
end`

const TABLE = /purser\.(\w+)\b(?!\()/g

/** Created by `purser migrate --citus`. */
export const CITUS_FAST_PATH: BucketFunctions = {
  name: NAME,
  family: 'gate',
  signature: PARAMETERS.join(', '),
  dispatcher: `create or replace function purser.${NAME}(${PARAMETERS.join(', ')}) ${ANSWER} set lock_timeout = '500ms'
    as $gate$${DISPATCH}$gate$`,
  ofBucket: ({ first, shardName }) =>
    `create or replace function purser.${NAME}_${first}(${PARAMETERS.join(', ')}) ${ANSWER} ${SETTINGS}
     as $gate$${BODY.replaceAll(TABLE, (name, table: string) => shardName(table) ?? name)}$gate$`,
}

const RUN_FAST_PATH = statement(
  'fast_path_on_citus',
  `select busy, placed, settled from purser.${NAME}(${PARAMETERS.map((type, i) => `$${i + 1}::${type}`).join(', ')})`,
)
const NEXT_NUMBER = statement('fast_path_next_number', 'select purser.next_change_id() as next')

export interface CitusFastPathDeps {
  readonly autocommit: NonNullable<Lane['autocommit']>
  readonly clock: Clock
  readonly rules: Rules
}

interface FastPathRow extends Record<string, unknown> {
  busy: PlayerId[] | null
  placed: number[] | null
  settled: number[] | null
}

/**
 * Milliseconds without the fast path after a missing function; `purser migrate --citus` creates it.
 */
const CLOSED_MS = 60_000

/**
 * Fast path of one lane, like `runFastPath`. Each bucket is a transaction of its own, and the
 * result rejects if one fails.
 */
export function createCitusFastPath({ autocommit, clock, rules }: CitusFastPathDeps) {
  let next: bigint | undefined
  let opensAt = Number.NEGATIVE_INFINITY
  return async (waiting: readonly WaitingCall[]): Promise<FastPathOutcome[]> => {
    if (environment.monotonicNow() < opensAt) return toFastPathOutcomes(waiting, [], clock.now())
    try {
      const number = next ?? (await readNextChangeNumber(autocommit))
      next = undefined
      const now = clock.now()
      const buckets = groupByBucket(waiting)
      const queries = buckets.map(
        ([bucket, calls]) => [RUN_FAST_PATH, toParameters(bucket, number, calls, now, rules)] as const,
      )
      const answers = await autocommit([...queries, [NEXT_NUMBER, []]])
      next = answers.at(-1)?.[0]?.next as bigint
      const results = buckets.map(([, calls], i) => toBucketResult(calls, answers[i]?.[0] as FastPathRow))
      return toFastPathOutcomes(waiting, results, now)
    } catch (error) {
      if (isUnknownFunction(error)) opensAt = environment.monotonicNow() + CLOSED_MS
      throw error
    }
  }
}

async function readNextChangeNumber(autocommit: CitusFastPathDeps['autocommit']): Promise<bigint> {
  const [[row] = []] = await autocommit<{ next: bigint }>([[NEXT_NUMBER, []]])
  if (row === undefined) throw new Error('the coordinator counts no changes')
  return row.next
}

function toParameters(bucket: number, number: bigint, calls: readonly BetCall[], now: Date, rules: Rules): unknown[] {
  const [, ...places] = toPlaceParameters(bucket, calls.filter(isPlace), now, rules)
  const [, ...results] = toResultParameters(bucket, calls.filter(isSettle), now, rules)
  return [bucket, number, calls.map(({ player }) => player), ...places, ...results]
}

function toBucketResult(calls: readonly BetCall[], { busy, placed, settled }: FastPathRow): BucketResult {
  const taken = [...pickByOrdinals(calls.filter(isPlace), placed), ...pickByOrdinals(calls.filter(isSettle), settled)]
  return { busy: busy ?? [], taken }
}
