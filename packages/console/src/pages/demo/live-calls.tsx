/**
 * Live list of the calls about the demo player between platform and wallet, including lost calls.
 */

import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { replyCodeName } from '@purser/timeline/refusal-reasons'
import { VerdictMark } from '../../shared/betting-frame/verdict-mark.tsx'
import { describeWireCall, useWireCalls, type WireCall, wireCallState } from '../../shared/betting-frame/wire-calls.ts'
import { Time } from '../../shared/charts/format.tsx'

const SHOWN = 9

export function LiveCalls() {
  const calls = useWireCalls(SHOWN)
  return (
    <section className="card wire" aria-label="On the wire">
      <header>
        <h2>On the wire</h2>
        <span className="spring" />
        <span className="muted small">platform → wallet</span>
      </header>
      {calls.length === 0 ? (
        <p className="demo-hint muted">Calls appear here when you place a bet.</p>
      ) : (
        <ol>
          {calls.map((call) => (
            <Row key={call.number} call={call} />
          ))}
        </ol>
      )}
    </section>
  )
}

function Row({ call }: { call: WireCall }) {
  const state = wireCallState(call)
  const { verdict } = call
  return (
    <li className={`wire-${state}`}>
      <span className="wire-name">
        {operationTitle(call.operation)}
        {call.isAgain && <span className="small muted"> again</span>}
        <span className="small muted wire-time">
          <Time at={call.at} />
        </span>
      </span>
      <span className="wire-line" aria-hidden="true">
        <span className="wire-dot" />
      </span>
      <span className="wire-said">
        {verdict !== undefined && <VerdictMark kind={verdict.kind} hint={verdict.sentence} />} {describeWireCall(call)}
        {call.code !== undefined && call.endedAt !== undefined && (
          <small title={replyCodeName(call.code)}>{replyCodeName(call.code)}</small>
        )}
      </span>
    </li>
  )
}
