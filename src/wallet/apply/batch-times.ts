/** When a batch began and ended, for the journal; and its span, where tracing is on. */
import type { Span } from '../../runtime/tracing.ts'
import { world } from '../../runtime/world.ts'

/** As `world.elapsed()` gives them. */
export interface BatchTimes {
  /** The same for all calls of one batch, of whatever process another for every other. */
  readonly id: string
  readonly takenAt: number
  readonly endedAt: number
  /** Of the batch, where tracing is on: below the call that it is named here with. */
  readonly traced?: { readonly span: Span; readonly below: Span } | undefined
}

const PROCESS = world.bytes(4).toString('hex')
let batches = 0

interface Begun {
  readonly span: Span | undefined
  /** To be called when the batch has ended. */
  end(failed?: boolean): BatchTimes
}

interface Traceable {
  readonly span: Span | undefined
}

type Way = 'gate' | 'rules'

export function beginBatch(entries: readonly Traceable[], way: Way): Begun {
  const id = `${PROCESS}-${++batches}`
  const takenAt = world.elapsed()
  const traced = trace(entries, way, id, takenAt)
  return {
    span: traced?.span,
    end(failed = false) {
      const endedAt = world.elapsed()
      traced?.span.end({ at: endedAt, failed })
      return { id, takenAt, endedAt, traced }
    },
  }
}

/** Below the first call that is traced, and linked to the others. Undefined when none is. */
function trace(entries: readonly Traceable[], way: Way, id: string, at: number): BatchTimes['traced'] {
  if (!entries.some(({ span }) => span?.isSeen)) return undefined
  const [below, ...links] = entries.flatMap(({ span }) => (span?.isSeen ? span : []))
  const attributes = { 'purser.batch': id, 'purser.calls': entries.length, 'purser.way': way }
  return below && { span: below.child('batch', { at, links, attributes }), below }
}
