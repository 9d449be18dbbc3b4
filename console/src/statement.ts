/** A line of a player's statement, as the wallet's API tells it. */
export interface StatementRow {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly transactionId?: string
  readonly reference?: string
  readonly reason?: string
  readonly at: string
}

const OF_BETS = ['stake', 'refund', 'payout', 'payout_reversal']
export const isOfBet = ({ kind }: StatementRow) => OF_BETS.includes(kind)
