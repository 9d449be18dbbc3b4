/**
 * Live list of the calls about the demo player between platform and wallet, including lost calls.
 */

import { formatDuration } from '@purser/timeline/drawing/time-format'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { replyCodeName } from '@purser/timeline/refusal-reasons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getJson } from '../../app/console-api.ts'
import { Time } from '../../shared/charts/format.tsx'

interface WireCall {
  readonly number: number
  readonly at: string
  readonly operation: string
  readonly betId: string
  readonly amount?: string
  readonly trouble?: string
  readonly status?: number
  readonly code?: number
  readonly isLost: boolean
  readonly isAgain: boolean
  readonly endedAt?: string
}

interface WirePage {
  readonly calls: readonly WireCall[]
  readonly next: number
}

const POLL_MS = 300
const SHOWN = 9

function useWireCalls(): readonly WireCall[] {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['wire'],
    queryFn: async ({ signal }): Promise<WirePage> => {
      const before = client.getQueryData<WirePage>(['wire']) ?? { calls: [], next: 0 }
      const { calls, next } = await getJson<WirePage>(`/sandbox/frame/wire?after=${before.next}`, signal)
      const known = new Map(before.calls.map((call) => [call.number, call]))
      for (const call of calls) known.set(call.number, call)
      return { calls: [...known.values()].sort((a, b) => b.number - a.number).slice(0, SHOWN), next }
    },
    refetchInterval: POLL_MS,
  })
  return data?.calls ?? []
}

export function LiveCalls() {
  const calls = useWireCalls()
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
  const state = callState(call)
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
        {describeWireCall(call)}
        {call.code !== undefined && call.endedAt !== undefined && (
          <small title={replyCodeName(call.code)}>{replyCodeName(call.code)}</small>
        )}
      </span>
    </li>
  )
}

function callState({ status, isLost, endedAt }: WireCall): 'flying' | 'lost' | 'refused' | 'done' {
  if (isLost) return 'lost'
  if (endedAt === undefined) return 'flying'
  return status === 200 ? 'done' : 'refused'
}

function describeWireCall({ status, code, isLost, isAgain, endedAt, at, trouble }: WireCall): string {
  if (endedAt === undefined)
    return trouble === 'late answer' && status !== undefined ? 'response delayed…' : 'in progress…'
  const answer = status === undefined ? 'no response' : code === undefined ? `${status}` : `code ${code}`
  if (isLost) return status === undefined ? 'lost' : `${answer}, response lost`
  return isAgain ? `${answer}, the same` : `${answer} · ${formatDuration(Date.parse(endedAt) - Date.parse(at))}`
}
