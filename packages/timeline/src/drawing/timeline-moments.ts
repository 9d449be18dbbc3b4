/** Model of a timeline: decisions and calls in order of time. */
import type {
  AttemptView,
  DeliveryView,
  JournalCallDetail,
  TimelineOperation,
  TransferView,
  WalletCallView,
} from '../bet-sources.ts'

/** From the caller's view. */
export type CallEnding = 'accepted' | 'repeated' | 'refused' | 'unanswered' | 'pending' | 'stuck'

export interface PlatformDecision {
  readonly kind: 'decision'
  readonly id: string
  readonly at: number
  readonly operation: TimelineOperation
  readonly title: string
  readonly detail: string
  /** A longer `detail`, for places with more room. */
  readonly longDetail?: string
}

export interface TimelineCall {
  readonly kind: 'call'
  readonly id: string
  readonly at: number
  readonly durationMs: number
  /** `other` occurs only in conformance cases. */
  readonly operation: TimelineOperation | 'other'
  /** Replaces the operation's name. */
  readonly title?: string
  readonly requestId: string
  readonly attempt: number
  /** Present if the network delivered the call twice. */
  readonly isCopy?: true
  readonly ending: CallEnding
  /** "200", "not enough money (7)", "no response", "connection lost" */
  readonly answer: string
  readonly transfers: readonly TransferView[]
  /** Present if a later reading of the balance showed no change. */
  readonly movedNothing?: true
  /** Absent if the request did not reach the wallet. */
  readonly wallet?: WalletCallView
  readonly made?: AttemptView
  readonly delivery?: DeliveryView
  readonly journal?: JournalCallDetail
}

export type TimelineMoment = PlatformDecision | TimelineCall

export interface BetHistory {
  readonly betId: string
  readonly player: string
  readonly currency: string
  readonly moments: readonly TimelineMoment[]
  /** Only of a conformance case: true if the kit read balances. */
  readonly hasBalances?: boolean
  /** True if the wallet's record is missing. */
  readonly isOfPlatformOnly?: boolean
}

export function compareMoments(a: TimelineMoment, b: TimelineMoment): number {
  return a.at - b.at || (a.kind === b.kind ? 0 : a.kind === 'decision' ? -1 : 1)
}

const TITLES: Readonly<Record<TimelineOperation, string>> = {
  place: 'Place bet',
  settle: 'Settle',
  unsettle: 'Unsettle',
  rollback: 'Rollback',
}

export function operationTitle(operation: string): string {
  return TITLES[operation as TimelineOperation] ?? operation
}

export function isTimelineOperation(operation: string): operation is TimelineOperation {
  return Object.hasOwn(TITLES, operation)
}
