/** A transfer as a line: of one player's statement, or of all players. */
import { pathPart } from '../../../src/protocol/path-part.ts'
import { signed } from '../../../src/timeline/amounts.ts'
import { sayKind } from '../../../src/timeline/say.ts'
import { BetOn } from '../bet-on.tsx'
import { amountText, capital, Time } from '../format.tsx'
import { ShortId } from '../ids.tsx'
import type { Column } from '../list.tsx'
import { NONE } from '../parts.tsx'
import type { StatementRow } from '../statement.ts'
import { BetState } from './bets.tsx'

export function transferColumns<T extends StatementRow>(userOf: (row: T) => string): readonly Column<T>[] {
  return [
    { name: 'Time', show: ({ at }) => <Time at={at} /> },
    { name: 'What', show: ({ kind }) => capital(sayKind(kind)) },
    { name: 'About', show: (row) => <About of={row} user={userOf(row)} /> },
    { name: 'Match', show: ({ bet }) => (bet ? <BetOn of={bet} /> : NONE) },
    { name: 'Bet now', show: ({ bet }) => (bet ? <BetState {...bet} /> : NONE) },
    { name: 'Amount', isNumber: true, show: ({ amount }) => signed(amount) },
    { name: 'Balance', isNumber: true, show: ({ balance }) => amountText(balance) },
    { name: 'Currency', show: ({ currency }) => currency },
  ]
}

function About({ of: { transactionId, reference, reason }, user }: { of: StatementRow; user: string }) {
  if (transactionId === undefined)
    return <span className="muted about">{[reason, reference].filter(Boolean).join(' · ')}</span>
  return <ShortId id={transactionId} href={`/bets/${pathPart(user)}/${pathPart(transactionId)}`} />
}
