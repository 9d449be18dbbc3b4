/**
 * Table columns that show a transfer, for the account statement of a player and the list of
 * transfers.
 */
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { formatTransferKind } from '@purser/timeline/moment-text'
import { amountText, capital, Time } from '../../shared/charts/format.tsx'
import { ShortId } from '../../shared/controls/ids.tsx'
import { DASH } from '../../shared/controls/page-states.tsx'
import type { ListColumn } from '../../shared/controls/paged-list.tsx'
import { SelectionSummary } from '../../shared/controls/selection-summary.tsx'
import type { StatementRow } from '../../shared/data/statement.ts'
import { BetState } from '../bets/bets-page.tsx'

export function transferColumns<T extends StatementRow>(userOf: (row: T) => string): readonly ListColumn<T>[] {
  return [
    { name: 'Time', show: ({ at }) => <Time at={at} /> },
    { name: 'Type', show: ({ kind }) => capital(formatTransferKind(kind)) },
    { name: 'Reference', show: (row) => <About of={row} user={userOf(row)} /> },
    { name: 'Match', show: ({ bet }) => (bet ? <SelectionSummary of={bet} /> : DASH) },
    { name: 'Bet status', show: ({ bet }) => (bet ? <BetState {...bet} /> : DASH) },
    { name: 'Amount', isNumber: true, show: ({ amount }) => formatSigned(amount) },
    { name: 'Balance', isNumber: true, show: ({ balance }) => amountText(balance) },
    { name: 'Currency', show: ({ currency }) => currency },
  ]
}

function About({ of: { transactionId, reference, reason }, user }: { of: StatementRow; user: string }) {
  if (transactionId === undefined)
    return <span className="muted about">{[reason, reference].filter(Boolean).join(' · ')}</span>
  return <ShortId id={transactionId} href={`/bets/${encodePathSegment(user)}/${encodePathSegment(transactionId)}`} />
}
