/** All that is known of a bet, from both sides as far as this console has them. */
import { useQuery } from '@tanstack/react-query'
import type { JournalCall, PlatformBet, WalletBet } from '../timeline/history.ts'
import { ApiProblem, part, read, readOrNone } from './api.ts'
import { mayDo, type Session, useSession } from './session.tsx'

export interface BetSources {
  readonly wallet: WalletBet | undefined
  readonly platform: PlatformBet | undefined
  readonly journal: readonly JournalCall[] | undefined
  /** Who has a bet with this id, where nobody said whose is meant. */
  readonly owners: readonly string[]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Milliseconds: the journal has a call a moment after it was answered, and says nothing of it in the feed. */
const FRESH_MS = 10_000
const LOOK_MS = 1_000

function isFresh(sources: BetSources | undefined): boolean {
  const last = sources?.wallet?.history.at(-1)
  return last !== undefined && Date.now() - Date.parse(last.at) < FRESH_MS
}

export function useBet(bet: string, user: string | undefined) {
  const session = useSession()
  return useQuery({
    queryKey: ['bet', user, bet],
    queryFn: ({ signal }) => load(session, bet, user, signal),
    refetchInterval: ({ state }) => (isFresh(state.data) ? LOOK_MS : false),
  })
}

async function load(
  { bases, person }: Session,
  bet: string,
  user: string | undefined,
  signal: AbortSignal,
): Promise<BetSources> {
  const [owners, platform] = await Promise.all([
    bases.wallet && user === undefined ? ownersOf(bet, signal) : [],
    bases.platform !== undefined && UUID.test(bet)
      ? readOrNone<PlatformBet>(`${bases.platform}/bets/${part(bet)}`, signal)
      : undefined,
  ])
  const owner = user ?? owners.find((one) => one === platform?.userId) ?? owners[0]
  const [wallet, journal] = await Promise.all([
    bases.wallet && owner !== undefined
      ? readOrNone<WalletBet>(`/operator/players/${part(owner)}/bets/${part(bet)}`, signal)
      : undefined,
    bases.wallet && mayDo(person, 'support') ? calls(bet, signal) : undefined,
  ])
  if (wallet === undefined && platform === undefined) throw new ApiProblem(404, `nobody here knows a bet ${bet}`)
  const isOfOwner = ({ player }: JournalCall) => player === undefined || owner === undefined || player === owner
  return { wallet, platform, journal: journal?.filter(isOfOwner), owners }
}

async function ownersOf(bet: string, signal: AbortSignal): Promise<string[]> {
  const { data } = await read<{ data: { userId: string }[] }>(`/operator/bets?transactionId=${part(bet)}`, signal)
  return [...new Set(data.map(({ userId }) => userId))]
}

async function calls(bet: string, signal: AbortSignal): Promise<JournalCall[] | undefined> {
  return (await readOrNone<{ data: JournalCall[] }>(`/operator/calls?transactionId=${part(bet)}&limit=100`, signal))
    ?.data
}
