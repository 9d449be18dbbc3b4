/** A player's statement, as the wallet's API tells it. */
import type { BetSelections } from '../controls/selection-summary.tsx'

/** One line of it. */
export interface StatementRow {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly transactionId?: string
  readonly reference?: string
  readonly reason?: string
  /** Of a line of a bet: how it stands now. */
  readonly bet?: BetSelections & { readonly status: string; readonly resultType?: string }
  readonly at: string
}

const OF_BETS = ['stake', 'refund', 'payout', 'payout_reversal']
export const isOfBet = ({ kind }: StatementRow) => OF_BETS.includes(kind)

/** What of an account lies in files (O-13), and is in no list. */
export interface ArchivedRange {
  readonly currency: string
  readonly transferId: string
  readonly at: string
  /** After the last of it: what the rest begins with. */
  readonly balance: string
  readonly files: readonly { readonly file: string; readonly account: number }[]
}

/** A page of the statement; the last one says what lies in files. */
export interface StatementPage {
  readonly data: readonly StatementRow[]
  readonly next: string | null
  readonly archived?: readonly ArchivedRange[]
}
