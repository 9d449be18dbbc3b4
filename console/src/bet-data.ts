/** All that is known of a bet, from both sides as far as this console has them. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { pathPart } from '../../src/protocol/path-part.ts'
import type { JournalCall, PlatformBet, WalletBet as ToldBet } from '../../src/timeline/sources.ts'
import { ApiProblem, part, read, readOrNone } from './api.ts'
import { type Span, spansOf } from './bet-calls.ts'
import type { LiveMeta } from './live.tsx'
import type { Adjusted } from './pages/adjusted.tsx'
import { mayDo, type Session, useSession } from './session.tsx'

type WalletBet = ToldBet & Adjusted

export interface BetSources {
  readonly wallet: WalletBet | undefined
  readonly platform: PlatformBet | undefined
  readonly journal: readonly JournalCall[] | undefined
  /** Who has a bet with this id, where nobody said whose is meant. */
  readonly owners: readonly string[]
}

/** What is known of a bet's calls in the journal. `hidden`: the person may not read them, or this console is of a platform alone. */
export type CallsAre = 'hidden' | 'asked for' | 'failed' | 'read'

type Told = Omit<BetSources, 'journal'>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Milliseconds: the journal has a call a moment after it was answered, and says nothing of it in the feed. */
const FRESH_MS = 10_000
const LOOK_MS = 1_000
/** Until calls that could not be read are asked for again. */
const AGAIN_MS = 5_000

function isFresh({ wallet, platform }: Told): boolean {
  const attempts = platform?.deliveries.flatMap(({ attemptList }) => attemptList) ?? []
  const ends = attempts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs)
  const last = Math.max(...ends, ...(wallet?.history ?? []).map(({ at }) => Date.parse(at)))
  return Math.abs(Date.now() - last) < FRESH_MS
}

/** The bet is there before its calls: they are looked for in a journal, which takes its time, and only add to what is told. */
export function useBet(bet: string, user: string | undefined) {
  const session = useSession()
  const client = useQueryClient()
  const live: LiveMeta = { live: ['bet', 'balance', 'delivery'], bet }
  const asked = useQuery({
    queryKey: ['bet', user, bet],
    queryFn: ({ signal }) => load(session, bet, user, signal),
    meta: live,
    gcTime: 0, // a bet that was left and is opened again is not shown as it was then
    refetchInterval: ({ state: { data } }) => (data !== undefined && isFresh(data) ? LOOK_MS : false),
  })
  const { data: told, dataUpdatedAt, error, isPending, refetch } = asked
  const mayReadCalls = session.bases.wallet && mayDo(session.person, 'support')
  const journal = useQuery({
    queryKey: ['calls-of-bet', user, bet, dataUpdatedAt],
    queryFn: ({ signal }) => (told === undefined ? null : callsAbout(bet, told, signal)),
    enabled: mayReadCalls && told !== undefined,
    refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
    placeholderData: (earlier, asked) => (asked?.queryKey[1] === user ? earlier : undefined),
  })
  // What was read of them stays while a later reading fails.
  const readings = client.getQueriesData<JournalCall[] | null>({ queryKey: ['calls-of-bet', user, bet] })
  const calls = journal.data ?? readings.findLast(([, data]) => data)?.[1] ?? undefined
  const isReading = journal.isPending || journal.isPlaceholderData || (told !== undefined && isFresh(told))
  const callsAre: CallsAre = !mayReadCalls ? 'hidden' : journal.isError ? 'failed' : isReading ? 'asked for' : 'read'
  const data = useMemo(() => (told === undefined ? undefined : { ...told, journal: calls }), [told, calls])
  return { data, callsAre, dataUpdatedAt, error, isPending, refetch }
}

async function load({ bases }: Session, bet: string, user: string | undefined, signal: AbortSignal): Promise<Told> {
  const askPlatform = async () =>
    bases.platform !== undefined && UUID.test(bet)
      ? readOrNone<PlatformBet>(`${bases.platform}/bets/${pathPart(bet)}`, signal)
      : undefined
  const askWallet = async (owner: string | undefined) =>
    bases.wallet && owner !== undefined
      ? readOrNone<WalletBet>(`/operator/players/${pathPart(owner)}/bets/${pathPart(bet)}`, signal)
      : undefined
  const [owners, platform, known] = await Promise.all([
    bases.wallet && user === undefined ? ownersOf(bet, signal) : [],
    askPlatform(),
    askWallet(user),
  ])
  const owner = user ?? owners.find((one) => one === platform?.userId) ?? owners[0]
  const wallet = known ?? (user === undefined ? await askWallet(owner) : undefined)
  const isOfOther = wallet === undefined && user !== undefined && platform?.userId !== user
  if (wallet === undefined && (platform === undefined || isOfOther))
    throw new ApiProblem(404, `nobody here knows a bet ${bet}${user === undefined ? '' : ` of ${user}`}`)
  return { wallet, platform, owners }
}

async function ownersOf(bet: string, signal: AbortSignal): Promise<string[]> {
  const { data } = await read<{ data: { userId: string }[] }>(`/operator/bets?transactionId=${part(bet)}`, signal)
  return [...new Set(data.map(({ userId }) => userId))]
}

async function callsAbout(bet: string, told: Told, signal: AbortSignal): Promise<JournalCall[]> {
  const owner = told.wallet?.userId ?? told.platform?.userId
  const isOfOwner = ({ player }: JournalCall) => player === undefined || owner === undefined || player === owner
  const pages = await Promise.all(spansOf(told, new Date()).map((span) => calls(bet, span, signal)))
  return pages.flat().filter(isOfOwner)
}

async function calls(bet: string, { from, to }: Span, signal: AbortSignal): Promise<readonly JournalCall[]> {
  const range = `from=${from.toISOString()}${to === undefined ? '' : `&to=${to.toISOString()}`}`
  const path = `/operator/calls?transactionId=${part(bet)}&limit=100&${range}`
  return (await readOrNone<{ data: JournalCall[] }>(path, signal))?.data ?? []
}
