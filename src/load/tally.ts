/** What came of the calls, by kind and by interval of the load. Tallies of several workers add up. */
import type { RecordableHistogram } from 'node:perf_hooks'
import type { CallOutcome } from '../wallet-client/classify.ts'
import { newHistogram, recordMs } from './latency.ts'
import { KINDS, type Kind } from './mix.ts'

export interface OfKind {
  accepted: number
  /** By code. */
  readonly refused: Map<number, number>
  /** By why there is no usable answer. */
  readonly unanswered: Map<string, number>
  readonly latency: RecordableHistogram
}

export interface Interval {
  calls: number
  failed: number
  readonly latency: RecordableHistogram
}

export interface Tally {
  readonly byKind: Readonly<Record<Kind, OfKind>>
  /** By the time at which calls were due; an interval in which none was due is missing. */
  readonly intervals: Map<number, Interval>
}

export function newTally(): Tally {
  const newOfKind = (): OfKind => ({ accepted: 0, refused: new Map(), unanswered: new Map(), latency: newHistogram() })
  const [place, settle, resettle, rollback, repeat] = KINDS.map(newOfKind) as [OfKind, OfKind, OfKind, OfKind, OfKind]
  return { byKind: { place, settle, resettle, rollback, repeat }, intervals: new Map() }
}

export interface Counted {
  readonly kind: Kind
  readonly outcome: CallOutcome
  readonly interval: number
  readonly tookMs: number
}

export function count(tally: Tally, { kind, outcome, interval, tookMs }: Counted): void {
  const ofKind = tally.byKind[kind]
  const now = intervalOf(tally, interval)
  for (const { latency } of [ofKind, now]) recordMs(latency, tookMs)
  now.calls++
  switch (outcome.kind) {
    case 'accepted':
      ofKind.accepted++
      break
    case 'refused':
      add(ofKind.refused, outcome.code, 1)
      break
    case 'unknown':
      now.failed++
      add(ofKind.unanswered, outcome.reason, 1)
      break
    default:
      outcome satisfies never
  }
}

export function addTally(tally: Tally, other: Tally): void {
  for (const kind of KINDS) {
    const [mine, theirs] = [tally.byKind[kind], other.byKind[kind]]
    mine.accepted += theirs.accepted
    for (const [code, calls] of theirs.refused) add(mine.refused, code, calls)
    for (const [reason, calls] of theirs.unanswered) add(mine.unanswered, reason, calls)
    mine.latency.add(theirs.latency)
  }
  for (const [number, { calls, failed, latency }] of other.intervals) {
    const mine = intervalOf(tally, number)
    mine.calls += calls
    mine.failed += failed
    mine.latency.add(latency)
  }
}

function intervalOf({ intervals }: Tally, number: number): Interval {
  const known = intervals.get(number)
  if (known !== undefined) return known
  const made: Interval = { calls: 0, failed: 0, latency: newHistogram(2) }
  intervals.set(number, made)
  return made
}

function add<K>(counts: Map<K, number>, key: K, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}
