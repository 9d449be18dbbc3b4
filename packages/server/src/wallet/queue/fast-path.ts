/**
 * Fast path for calls that are plainly valid. It takes Place bets of unrestricted players with a
 * live token and enough money, and the first results of open bets. rules-path.ts decides the other
 * calls.
 *
 * Invariant: the fast path may leave any call to the rules. It takes a call only if the rules would
 * accept the call with the same effect. It keeps no state.
 *
 * One transaction is sent in one write: BEGIN; lock, place and settle for each bucket; COMMIT.
 * Every change of a player's money or sessions takes the lock of that player; players whose lock is
 * held are skipped. `place` and `settle` take their snapshots after the locks, so no account,
 * session or bet of a locked player changes meanwhile.
 */

import type { PlayerId } from '@purser/protocol/wire-ids'
import type { Clock } from '@purser/runtime/clock'
import { groupBy } from '@purser/runtime/group'
import type { Db, Tx } from '../../core/database/db.ts'
import type { Rules } from '../rules/decision.ts'
import { chooseFunder } from '../rules/place.ts'
import { contradictsAmount } from '../rules/settle.ts'
import type { BetCall, PlaceCall, SettleCall } from '../store/bet.ts'
import {
  LOCK_FREE_PLAYERS,
  PLACE_STATEMENT,
  SETTLE_STATEMENT,
  toPlaceParameters,
  toResultParameters,
} from './fast-path-sql.ts'
import { isTooLate, type WaitingCall } from './rules-path.ts'

/** `busy`: another transaction holds the player. `left`: the rules path decides. */
export type FastPathOutcome =
  | { readonly kind: 'taken'; readonly at: Date }
  | { readonly kind: 'busy' }
  | { readonly kind: 'left' }

export interface FastPathDeps {
  readonly transaction: Db['transaction']
  readonly clock: Clock
  readonly rules: Rules
}

/**
 * The statements do not check bets that promotions pay, tokens of cashouts, or results that
 * contradict their amount.
 */
export function isFastPathEligible(call: BetCall, rules: Rules): boolean {
  if (call.kind === 'place') return chooseFunder(call, rules) === 'player'
  return call.kind === 'settle' && call.resultType !== 'cashout' && !contradictsAmount(call)
}

const LEFT: FastPathOutcome = { kind: 'left' }
const BUSY: FastPathOutcome = { kind: 'busy' }

export interface BucketResult {
  readonly busy: readonly PlayerId[]
  readonly taken: readonly BetCall[]
}

/**
 * Takes eligible calls, at most one per player. Rejects if nothing was taken, or if that is
 * unknown.
 */
export async function runFastPath(
  { transaction, clock, rules }: FastPathDeps,
  waiting: readonly WaitingCall[],
): Promise<FastPathOutcome[]> {
  const { now, passed: results } = await transaction(async (tx) => {
    const now = clock.now()
    const send = () =>
      Promise.all(groupByBucket(waiting).map(([bucket, calls]) => runInBucket(tx, bucket, calls, now, rules)))
    return { now, passed: await tx.finish(send) }
  })
  return toFastPathOutcomes(waiting, results, now)
}

/** Calls that are too late are left out. */
export function groupByBucket(waiting: readonly WaitingCall[]): [bucket: number, calls: BetCall[]][] {
  const inTime = waiting.filter((one) => !isTooLate(one))
  return [...groupBy(inTime, ({ bucket }) => bucket)].map(([bucket, some]) => [bucket, some.map(({ call }) => call)])
}

export function toFastPathOutcomes(
  waiting: readonly WaitingCall[],
  results: readonly BucketResult[],
  now: Date,
): FastPathOutcome[] {
  const taken = new Set(results.flatMap((one) => one.taken))
  const busy = new Set(results.flatMap((one) => one.busy))
  return waiting.map(({ call }) => {
    if (taken.has(call)) return { kind: 'taken', at: now }
    return busy.has(call.player) ? BUSY : LEFT
  })
}

export const isPlace = (call: BetCall): call is PlaceCall => call.kind === 'place'
export const isSettle = (call: BetCall): call is SettleCall => call.kind === 'settle'

/** The statements are sent together and run in this order. */
async function runInBucket(
  tx: Tx,
  bucket: number,
  calls: readonly BetCall[],
  now: Date,
  rules: Rules,
): Promise<BucketResult> {
  const [places, results] = [calls.filter(isPlace), calls.filter(isSettle)]
  const [busy, placed, settled] = await Promise.all([
    tx.query<{ player: PlayerId }>(LOCK_FREE_PLAYERS, [bucket, calls.map(({ player }) => player)]),
    places.length === 0 ? [] : tx.query<TakenRow>(PLACE_STATEMENT, toPlaceParameters(bucket, places, now, rules)),
    results.length === 0 ? [] : tx.query<TakenRow>(SETTLE_STATEMENT, toResultParameters(bucket, results, now, rules)),
  ])
  return {
    busy: busy.map(({ player }) => player),
    taken: [...pickByOrdinals(places, placed[0]?.taken), ...pickByOrdinals(results, settled[0]?.taken)],
  }
}

interface TakenRow extends Record<string, unknown> {
  /** Positions in the list, counted from 1; null for none. */
  taken: number[] | null
}

export function pickByOrdinals<C>(calls: readonly C[], taken: readonly number[] | null | undefined): C[] {
  return (taken ?? []).flatMap((ord) => calls[ord - 1] ?? [])
}
