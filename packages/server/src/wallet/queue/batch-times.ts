/** Start and end times of a batch, for the journal, and its trace span if tracing is on. */

import { environment } from '@purser/runtime/environment'
import type { Span } from '@purser/runtime/tracing'

/** Times of `environment.monotonicNow()`. */
export interface BatchTimes {
  /** Unique across batches and processes; all calls of a batch share it. */
  readonly id: string
  readonly beganAt: number
  readonly endedAt: number
  /** Span of the batch if tracing is on, and the span of the call that is its parent. */
  readonly trace?: { readonly span: Span; readonly parent: Span } | undefined
}

const PROCESS = environment.randomBytes(4).toString('hex')
let batches = 0

interface RunningBatch {
  readonly span: Span | undefined
  end(failed?: boolean): BatchTimes
}

interface Traceable {
  readonly span: Span | undefined
}

type BatchPath = 'fast' | 'rules'

export function beginBatch(entries: readonly Traceable[], path: BatchPath): RunningBatch {
  const id = `${PROCESS}-${++batches}`
  const beganAt = environment.monotonicNow()
  const trace = beginSpan(entries, path, id, beganAt)
  return {
    span: trace?.span,
    end(failed = false) {
      const endedAt = environment.monotonicNow()
      trace?.span.end({ at: endedAt, failed })
      return { id, beganAt, endedAt, trace }
    },
  }
}

/**
 * The span is a child of the first sampled call and linked to the others; undefined if no call is
 * sampled.
 */
function beginSpan(entries: readonly Traceable[], path: BatchPath, id: string, at: number): BatchTimes['trace'] {
  if (!entries.some(({ span }) => span?.isSampled)) return undefined
  const [parent, ...links] = entries.flatMap(({ span }) => (span?.isSampled ? span : []))
  const attributes = { 'purser.batch': id, 'purser.calls': entries.length, 'purser.way': path }
  return parent && { span: parent.child('batch', { at, links, attributes }), parent }
}
