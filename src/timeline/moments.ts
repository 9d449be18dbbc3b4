/** What a picture is drawn from: decisions and calls, one after the other. */
import type { Attempt, Delivery, JournalCall, Operation, Transfer, WalletCall } from './sources.ts'

/** How an attempt ended, as the caller saw it. */
export type Ending = 'accepted' | 'repeated' | 'refused' | 'unanswered' | 'pending' | 'stuck'

export interface Decision {
  readonly kind: 'decision'
  readonly id: string
  readonly at: number
  readonly operation: Operation
  readonly title: string
  readonly detail: string
  /** The detail in full, where there is more room than in the picture. */
  readonly says?: string
}

export interface Call {
  readonly kind: 'call'
  readonly id: string
  readonly at: number
  readonly durationMs: number
  /** A conformance case has other calls too. */
  readonly operation: Operation | 'other'
  /** Instead of the operation's name. */
  readonly title?: string
  readonly requestId: string
  readonly attempt: number
  /** Nobody sent it again: it came twice. */
  readonly isCopy?: true
  readonly ending: Ending
  /** "200", "not enough money (7)", "no answer", "connection lost". */
  readonly answer: string
  readonly transfers: readonly Transfer[]
  /** Somebody has looked at the balance since, and nothing had moved. */
  readonly movedNothing?: true
  /** What the wallet did with the request, if it ever came there. */
  readonly wallet?: WalletCall
  readonly made?: Attempt
  readonly delivery?: Delivery
  readonly journal?: JournalCall
}

export type Moment = Decision | Call

export interface History {
  /** Of a bet. */
  readonly betId: string
  readonly player: string
  readonly currency: string
  readonly moments: readonly Moment[]
  /** Of a conformance case: whether balances were looked at. */
  readonly seesMoney?: boolean
  /** What the wallet did is told by its answers only. */
  readonly isOfPlatformOnly?: boolean
}

export function inOrder(a: Moment, b: Moment): number {
  return a.at - b.at || (a.kind === b.kind ? 0 : a.kind === 'decision' ? -1 : 1)
}

const TITLES: Readonly<Record<Operation, string>> = {
  place: 'Place bet',
  settle: 'Settle',
  unsettle: 'Unsettle',
  rollback: 'Rollback',
}

export function titleOf(operation: string): string {
  return TITLES[operation as Operation] ?? operation
}

export function isBetOperation(operation: string): operation is Operation {
  return Object.hasOwn(TITLES, operation)
}
