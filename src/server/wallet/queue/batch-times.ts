/** When a batch began and ended, for the journal; and its span, where tracing is on. */

import { environment } from '../../../runtime/environment.ts'
import type { Span } from '../../../runtime/tracing.ts'

/** As `environment.monotonicNow()` gives them. */
export interface BatchTimes {
  /** The same for all calls of one batch, of whatever process another for every other. */
  readonly id: string
  readonly takenAt: number
  readonly endedAt: number
  /** Of the batch, where tracing is on: below the call that it is named here with. */
  readonly traced?: { readonly span: Span; readonly below: Span } | undefined
}

const PROCESS = environment.randomBytes(4).toString('hex')
let batches = 0

interface RunningBatch {
  readonly span: Span | undefined
  /** To be called when the batch has ended. */
  end(failed?: boolean): BatchTimes
}

interface Traceable {
  readonly span: Span | undefined
}

type BatchPath = 'gate' | 'rules'

export function beginBatch(entries: readonly Traceable[], path: BatchPath): RunningBatch {
  const id = `${PROCESS}-${++batches}`
  const takenAt = environment.monotonicNow()
  const traced = trace(entries, path, id, takenAt)
  return {
    span: traced?.span,
    end(failed = false) {
      const endedAt = environment.monotonicNow()
      traced?.span.end({ at: endedAt, failed })
      return { id, takenAt, endedAt, traced }
    },
  }
}

/** Below the first call that is traced, and linked to the others. Undefined when none is. */
function trace(entries: readonly Traceable[], path: BatchPath, id: string, at: number): BatchTimes['traced'] {
  if (!entries.some(({ span }) => span?.isSampled)) return undefined
  const [below, ...links] = entries.flatMap(({ span }) => (span?.isSampled ? span : []))
  const attributes = { 'purser.batch': id, 'purser.calls': entries.length, 'purser.way': path }
  return below && { span: below.child('batch', { at, links, attributes }), below }
}
