/** Why a call was answered as it was, and what if: the rows of the life table, each judged by the wallet's own rules. */

import { signed } from '../../../../src/timeline/amounts.ts'
import { sayBranch } from '../../../../src/timeline/branch.ts'
import { type Call, titleOf } from '../../../../src/timeline/moments.ts'
import { sayCode } from '../../../../src/timeline/refusal.ts'
import type { Operation, WalletBet } from '../../../../src/timeline/sources.ts'
import { LIFE } from '../../../../src/timeline/why.ts'
import { useBalanceAt } from '../../balance-at.ts'
import { type Row, whatIf } from '../../what-if/what-if.ts'

/** Only of calls that the rules of a bet's life have answered; what was refused before that has its reason in the answer. */
export function Why({ call, wallet }: { call: Call; wallet: WalletBet | undefined }) {
  const at = call.wallet === undefined || wallet === undefined ? -1 : wallet.history.indexOf(call.wallet)
  const { operation, journal } = call
  if (wallet !== undefined && at >= 0 && operation !== 'other')
    return <WhatIf wallet={wallet} at={at} operation={operation} />
  if (call.wallet !== undefined || journal === undefined) return null
  return (
    <p className="why-says small">
      The bet's life did not decide this: the wallet answered <strong>{journal.outcome.replaceAll('_', ' ')}</strong>.
    </p>
  )
}

function WhatIf({ wallet, at, operation }: { wallet: WalletBet; at: number; operation: Operation }) {
  const available = useBalanceAt(wallet, at)
  const judged = whatIf(wallet, at)
  const own = judged?.rows.find(({ isOwn }) => isOwn)
  if (judged === undefined || own === undefined) return null
  return (
    <div className="why">
      <h3>Why this answer, and what if</h3>
      <p className="why-says">{sayBranch(wallet, at, available)}</p>
      <p className="muted small">
        The row of the life table: <strong>{own.known}</strong>, {titleOf(operation)}:{' '}
        <code>{LIFE[own.known][operation]}</code>
      </p>
      {!judged.isAsRecorded && (
        <p className="notice" role="status">
          On record is another answer: it was given by other rules than those of this version.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys */}
      <section className="scroll" aria-label="The same call in every state" tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>Had the wallet known</th>
              <th>it would answer</th>
              <th className="num">For the player</th>
              <th>The bet then</th>
            </tr>
          </thead>
          <tbody>
            {judged.rows.map((row) => (
              <WhatIfRow key={`${row.known} ${row.had} ${row.isOwn}`} row={row} />
            ))}
          </tbody>
        </table>
      </section>
      <p className="muted small">
        Judged here by the wallet's own rules. The rows that did not happen are for a new request of the same content, a
        live token, a player who may bet, enough money, and a result that is not locked.
      </p>
    </div>
  )
}

function WhatIfRow({ row: { known, had, isOwn, answer, isRepeat, moves, forPlayer, leaves, anomaly } }: { row: Row }) {
  return (
    <tr className={isOwn ? 'at' : undefined}>
      <td>
        {known}
        {isOwn && <span className="why-own"> ◂ this call</span>}
        <small>{had}</small>
      </td>
      <td>
        {answer === 200 ? (isRepeat ? '200, as before' : '200') : sayCode(answer.code)}
        {answer !== 200 && answer.says !== undefined && <small>{answer.says}</small>}
        {anomaly !== undefined && <small>to be looked at: {anomaly}</small>}
      </td>
      <td className="num">
        {signed(forPlayer)}
        {moves.map(({ what, amount }) => (
          <small key={what}>
            {amount} {what}
          </small>
        ))}
      </td>
      <td>{leaves === 'nothing' ? 'unknown' : leaves}</td>
    </tr>
  )
}
