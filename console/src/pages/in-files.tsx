/** Behind the last line of a statement: what lies in files (O-13), so that nobody thinks that money is missing. */
import type { ReactNode } from 'react'
import { amountText, Time } from '../format.tsx'
import type { Archived, StatementPage } from '../statement.ts'

/** Files that are named; a player can have many. */
const MOST = 5

/** Undefined where nothing lies in files. */
export function inFiles({ archived = [] }: StatementPage): ReactNode | undefined {
  return archived.length === 0 ? undefined : archived.map((one) => <InFiles key={one.currency} archived={one} />)
}

function InFiles({ archived: { currency, transferId, at, balance, files } }: { archived: Archived }) {
  const [named, others] = [files.slice(-MOST).toReversed(), files.length - MOST]
  return (
    <div className="body in-files muted small" role="note">
      <p>
        Archived: what moved in {currency} up to <Time at={at} /> ({transferId}) lies in files. The balance was{' '}
        {amountText(balance)} {currency} then.
      </p>
      <ul>
        {named.map(({ file, account }) => (
          <li key={`${file} ${account}`}>
            <code>{file}</code>, account {account}
          </li>
        ))}
        {others > 0 && <li>and {others} older ones</li>}
      </ul>
    </div>
  )
}
