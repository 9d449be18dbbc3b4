/** The calls of a betting frame's players between platform and wallet, read while they happen. */
import { formatDuration } from '@purser/timeline/drawing/time-format'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getJson } from '../../app/console-api.ts'

export interface WireVerdict {
  readonly kind: 'right' | 'advice' | 'wrong' | 'undecided'
  /** The wallet's behaviour and the demand. */
  readonly sentence: string
  /** Short name of the fault. */
  readonly cause?: string
  readonly caseId?: string
  readonly clause?: string
  readonly clauseWords?: string
  readonly loses?: string
  readonly whom?: 'player' | 'operator'
  readonly remedy?: string
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type WireAnswer =
  | { readonly kind: 'some'; readonly status: number; readonly contentType: string; readonly body: string }
  | { readonly kind: 'none'; readonly why: string }

export interface WireCall {
  readonly number: number
  readonly at: string
  readonly player?: string
  readonly operation: string
  readonly betId: string
  readonly amount?: string
  readonly currency?: string
  readonly resultType?: string
  /** The fault that the proxy caused. */
  readonly trouble?: string
  readonly status?: number
  readonly code?: number
  readonly isLost: boolean
  readonly isAgain: boolean
  readonly endedAt?: string
  /** Without the delays of the proxy. */
  readonly durationMs?: number
  readonly request?: WireRequest
  readonly answer?: WireAnswer
  readonly verdict?: WireVerdict
  /** Repeats the call. */
  readonly curl?: string
}

interface WirePage {
  readonly calls: readonly WireCall[]
  readonly next: number
}

const POLL_MS = 300

/** The newest calls, newest first. */
export function useWireCalls(max: number): readonly WireCall[] {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['wire'],
    queryFn: async ({ signal }): Promise<WirePage> => {
      const before = client.getQueryData<WirePage>(['wire']) ?? { calls: [], next: 0 }
      const { calls, next } = await getJson<WirePage>(`/sandbox/frame/wire?after=${before.next}`, signal)
      if (calls.length === 0) return { ...before, next }
      const known = new Map(before.calls.map((call) => [call.number, call]))
      for (const call of calls) known.set(call.number, call)
      return { calls: [...known.values()].sort((a, b) => b.number - a.number).slice(0, max), next }
    },
    refetchInterval: POLL_MS,
    structuralSharing: false,
  })
  return data?.calls ?? []
}

export type WireCallState = 'flying' | 'lost' | 'refused' | 'done'

export function wireCallState({ status, isLost, endedAt }: WireCall): WireCallState {
  if (isLost) return 'lost'
  if (endedAt === undefined) return 'flying'
  return status === 200 ? 'done' : 'refused'
}

export function describeWireCall({ status, code, isLost, isAgain, endedAt, at, trouble }: WireCall): string {
  if (endedAt === undefined)
    return trouble === 'late answer' && status !== undefined ? 'response delayed…' : 'in progress…'
  const answer = status === undefined ? 'no response' : code === undefined ? `${status}` : `code ${code}`
  if (isLost) return status === undefined ? 'lost' : `${answer}, response lost`
  return isAgain ? `${answer}, the same` : `${answer} · ${formatDuration(Date.parse(endedAt) - Date.parse(at))}`
}
