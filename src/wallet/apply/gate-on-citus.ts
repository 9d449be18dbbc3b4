/**
 * The gate on Citus, which refuses a statement that writes several tables out of one. There each bucket has a function with the statements of
 * the gate on its own shards, which are plain tables of a worker. Citus leaves the call of a function that is no part of a transaction to the
 * worker that has the bucket: one round trip, one commit of one node, and nothing planned but there.
 *
 * What Citus does for a statement of its own, the function does: it holds the place of the bucket, so that a move waits for it and it waits
 * for a move, and fails where the bucket is not, or not any more.
 */
import { createHash } from 'node:crypto'
import { type BucketFunctions, HOLD_BUCKET } from '../../db/citus.ts'
import { type Lane, statement } from '../../db/db.ts'
import { isUnknownFunction } from '../../db/errors.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import type { Clock } from '../../runtime/clock.ts'
import { world } from '../../runtime/world.ts'
import type { Rules } from '../decide/decision.ts'
import type { BetCall } from '../store/bet.ts'
import { inBuckets, isPlace, isSettle, type Passed, takenOf, type Verdict, verdictsOn } from './gate.ts'
import { LOCK_FREE, placing, settling, valuesOfPlaces, valuesOfResults } from './gate-text.ts'
import type { WaitingCall } from './judge.ts'

/** Of a statement's text, its parameters in order: their types. */
function typesOf(text: string): string[] {
  const found = [...text.matchAll(/\$(\d+)::(\w+(?:\[\])?)/g)]
  const types = new Map(found.map(([, number = '', type = '']) => [Number.parseInt(number, 10), type]))
  return Array.from({ length: types.size }, (_, i) => types.get(i + 1) ?? '')
}

/** The same with its parameters counted from another place on; the first one of all is the bucket. */
function shifted(text: string, by: number): string {
  return text.replaceAll(/\$(\d+)::/g, (_, number: string) => {
    const place = Number.parseInt(number, 10)
    return `$${place === 1 ? 1 : place + by}::`
  })
}

/** The bucket, the coordinator's number for changes, the players; then the parameters of both statements. */
const FIRST_TYPES = ['int', 'bigint', 'text[]']
const PLACE_TYPES = typesOf(placing()).slice(1)
const RESULT_TYPES = typesOf(settling()).slice(1)
const PARAMETERS = [...FIRST_TYPES, ...PLACE_TYPES, ...RESULT_TYPES]
const BEFORE_PLACES = FIRST_TYPES.length - 1
const BEFORE_RESULTS = BEFORE_PLACES + PLACE_TYPES.length
/** The players of a statement, in its text. */
const PLAYERS = 6

/** As hot statements are planned (db.ts), on the worker. */
const SETTINGS =
  'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan'

/**
 * Numbers of changes follow from those of the coordinator, which leaves room between them (citus.ts): 11 bits count how often one had to be
 * larger, 10 are the bucket, the last one tells the two rows of a batch apart. One has to be larger when the bucket has, without a place in the
 * feed, one that is larger: who gets a player's lock tells what comes later.
 */
const LOWER_BITS = 11
const HIGHEST = 'highest := (select max(change_id) from purser.change where last_number is null)'
/** Of `pg_advisory_xact_lock`, beside the bucket. Any constant will do. */
const NUMBERING = 7_785_774

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
  busy := array(${LOCK_FREE.text.replace('$2::', '$3::')});
  ${HIGHEST};
  if highest >= change_placed then
    perform pg_advisory_xact_lock(${NUMBERING}, $1);
    ${HIGHEST};
    change_placed := greatest(change_placed, (((highest >> ${LOWER_BITS}) + 1) << ${LOWER_BITS}) + ($1 << 1));
  end if;
  if cardinality($${PLAYERS + BEFORE_PLACES}) > 0 then
    ${shifted(placing('change_placed'), BEFORE_PLACES)} into placed;
  end if;
  if cardinality($${PLAYERS + BEFORE_RESULTS}) > 0 then
    ${shifted(settling('change_placed + 1'), BEFORE_RESULTS)} into settled, moved;
  end if;
  return query select busy, placed, settled;
