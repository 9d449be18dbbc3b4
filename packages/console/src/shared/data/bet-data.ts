/** Loads a bet from the wallet's API and from the platform's API, if this console has both. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import type { JournalCallDetail, PlatformBetDetail, WalletBetDetail as ToldBet } from '@purser/timeline/bet-sources'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ApiProblem, encodeQueryPart, getJson, getJsonOrNone } from '../../app/console-api.ts'
import { type ConsoleSession, hasRole, useSession } from '../../app/console-session.tsx'
import type { LiveMeta } from '../../app/live-updates.tsx'
import type { BetAdjustments } from '../../pages/bet/bet-adjustments.tsx'
import { type BetTimeSpan, computeBetTimeSpans } from '../charts/bet-time-spans.ts'

type WalletBet = ToldBet & BetAdjustments

export interface BetSources {
  readonly wallet: WalletBet | undefined
  readonly platform: PlatformBetDetail | undefined
  readonly journal: readonly JournalCallDetail[] | undefined
  /** All players with a bet of this id, if the address names no player. */
  readonly owners: readonly string[]
}

/** `hidden`: the user may not read the journal, or this console has only a platform. */
export type JournalState = 'hidden' | 'asked for' | 'failed' | 'read'

type LoadedBet = Omit<BetSources, 'journal'>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The journal contains a call shortly after its answer; the event feed does not report it. */
const FRESH_MS = 10_000
const POLL_MS = 1_000
/** Failed calls are loaded again after this time. */
const RETRY_MS = 5_000

function isFresh({ wallet, platform }: LoadedBet): boolean {
  const attempts = platform?.deliveries.flatMap(({ attemptList }) => attemptList) ?? []
  const ends = attempts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs)
  const last = Math.max(...ends, ...(wallet?.history ?? []).map(({ at }) => Date.parse(at)))
  return Math.abs(Date.now() - last) < FRESH_MS
}

/**
 * The bet is shown before its calls, because the search in the journal takes longer and only adds
 * details.
 */
export function useBet(bet: string, user: string | undefined) {
  const session = useSession()
  const client = useQueryClient()
  const live: LiveMeta = { live: ['bet', 'balance', 'delivery'], bet }
  const result = useQuery({
    queryKey: ['bet', user, bet],
    queryFn: ({ signal }) => loadBet(session, bet, user, signal),
    meta: live,
    gcTime: 0, // a reopened page must not show an old bet
    refetchInterval: ({ state: { data } }) => (data !== undefined && isFresh(data) ? POLL_MS : false),
  })
  const { data: loaded, dataUpdatedAt, error, isPending, refetch } = result
  const mayReadCalls = session.bases.wallet && hasRole(session.person, 'support')
  const journal = useQuery({
    queryKey: ['calls-of-bet', user, bet, dataUpdatedAt],
    queryFn: ({ signal }) => (loaded === undefined ? null : readJournal(bet, loaded, signal)),
    enabled: mayReadCalls && loaded !== undefined,
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_MS : false),
    placeholderData: (earlier, result) => (result?.queryKey[1] === user ? earlier : undefined),
  })
  // Loaded calls stay visible while a later request fails.
  const readings = client.getQueriesData<JournalCallDetail[] | null>({ queryKey: ['calls-of-bet', user, bet] })
  const calls = journal.data ?? readings.findLast(([, data]) => data)?.[1] ?? undefined
  const isReading = journal.isPending || journal.isPlaceholderData || (loaded !== undefined && isFresh(loaded))
  const callsAre: JournalState = !mayReadCalls
    ? 'hidden'
    : journal.isError
      ? 'failed'
      : isReading
        ? 'asked for'
        : 'read'
  const data = useMemo(() => (loaded === undefined ? undefined : { ...loaded, journal: calls }), [loaded, calls])
  return { data, callsAre, dataUpdatedAt, error, isPending, refetch }
}

async function loadBet(
  { bases }: ConsoleSession,
  bet: string,
  user: string | undefined,
  signal: AbortSignal,
): Promise<LoadedBet> {
  const askPlatform = async () =>
    bases.platform !== undefined && UUID.test(bet)
      ? getJsonOrNone<PlatformBetDetail>(`${bases.platform}/bets/${encodePathSegment(bet)}`, signal)
      : undefined
  const askWallet = async (owner: string | undefined) =>
    bases.wallet && owner !== undefined
      ? getJsonOrNone<WalletBet>(`/operator/players/${encodePathSegment(owner)}/bets/${encodePathSegment(bet)}`, signal)
      : undefined
  const [owners, platform, known] = await Promise.all([
    bases.wallet && user === undefined ? readOwners(bet, signal) : [],
    askPlatform(),
    askWallet(user),
  ])
  const owner = user ?? owners.find((one) => one === platform?.userId) ?? owners[0]
  const wallet = known ?? (user === undefined ? await askWallet(owner) : undefined)
  const isOfOther = wallet === undefined && user !== undefined && platform?.userId !== user
  if (wallet === undefined && (platform === undefined || isOfOther))
    throw new ApiProblem(404, `no bet with ID ${bet}${user === undefined ? '' : ` of player ${user}`}`)
  return { wallet, platform, owners }
}

async function readOwners(bet: string, signal: AbortSignal): Promise<string[]> {
  const { data } = await getJson<{ data: { userId: string }[] }>(
    `/operator/bets?transactionId=${encodeQueryPart(bet)}`,
    signal,
  )
  return [...new Set(data.map(({ userId }) => userId))]
}

async function readJournal(bet: string, loaded: LoadedBet, signal: AbortSignal): Promise<JournalCallDetail[]> {
  const owner = loaded.wallet?.userId ?? loaded.platform?.userId
  const isOfOwner = ({ player }: JournalCallDetail) => player === undefined || owner === undefined || player === owner
  const pages = await Promise.all(computeBetTimeSpans(loaded, new Date()).map((span) => readCalls(bet, span, signal)))
  return pages.flat().filter(isOfOwner)
}

async function readCalls(
  bet: string,
  { from, to }: BetTimeSpan,
  signal: AbortSignal,
): Promise<readonly JournalCallDetail[]> {
  const range = `from=${from.toISOString()}${to === undefined ? '' : `&to=${to.toISOString()}`}`
  const path = `/operator/calls?transactionId=${encodeQueryPart(bet)}&limit=100&${range}`
  return (await getJsonOrNone<{ data: JournalCallDetail[] }>(path, signal))?.data ?? []
}
