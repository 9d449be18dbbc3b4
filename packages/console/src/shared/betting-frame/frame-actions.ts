/** Requests of a betting frame: its state, bets, results, and fault scenarios. */
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, encodeQueryPart, getJson } from '../../app/console-api.ts'
import type { FramePick, FramePlacement, FrameState } from './betting-frame.tsx'

const POLL_MS = 700
const STATE = 'frame'

/** The server chooses the player if none is given. */
export function useFrameState<T>(player?: string) {
  const query = player === undefined ? '' : `?player=${encodeQueryPart(player)}`
  return useQuery({
    queryKey: [STATE, player],
    queryFn: ({ signal }) => getJson<T>(`/sandbox/frame${query}`, signal),
    refetchInterval: POLL_MS,
    // The next request follows soon; until then the error is visible.
    retry: false,
  })
}

export function useFrameRefresh(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: [STATE] })
}

/** The platform declines some cashouts without a call to the wallet. */
const NOT_CASHED_OUT = 'the bet was not cashed out, because its match has ended or the wallet refused'

export function useFrameBets(player?: string) {
  const refresh = useFrameRefresh()
  const [pick, setPick] = useState<FramePick>()
  const place = useMutation({
    mutationFn: (slip: { stake: string; isFree: boolean }) =>
      callApi<FramePlacement>('POST', '/sandbox/frame/bets', { ...pick, ...slip, player }),
    onSettled: refresh,
  })
  const end = useMutation({
    mutationFn: async ({ betId, what }: { betId: string; what: string }) => {
      const { bets } = await callApi<FrameState>('POST', `/sandbox/frame/bets/${encodePathSegment(betId)}`, { what })
      const after = bets.find((bet) => bet.betId === betId)
      if (what === 'cashout' && after?.status === 'accepted') throw new Error(NOT_CASHED_OUT)
    },
    onSettled: refresh,
  })
  return { pick, setPick, place, end }
}

/** The report of a fault scenario. */
export interface FaultCaption {
  readonly title: string
  /** The demand of the rules. */
  readonly story: string
  /** The wallet's behaviour, a sentence for each verdict. */
  readonly wallet?: readonly string[]
  readonly money: string
  readonly isAsDemanded: boolean
  readonly betIds: readonly string[]
}

export function useFaultScenario(player: string | undefined, onReport: (name: string, caption: FaultCaption) => void) {
  const refresh = useFrameRefresh()
  return useMutation({
    mutationFn: (trouble: string) =>
      callApi<FaultCaption>('POST', '/sandbox/frame/troubles', { trouble, ...(player !== undefined && { player }) }),
    onSuccess: (caption, name) => onReport(name, caption),
    onSettled: refresh,
  })
}
