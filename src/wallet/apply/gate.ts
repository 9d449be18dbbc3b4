/**
 * The gate takes the calls of a batch that are plainly fine, and leaves the others to judge.ts: Place bets of plain players with a live
 * token and enough money, and the first results of open bets. It is a narrowing of the rules: it may leave anything, and takes nothing
 * that the rules would not accept in exactly that way. It remembers nothing.
 *
 * One transaction in one write: BEGIN, of each bucket lock, place, settle, then COMMIT. Locked are the players, as by everybody who moves
 * their money or ends their sessions; those that are not free are left out. `place` and `settle` see what was committed before the locks were
 * held, as every statement has a snapshot of its own: no account, session or bet of a locked player moves behind their back.
 */
import type { Db, Tx } from '../../db/db.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import type { Clock } from '../../runtime/clock.ts'
import { groupBy } from '../../runtime/group.ts'
import type { Rules } from '../decide/decision.ts'
import { funderOf } from '../decide/place.ts'
import { contradictsAmount } from '../decide/settle.ts'
import type { BetCall, PlaceCall, SettleCall } from '../store/bet.ts'
import { LOCK_FREE, PLACE, SETTLE, valuesOfPlaces, valuesOfResults } from './gate-text.ts'
import { isTooLate, type WaitingCall } from './judge.ts'

/** `busy`: somebody else holds the player. `left`: for the rules to judge. */
export type Verdict =
  | { readonly kind: 'taken'; readonly at: Date }
  | { readonly kind: 'busy' }
  | { readonly kind: 'left' }

export interface GateDeps {
  readonly transaction: Db['transaction']
  readonly clock: Clock
  readonly rules: Rules
}

/** What the statements do not look at: a bet that promotions pay, a cashout's token, a result that contradicts itself. */
export function mayPass(call: BetCall, rules: Rules): boolean {
  if (call.kind === 'place') return funderOf(call, rules) === 'player'
  return call.kind === 'settle' && call.resultType !== 'cashout' && !contradictsAmount(call)
}

const LEFT: Verdict = { kind: 'left' }
const BUSY: Verdict = { kind: 'busy' }

/** What the gate found of the calls of one bucket. */
export interface Passed {
  readonly busy: readonly PlayerId[]
  readonly taken: readonly BetCall[]
}

/** Calls that may pass, at most one of each player. Rejects when nothing was taken, or that is not known. */
export async function takePlain(
  { transaction, clock, rules }: GateDeps,
  waiting: readonly WaitingCall[],
): Promise<Verdict[]> {
  const { now, passed } = await transaction(async (tx) => {
    const now = clock.now()
    const send = () => Promise.all(inBuckets(waiting).map(([bucket, calls]) => take(tx, bucket, calls, now, rules)))
    return { now, passed: await tx.finish(send) }
  })
  return verdictsOn(waiting, passed, now)
}

/** Those that are not too late. */
export function inBuckets(waiting: readonly WaitingCall[]): [bucket: number, calls: BetCall[]][] {
  const inTime = waiting.filter((one) => !isTooLate(one))
  return [...groupBy(inTime, ({ bucket }) => bucket)].map(([bucket, some]) => [bucket, some.map(({ call }) => call)])
}

export function verdictsOn(waiting: readonly WaitingCall[], passed: readonly Passed[], now: Date): Verdict[] {
  const taken = new Set(passed.flatMap((one) => one.taken))
  const busy = new Set(passed.flatMap((one) => one.busy))
  return waiting.map(({ call }) => {
    if (taken.has(call)) return { kind: 'taken', at: now }
    return busy.has(call.player) ? BUSY : LEFT
  })
}

export const isPlace = (call: BetCall): call is PlaceCall => call.kind === 'place'
export const isSettle = (call: BetCall): call is SettleCall => call.kind === 'settle'

/** Sent together, run in this order. */
async function take(tx: Tx, bucket: number, calls: readonly BetCall[], now: Date, rules: Rules): Promise<Passed> {
  const [places, results] = [calls.filter(isPlace), calls.filter(isSettle)]
  const [busy, placed, settled] = await Promise.all([
    tx.query<{ player: PlayerId }>(LOCK_FREE, [bucket, calls.map(({ player }) => player)]),
    places.length === 0 ? [] : tx.query<Taken>(PLACE, valuesOfPlaces(bucket, places, now, rules)),
    results.length === 0 ? [] : tx.query<Taken>(SETTLE, valuesOfResults(bucket, results, now, rules)),
  ])
  return {
    busy: busy.map(({ player }) => player),
    taken: [...takenOf(places, placed[0]?.taken), ...takenOf(results, settled[0]?.taken)],
  }
}

interface Taken extends Record<string, unknown> {
  /** Places in the list, counted from 1; null for none. */
  taken: number[] | null
}

export function takenOf<C>(calls: readonly C[], taken: readonly number[] | null | undefined): C[] {
  return (taken ?? []).flatMap((ord) => calls[ord - 1] ?? [])
}
