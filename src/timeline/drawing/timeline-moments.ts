/** What a picture is drawn from: decisions and calls, one after the other. */
import type {
  AttemptView,
  DeliveryView,
  JournalCallDetail,
  TimelineOperation,
  TransferView,
  WalletCallView,
} from '../bet-sources.ts'

/** How an attempt ended, as the caller saw it. */
export type CallEnding = 'accepted' | 'repeated' | 'refused' | 'unanswered' | 'pending' | 'stuck'

export interface PlatformDecision {
  readonly kind: 'decision'
  readonly id: string
  readonly at: number
  readonly operation: TimelineOperation
  readonly title: string
  readonly detail: string
  /** The detail in full, where there is more room than in the picture. */
  readonly says?: string
}

export interface TimelineCall {
  readonly kind: 'call'
  readonly id: string
  readonly at: number
  readonly durationMs: number
  /** A conformance case has other calls too. */
  readonly operation: TimelineOperation | 'other'
  /** Instead of the operation's name. */
  readonly title?: string
  readonly requestId: string
  readonly attempt: number
  /** Nobody sent it again: it came twice. */
  readonly isCopy?: true
  readonly ending: CallEnding
  /** "200", "not enough money (7)", "no answer", "connection lost". */
  readonly answer: string
  readonly transfers: readonly TransferView[]
  /** Somebody has looked at the balance since, and nothing had moved. */
  readonly movedNothing?: true
  /** What the wallet did with the request, if it ever came there. */
  readonly wallet?: WalletCallView
  readonly made?: AttemptView
  readonly delivery?: DeliveryView
  readonly journal?: JournalCallDetail
}

export type TimelineMoment = PlatformDecision | TimelineCall

export interface BetHistory {
  /** Of a bet. */
  readonly betId: string
  readonly player: string
  readonly currency: string
  readonly moments: readonly TimelineMoment[]
  /** Of a conformance case: whether balances were looked at. */
  readonly hasBalances?: boolean
  /** What the wallet did is told by its answers only. */
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
