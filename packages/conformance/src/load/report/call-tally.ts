/**
 * Counts and latencies of the calls, by kind and by interval. Tallies of several workers can be
 * merged.
 */
import type { RecordableHistogram } from 'node:perf_hooks'
import type { CallOutcome } from '@purser/protocol/client/answer-classification'
import { CALL_KINDS, type CallKind } from '../call-mix.ts'
import { createLatencyHistogram, recordLatency } from './latency-histogram.ts'

export interface KindTally {
  accepted: number
  /** By code. */
  readonly refused: Map<number, number>
  /** By the reason why the answer was unusable. */
  readonly unanswered: Map<string, number>
  readonly latency: RecordableHistogram
}

export interface IntervalTally {
  calls: number
  failed: number
  readonly latency: RecordableHistogram
}

export interface CallTally {
  readonly byKind: Readonly<Record<CallKind, KindTally>>
  /** By the time at which calls were due. Intervals without a due call are absent. */
  readonly intervals: Map<number, IntervalTally>
}

export function createCallTally(): CallTally {
  const newOfKind = (): KindTally => ({
    accepted: 0,
    refused: new Map(),
    unanswered: new Map(),
    latency: createLatencyHistogram(),
  })
  const [place, settle, resettle, rollback, repeat] = CALL_KINDS.map(newOfKind) as [
    KindTally,
    KindTally,
    KindTally,
    KindTally,
    KindTally,
  ]
  return { byKind: { place, settle, resettle, rollback, repeat }, intervals: new Map() }
}

export interface CountedCall {
  readonly kind: CallKind
  readonly outcome: CallOutcome
  readonly interval: number
  readonly tookMs: number
}

export function countCall(tally: CallTally, { kind, outcome, interval, tookMs }: CountedCall): void {
  const ofKind = tally.byKind[kind]
  const now = getOrCreateInterval(tally, interval)
  for (const { latency } of [ofKind, now]) recordLatency(latency, tookMs)
  now.calls++
  switch (outcome.kind) {
    case 'accepted':
      ofKind.accepted++
      break
    case 'refused':
      increment(ofKind.refused, outcome.code, 1)
      break
    case 'unknown':
      now.failed++
      increment(ofKind.unanswered, outcome.reason, 1)
      break
    default:
      outcome satisfies never
  }
}

export function mergeTally(tally: CallTally, other: CallTally): void {
  for (const kind of CALL_KINDS) {
    const [mine, theirs] = [tally.byKind[kind], other.byKind[kind]]
    mine.accepted += theirs.accepted
    for (const [code, calls] of theirs.refused) increment(mine.refused, code, calls)
    for (const [reason, calls] of theirs.unanswered) increment(mine.unanswered, reason, calls)
    mine.latency.add(theirs.latency)
  }
  for (const [number, { calls, failed, latency }] of other.intervals) {
    const mine = getOrCreateInterval(tally, number)
    mine.calls += calls
    mine.failed += failed
    mine.latency.add(latency)
  }
}

function getOrCreateInterval({ intervals }: CallTally, number: number): IntervalTally {
  const known = intervals.get(number)
  if (known !== undefined) return known
  const made: IntervalTally = { calls: 0, failed: 0, latency: createLatencyHistogram(2) }
  intervals.set(number, made)
  return made
}

function increment<K>(counts: Map<K, number>, key: K, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}
