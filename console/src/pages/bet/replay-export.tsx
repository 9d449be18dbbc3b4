/** The bet's calls as a history for the simulator, which judges each answer by rules that were written a second time. */

import { useState } from 'react'
import { quoteForShell } from '../../../../src/runtime/curl-command.ts'
import type { WalletBetDetail } from '../../../../src/timeline/bet-sources.ts'
import { toSimulatorReplay } from '../../../../src/timeline/simulator-replay.ts'
import { Dialog } from '../../dialog.tsx'
import { downloadText } from '../../file-download.ts'
import { CodeBlock } from '../../page-states.tsx'

export function ReplayExport({ wallet }: { wallet: WalletBetDetail }) {
  const [isOpen, setOpen] = useState(false)
  const { history, saved, leftOut } = toSimulatorReplay(wallet)
  const save = () => downloadText(`bet-${wallet.transactionId.slice(0, 8)}.history.txt`, `${saved}\n`, 'text/plain')
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Replay
      </button>
      {isOpen && (
        <Dialog title="Replay" close={() => setOpen(false)}>
          <p>
            The same calls in the same order, with the simulator's amounts. Run this where Purser's sources are: each
            answer is judged by the rules, an auditor and the laws of the money.
          </p>
          <CodeBlock name="Command">{`npm run simulate -- --history ${quoteForShell(history)}`}</CodeBlock>
          {leftOut.length > 0 && <p className="notice">The simulator does not know {leftOut.join(', nor ')}.</p>}
          <div className="choices">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Close
            </button>
            <button type="button" className="button main-one" onClick={save}>
              Save the history
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
