/**
 * Export of a bet's calls for the simulator, whose rules are a second, independent implementation.
 */

import { quoteForShell } from '@purser/runtime/text/curl-command'
import type { WalletBetDetail } from '@purser/timeline/bet-sources'
import { toSimulatorReplay } from '@purser/timeline/simulator-replay'
import { useState } from 'react'
import { Dialog } from '../../shared/controls/dialog.tsx'
import { CodeBlock } from '../../shared/controls/page-states.tsx'
import { downloadText } from '../../shared/data/file-download.ts'

export function ReplayExport({ wallet }: { wallet: WalletBetDetail }) {
  const [isOpen, setOpen] = useState(false)
  const { history, saved, leftOut } = toSimulatorReplay(wallet)
  const save = () => downloadText(`bet-${wallet.transactionId.slice(0, 8)}.history.txt`, `${saved}\n`, 'text/plain')
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Export for simulator
      </button>
      {isOpen && (
        <Dialog title="Export for simulator" close={() => setOpen(false)}>
          <p>
            The history has the same calls in the same order, with the simulator’s amounts. Run this command in a clone
            of Purser. It checks each response against the rules, and the ledger with an audit.
          </p>
          <CodeBlock name="Command">{`npm run simulate -- --history ${quoteForShell(history)}`}</CodeBlock>
          {leftOut.length > 0 && <p className="notice">The simulator does not support {leftOut.join(', nor ')}.</p>}
          <div className="choices">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Close
            </button>
            <button type="button" className="button main-one" onClick={save}>
              Download history
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
