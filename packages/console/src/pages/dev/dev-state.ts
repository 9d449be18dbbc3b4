/** State of `purser dev`, as its server sends it. */
import type { FrameState } from '../../shared/betting-frame/betting-frame.tsx'
import type { WireVerdict } from '../../shared/betting-frame/wire-calls.ts'

export interface DevTrouble {
  readonly name: string
  readonly title: string
  readonly hint: string
}

export interface DevCause {
  readonly cause: string
  readonly kind: WireVerdict['kind']
  readonly count: number
  /** The first verdict with this cause. Call 0: it concerns no single call. */
  readonly example: WireVerdict & { readonly call: number }
}

export interface DevState extends FrameState {
  readonly players: readonly {
    readonly userId: string
    readonly currency: string
    readonly balance: string | null
  }[]
  readonly wallet: {
    readonly url: string
    readonly isUp: boolean
    /** Null while the wallet is up. */
    readonly sentence: string | null
  }
  readonly troubles: readonly DevTrouble[]
  /** Numbers of calls by the kind of their verdict. */
  readonly verdicts: {
    readonly calls: number
    readonly right: number
    readonly advice: number
    readonly wrong: number
    readonly undecided: number
    /** The most expensive fault is first. */
    readonly causes: readonly DevCause[]
  }
}
