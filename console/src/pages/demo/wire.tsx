/** The right side of the demo: the player's calls as they travel between platform and wallet, those too that get lost. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { titleOf } from '../../../../src/timeline/moments.ts'
import { nameOfCode } from '../../../../src/timeline/refusal.ts'
import { spanOf } from '../../../../src/timeline/spans.ts'
import { read } from '../../api.ts'
import { Time } from '../../format.tsx'

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

interface Seen {
  readonly calls: readonly WireCall[]
  readonly next: number
}

/** Milliseconds between two looks, and calls that are shown. */
const LOOK_MS = 300
const SHOWN = 9

function useWire(): readonly WireCall[] {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['wire'],
    queryFn: async ({ signal }): Promise<Seen> => {
      const before = client.getQueryData<Seen>(['wire']) ?? { calls: [], next: 0 }
      const { calls, next } = await read<Seen>(`/sandbox/frame/wire?after=${before.next}`, signal)
      const known = new Map(before.calls.map((call) => [call.number, call]))
      for (const call of calls) known.set(call.number, call)
      return { calls: [...known.values()].sort((a, b) => b.number - a.number).slice(0, SHOWN), next }
    },
    refetchInterval: LOOK_MS,
  })
  return data?.calls ?? []
}

export function Wire() {
  const calls = useWire()
  return (
    <section className="card wire" aria-label="On the wire">
      <header>
        <h2>On the wire</h2>
        <span className="spring" />
        <span className="muted small">platform → wallet</span>
      </header>
      {calls.length === 0 ? (
        <p className="demo-hint muted">Calls travel here, as soon as you place a bet.</p>
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
  const state = stateOf(call)
  return (
    <li className={`wire-${state}`}>
      <span className="wire-name">
        {titleOf(call.operation)}
        {call.isAgain && <span className="small muted"> again</span>}
        <span className="small muted wire-time">
          <Time at={call.at} />
        </span>
      </span>
      <span className="wire-line" aria-hidden="true">
        <span className="wire-dot" />
      </span>
      <span className="wire-said">
        {sayCall(call)}
        {call.code !== undefined && call.endedAt !== undefined && (
          <small title={nameOfCode(call.code)}>{nameOfCode(call.code)}</small>
        )}
      </span>
    </li>
  )
}

function stateOf({ status, isLost, endedAt }: WireCall): 'flying' | 'lost' | 'refused' | 'done' {
  if (isLost) return 'lost'
  if (endedAt === undefined) return 'flying'
  return status === 200 ? 'done' : 'refused'
}

function sayCall({ status, code, isLost, isAgain, endedAt, at, trouble }: WireCall): string {
  if (endedAt === undefined)
    return trouble === 'late answer' && status !== undefined ? 'answered, held up…' : 'on its way…'
  const answer = status === undefined ? 'never came' : code === undefined ? `${status}` : `code ${code}`
  if (isLost) return status === undefined ? 'lost' : `${answer}, unheard`
  return isAgain ? `${answer}, the same` : `${answer} · ${spanOf(Date.parse(endedAt) - Date.parse(at))}`
}