end`

/** Another text is another function, which wallets of another version do not call. */
const NAME = `gate_${createHash('sha256')
  .update(HOLD_BUCKET + BODY)
  .digest('hex')
  .slice(0, 8)}`
const ANSWER = 'returns table (busy text[], placed int[], settled int[]) language plpgsql'
const ALL = PARAMETERS.map((_, i) => `$${i + 1}`).join(', ')

/** A bucket's function has the name of its first shard: one that was split has no function, and nothing is written where nobody reads. */
const DISPATCH = `
declare shard bigint := purser.hold_bucket($1);
begin
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  return query execute 'select * from purser.${NAME}_' || shard || '(${ALL})' using ${ALL};
end`

const TABLE = /purser\.(\w+)\b(?!\()/g

/** What `purser migrate --citus` makes. */
export const GATE_ON_CITUS: BucketFunctions = {
  name: NAME,
  family: 'gate',
  signature: PARAMETERS.join(', '),
  dispatcher: `create or replace function purser.${NAME}(${PARAMETERS.join(', ')}) ${ANSWER} set lock_timeout = '500ms'
    as $gate$${DISPATCH}$gate$`,
  ofBucket: ({ first, nameOf }) =>
    `create or replace function purser.${NAME}_${first}(${PARAMETERS.join(', ')}) ${ANSWER} ${SETTINGS}
     as $gate$${BODY.replaceAll(TABLE, (name, table: string) => nameOf(table) ?? name)}$gate$`,
}

const GATE = statement(
  'gate_on_citus',
  `select busy, placed, settled from purser.${NAME}(${PARAMETERS.map((type, i) => `$${i + 1}::${type}`).join(', ')})`,
)
const NEXT_NUMBER = statement('gate_next_number', 'select purser.next_change_id() as next')

export interface GateOnCitusDeps {
  readonly alone: NonNullable<Lane['alone']>
  readonly clock: Clock
  readonly rules: Rules
}

interface Answered extends Record<string, unknown> {
  busy: PlayerId[] | null
  placed: number[] | null
  settled: number[] | null
}

/** Milliseconds for which the gate stays closed behind a call for which there was no function: `purser migrate --citus` makes them. */
const CLOSED_MS = 60_000

/** Of one lane. As `takePlain`, but each bucket is a transaction of its own: it rejects when one of them has failed. */
export function gateOnCitus({ alone, clock, rules }: GateOnCitusDeps) {
  let next: bigint | undefined
  let opensAt = Number.NEGATIVE_INFINITY
  return async (waiting: readonly WaitingCall[]): Promise<Verdict[]> => {
    if (world.elapsed() < opensAt) return verdictsOn(waiting, [], clock.now())
    try {
      const number = next ?? (await askForNumber(alone))
      next = undefined
      const now = clock.now()
      const buckets = inBuckets(waiting)
      const asked = buckets.map(([bucket, calls]) => [GATE, valuesOf(bucket, number, calls, now, rules)] as const)
      const answers = await alone([...asked, [NEXT_NUMBER, []]])
      next = answers.at(-1)?.[0]?.next as bigint
      const passed = buckets.map(([, calls], i) => passedOf(calls, answers[i]?.[0] as Answered))
      return verdictsOn(waiting, passed, now)
    } catch (error) {
      if (isUnknownFunction(error)) opensAt = world.elapsed() + CLOSED_MS
      throw error
    }
  }
}

async function askForNumber(alone: GateOnCitusDeps['alone']): Promise<bigint> {
  const [[row] = []] = await alone<{ next: bigint }>([[NEXT_NUMBER, []]])
  if (row === undefined) throw new Error('the coordinator counts no changes')
  return row.next
}

function valuesOf(bucket: number, number: bigint, calls: readonly BetCall[], now: Date, rules: Rules): unknown[] {
  const [, ...places] = valuesOfPlaces(bucket, calls.filter(isPlace), now, rules)
  const [, ...results] = valuesOfResults(bucket, calls.filter(isSettle), now, rules)
  return [bucket, number, calls.map(({ player }) => player), ...places, ...results]
}

function passedOf(calls: readonly BetCall[], { busy, placed, settled }: Answered): Passed {
  const taken = [...takenOf(calls.filter(isPlace), placed), ...takenOf(calls.filter(isSettle), settled)]
  return { busy: busy ?? [], taken }
}
