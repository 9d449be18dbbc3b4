/**
 * Makes a lane (queue of calls) and controls its two ways to decide a call: fast path and rules
 * path. The clock advances only when the test advances it.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { environment } from '@purser/runtime/environment'
import { afterEach, beforeEach } from 'vitest'
import { createCallQueue } from '../../src/wallet/queue/call-queue.ts'
import type { FastPathOutcome } from '../../src/wallet/queue/fast-path.ts'
import type { BetCallOutcome, WaitingCall } from '../../src/wallet/queue/rules-path.ts'
import type { BetCall } from '../../src/wallet/store/bet.ts'
import { type StillWorld, standStill } from '../support/still-world.ts'
import { place, rollback } from './call-batch-scene.ts'

interface AtWork {
  /** `fast path: a1 b1` or `rules path: a1`. */
  readonly what: string
  /** The fast path takes every call that is not named; the rules path accepts every call. */
  end(but?: Readonly<Record<string, 'busy' | 'left'>>): void
  fail(error: Error): void
}

/**
 * One lane, with one bucket by default. It records the work for the fast path and the rules path,
 * which ends when the test ends it.
 */
export function openLane(buckets = 1) {
  const work: AtWork[] = []
  const failures: unknown[] = []
  const startWork = <R>(way: string, calls: readonly WaitingCall[], verdict: (call: BetCall, but: Ends) => R) =>
    new Promise<R[]>((resolve, reject) => {
      const end = (but: Ends = {}) => resolve(calls.map(({ call }) => verdict(call, but)))
      work.push({ what: `${way}: ${calls.map(({ call }) => call.betId).join(' ')}`, end, fail: reject })
    })
  const lanes = createCallQueue({
    ...{ buckets, laneCount: 1, onWaited() {}, onFastPath() {} },
    onFailure: (error) => failures.push(error),
    openLane: () => ({
      isFastPathEligible: ({ kind }) => kind === 'place',
      runFastPath: (calls) => startWork<FastPathOutcome>('fast path', calls, ({ betId }, but) => verdictOf(but[betId])),
      runRulesPath: (calls) =>
        startWork<BetCallOutcome>('rules path', calls, ({ betId }) => ({ kind: 'accepted', betId, at: new Date(0) })),
    }),
  })
  const send = async (call: BetCall, agoMs = 0) =>
    (await lanes.submit(call, environment.monotonicNow() - agoMs)).outcome
  const bet = (id: string, agoMs = 0) => send(place(id.slice(0, 1), id, 1), agoMs)
  const takeBack = (id: string) => send(rollback(id.slice(0, 1), id, `rollback-${id}`))
  const end = async (but?: Ends) => {
    work.at(-1)?.end(but)
    await settled()
  }
  const fail = async (error: Error) => {
    work.at(-1)?.fail(error)
    await settled()
  }
  return { ...{ lanes, bet, takeBack, end, fail, failures }, seen: () => work.map(({ what }) => what) }
}

type Ends = Readonly<Record<string, 'busy' | 'left'>>

function verdictOf(end: 'busy' | 'left' | undefined): FastPathOutcome {
  return end === undefined ? { kind: 'taken', at: new Date(0) } : { kind: end }
}

export const outage = () => new Error('Query read timeout')
export const conflict = () => Object.assign(new Error('taken'), { code: '23505' })

/** Turns of the event loop after which a lane without answers has no work left. */
const QUIET_TURNS = 25

export async function settled(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) await turnOfTheLoop()
}

export let time: StillWorld

/**
 * Called at the top of a test file: turns of the event loop are real, but the test advances the
 * clock.
 */
export function standStillEachTime(): void {
  beforeEach(() => {
    time = standStill()
  })
  afterEach(() => time.giveBack())
}

/** A batch with this number of calls and this duration, by default the longest rest of a lane. */
export async function endBatchOf(
  calls: number,
  { bet, end }: ReturnType<typeof openLane>,
  takesMs = LONGEST_REST_MS,
): Promise<Promise<BetCallOutcome>[]> {
  const answers = playersFrom('a', calls).map((id) => bet(id))
  await settled()
  time.pass(takesMs)
  await end()
  return answers
}

export const LONGEST_REST_MS = 8
/** Milliseconds between two checks for calls that have waited too long. */
export const SWEEP_MS = 100
/** A bet for each of this number of players; their names have one character. */
export const playersFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${String.fromCharCode(first.charCodeAt(0) + i)}1`)

export const kindsOf = async (answers: Promise<BetCallOutcome>[]) =>
  (await Promise.all(answers)).map(({ kind }) => kind)
