/**
 * The note about archived transfers (O-13) below a player's account statement, so that no money
 * seems to be missing.
 */
import type { ReactNode } from 'react'
import { amountText, Time } from '../charts/format.tsx'
import type { ArchivedRange, StatementPage } from '../data/statement.ts'

/** The most files named; a player can have many. */
const MAX_NAMED = 5

/** Undefined without archived transfers. */
export function renderArchivedNotes({ archived = [] }: StatementPage): ReactNode | undefined {
  return archived.length === 0 ? undefined : archived.map((one) => <ArchivedNote key={one.currency} archived={one} />)
}

function ArchivedNote({ archived: { currency, transferId, at, balance, files } }: { archived: ArchivedRange }) {
  const [named, others] = [files.slice(-MAX_NAMED).toReversed(), files.length - MAX_NAMED]
  return (
    <div className="body in-files muted small" role="note">
      <p>
        Transfers in {currency} up to <Time at={at} /> ({transferId}) are archived in files. The balance at that time
        was {amountText(balance)} {currency}.
      </p>
      <ul>
        {named.map(({ file, account }) => (
          <li key={`${file} ${account}`}>
            <code>{file}</code>, account {account}
          </li>
        ))}
        {others > 0 && <li>and {others} older files</li>}
      </ul>
    </div>
  )
}
