/** Types of a player's account statement, as in the wallet's API. */
import type { BetSelections } from '../controls/selection-summary.tsx'

export interface StatementRow {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly transactionId?: string
  readonly reference?: string
  readonly reason?: string
  /** The present state of the bet. */
  readonly bet?: BetSelections & { readonly status: string; readonly resultType?: string }
  readonly at: string
}

const OF_BETS = ['stake', 'refund', 'payout', 'payout_reversal']
export const isOfBet = ({ kind }: StatementRow) => OF_BETS.includes(kind)

/** Archived transfers of an account (O-13), which no list contains. */
export interface ArchivedRange {
  readonly currency: string
  readonly transferId: string
  readonly at: string
  /** The balance after the last archived transfer. */
  readonly balance: string
  readonly files: readonly { readonly file: string; readonly account: number }[]
}

/** The last page has `archived`. */
export interface StatementPage {
  readonly data: readonly StatementRow[]
  readonly next: string | null
  readonly archived?: readonly ArchivedRange[]
}
