/**
 * Explanation of an answer, and a what-if table: the same call in each state of the bet, decided by
 * the wallet's own rules.
 */

import { formatSigned } from '@purser/timeline/amount-text'
import type { TimelineOperation, WalletBetDetail } from '@purser/timeline/bet-sources'
import { explainCall } from '@purser/timeline/call-explanation'
import { operationTitle, type TimelineCall } from '@purser/timeline/drawing/timeline-moments'
import { LIFE_TABLE, type LifeState } from '@purser/timeline/life-table'
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { useBalanceBeforeCall } from '../../shared/data/balance-before-call.ts'
import { analyzeWhatIf, type WhatIfCase } from '../../shared/what-if/what-if.ts'

/**
 * Only calls that reached the rules of a bet are explained. An earlier rejection has its reason in
 * the answer.
 */
export function AnswerExplanation({ call, wallet }: { call: TimelineCall; wallet: WalletBetDetail | undefined }) {
  const at = call.wallet === undefined || wallet === undefined ? -1 : wallet.history.indexOf(call.wallet)
  const { operation, journal } = call
  if (wallet !== undefined && at >= 0 && operation !== 'other')
    return <WhatIfTable wallet={wallet} at={at} operation={operation} />
  if (call.wallet !== undefined || journal === undefined) return null
  return (
    <p className="why-says small">
      The life table did not decide this call. The wallet responded{' '}
      <strong>{journal.outcome.replaceAll('_', ' ')}</strong>.
    </p>
  )
}

const STATUS_NAMES: Readonly<Record<LifeState, string>> = {
  nothing: 'no bet',
  open: 'open',
  settled: 'settled',
  cancelled: 'cancelled',
  refused: 'declined',
}

function WhatIfTable({ wallet, at, operation }: { wallet: WalletBetDetail; at: number; operation: TimelineOperation }) {
  const available = useBalanceBeforeCall(wallet, at)
  const analysis = analyzeWhatIf(wallet, at)
  const own = analysis?.rows.find(({ isOwn }) => isOwn)
  if (analysis === undefined || own === undefined) return null
  return (
    <div className="why">
      <h3>Why, and what if</h3>
      <p className="why-says">{explainCall(wallet, at, available)}</p>
      <p className="muted small">
        Rule: <strong>{STATUS_NAMES[own.known]}</strong>, {operationTitle(operation)}:{' '}
        <code>{LIFE_TABLE[own.known][operation]}</code>
      </p>
      {!analysis.isAsRecorded && (
        <p className="notice" role="status">
          The recorded response differs. It came from another version of the rules.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must scroll it */}
      <section className="scroll" aria-label="The same call in each bet status" tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>Bet status before</th>
              <th>Response</th>
              <th className="num">Player balance change</th>
              <th>Bet becomes</th>
            </tr>
          </thead>
          <tbody>
            {analysis.rows.map((row) => (
              <WhatIfRow key={`${row.known} ${row.had} ${row.isOwn}`} row={row} />
            ))}
          </tbody>
        </table>
      </section>
      <p className="muted small">
        The browser applies the wallet’s own rules. The row ◂ is the recorded call. The other rows assume a new request
        with the same content, a valid token, a player without restrictions, enough money, and an unlocked result.
      </p>
    </div>
  )
}

function WhatIfRow({
  row: { known, had, isOwn, answer, isRepeat, moves, forPlayer, leaves, anomaly },
}: {
  row: WhatIfCase
}) {
  return (
    <tr className={isOwn ? 'at' : undefined}>
      <td>
        {STATUS_NAMES[known]}
        {isOwn && <span className="why-own"> ◂ this call</span>}
        <small>{had}</small>
      </td>
      <td>
        {answer === 200 ? (isRepeat ? '200 (repeat)' : '200') : describeReplyCode(answer.code)}
        {answer !== 200 && answer.detail !== undefined && <small>{answer.detail}</small>}
        {anomaly !== undefined && <small>needs review: {anomaly}</small>}
      </td>
      <td className="num">
        {formatSigned(forPlayer)}
        {moves.map(({ what: posting, amount }) => (
          <small key={posting}>
            {amount} {posting}
          </small>
        ))}
      </td>
      <td>{STATUS_NAMES[leaves]}</td>
    </tr>
  )
}
