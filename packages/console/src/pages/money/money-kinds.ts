/**
 * Kinds of money movements. Each has a label on the Finance page, a kind of transfer, and a member
 * of the report.
 */
export const MONEY_KINDS = [
  { name: 'Deposits', kind: 'deposit', of: 'deposits', isLess: false },
  { name: 'Stakes', kind: 'stake', of: 'stakes', isLess: true },
  { name: 'Payouts', kind: 'payout', of: 'payouts', isLess: false },
  { name: 'Refunds', kind: 'refund', of: 'refunds', isLess: false },
  { name: 'Payout reversals', kind: 'payout_reversal', of: 'resettlements', isLess: false },
  { name: 'Adjustments', kind: 'adjustment', of: 'adjustments', isLess: false },
  { name: 'Openings', kind: 'opening', of: 'openings', isLess: false },
  { name: 'Withdrawals', kind: 'withdrawal', of: 'withdrawals', isLess: true },
] as const
