/** Search by any id or name. A single match opens at once; several matches are listed. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatSigned } from '@purser/timeline/amount-text'
import { operationTitle } from '@purser/timeline/drawing/timeline-moments'
import { formatTransferKind } from '@purser/timeline/moment-text'
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect, useSearchParams } from 'wouter'
import { ApiProblem, encodeQueryPart, getJson, getJsonOrNone } from '../../app/console-api.ts'
import { type ConsoleSession, useSession } from '../../app/console-session.tsx'
import { capital, moneyText, Time } from '../../shared/charts/format.tsx'
import { EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import {
  betLink,
  type IdParts,
  matchesIdParts,
  type NewestBets,
  type PlatformBetKey,
  parseIdEnding,
  parseShortenedId,
  type SearchMatch,
  searchNewestBets,
  type WalletBetKey,
} from '../../shared/data/bet-search.ts'
import { ProposedAdjustment } from '../player/adjustment-form.tsx'
import type { AdjustmentProposal } from '../player/pending-adjustment.tsx'
import { NoSearchResults } from './no-search-results.tsx'
import { SearchMatches } from './search-matches.tsx'

type SearchResult =
  | { readonly kind: 'bet'; readonly bet: WalletBetKey | PlatformBetKey }
  | { readonly kind: 'delivery'; readonly bet: PlatformBetKey }
  | { readonly kind: 'player'; readonly player: { readonly userId: string } }
  | { readonly kind: 'transfer'; readonly userId: string; readonly transfer: Transfer }
  | { readonly kind: 'adjustment'; readonly adjustment: AdjustmentProposal }
  | {
      readonly kind: 'session'
      readonly session: { readonly userId: string; readonly currency: string; readonly expiresAt: string }
    }
  | {
      readonly kind: 'request'
      readonly calls: readonly { readonly at: string; readonly operation: string; readonly outcome: string }[]
      readonly bet?: WalletBetKey
    }
  | {
      readonly kind: 'several'
      readonly matches: readonly SearchMatch[]
      readonly isOfPlatform?: boolean
      /** True if no id equals the text, and the matches only have the same beginning. */
      readonly isNear?: boolean
      /** Newest first, if the console searched the newest bets itself. */
      readonly newest?: NewestBets
    }

interface Transfer {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly at: string
}

export function SearchPage() {
  const [query] = useSearchParams()
  const text = (query.get('q') ?? '').trim()
  return (
    <div className="page">
      <div className="head">
        <h1>Search</h1>
        <code>{text}</code>
      </div>
      {text === '' ? (
        <EmptyState title="Enter an ID or a name in the search box.">
          <p>
            The search finds bets, players, references, sessions and requests. The first six characters of a bet ID or
            reference are enough, or the last six of a new bet. A player is found by the beginning of the ID or
            nickname, or by the whole e-mail address.
          </p>
        </EmptyState>
      ) : (
        <SearchOutcome key={text} text={text} />
      )}
    </div>
  )
}

function SearchOutcome({ text }: { text: string }) {
  const session = useSession()
  const result = useQuery({
    queryKey: ['find', text],
    queryFn: async ({ signal }) => (await runSearch(session, text, signal)) ?? null,
  })
  return (
    <QueryResult of={result}>
      {(shown) => (shown === null ? <NoSearchResults text={text} /> : <SearchResultView shown={shown} text={text} />)}
    </QueryResult>
  )
}

/** The API answers 400 to a text that cannot be an id. */
const CANNOT_BE = 400

/** Searches by id on both sides, then players by name (W-41, W-45), then by the end of an id. */
async function runSearch(
  session: ConsoleSession,
  text: string,
  signal: AbortSignal,
): Promise<SearchResult | undefined> {
  const parts = parseShortenedId(text)
  if (parts !== undefined) {
    const shortened = await searchByIdParts(session, parts, signal)
    if (shortened !== undefined) return shortened
  }
  const end = parseIdEnding(text)
  return (
    (await searchWhole(session, parts?.last === '' ? parts.first : text, signal)) ??
    (end && (await searchByIdParts(session, end, signal))) ??
    (await searchNear(session, text, signal))
  )
}

/** The shortest searchable beginning, and a text that may be an id with a typing error. */
const MIN_ID_LENGTH = 6
const MAY_BE_ID = /^[\w-]{7,64}$/

/** Matches with the same beginning, if the whole text has none. */
async function searchNear(
  session: ConsoleSession,
  text: string,
  signal: AbortSignal,
): Promise<SearchResult | undefined> {
  if (!MAY_BE_ID.test(text)) return undefined
  const found = await searchWhole(session, text.slice(0, MIN_ID_LENGTH), signal)
  if (found?.kind === 'several') return { ...found, isNear: true }
  if (found?.kind !== 'bet') return undefined
  const userId = 'userId' in found.bet ? found.bet.userId : ''
  const match = { kind: 'bet', id: betIdOf(found.bet), userId }
  return { kind: 'several', matches: [match], isOfPlatform: 'betId' in found.bet, isNear: true }
}

async function searchWhole(
  { bases }: ConsoleSession,
  id: string,
  signal: AbortSignal,
): Promise<SearchResult | undefined> {
  const found = bases.wallet
    ? ((await lookUpId('/operator', id, signal)) ??
      (await lookUpLowerCase(id, signal)) ??
      (await searchPlayers(id, signal)))
    : undefined
  if (found !== undefined) return withNewest(LISTS.wallet, found, id, signal)
  if (bases.platform === undefined) return undefined
  const there = await lookUpId(bases.platform, id, signal)
  if (there?.kind !== 'several') return there
  return withNewest(`${bases.platform}/bets`, { ...there, isOfPlatform: true }, id, signal)
}

const LISTS = { wallet: '/operator/bets' }

const lookUpId = (base: string, id: string, signal: AbortSignal) =>
  getJsonOrNone<SearchResult>(`${base}/show/${encodePathSegment(id)}`, signal).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === CANNOT_BE) return undefined
    throw error
  })

/** The platform's ids are in lower case. */
async function lookUpLowerCase(id: string, signal: AbortSignal): Promise<SearchResult | undefined> {
  const small = id.toLowerCase()
  return small === id ? undefined : lookUpId('/operator', small, signal)
}

/** Users usually mean the newest bets, not the first ids. */
async function withNewest(list: string, shown: SearchResult, text: string, signal: AbortSignal): Promise<SearchResult> {
  if (shown.kind !== 'several') return shown
  const beginSo = shown.matches.some(({ kind, id }) => kind === 'bet' && id.toLowerCase() !== text.toLowerCase())
  if (!beginSo) return shown
  return { ...shown, newest: await searchNewestBets(list, { first: text, last: '' }, signal) }
}

/**
 * Searches by the beginning and end of an id, as lists show it. The server's index of beginnings
 * returns the first ten bets. The newest bets are scanned in addition.
 */
async function searchByIdParts(
  { bases }: ConsoleSession,
  parts: IdParts,
  signal: AbortSignal,
): Promise<SearchResult | undefined> {
  if (parts.last === '') return undefined
  const sides = [
    ...(bases.wallet ? [{ base: '/operator', list: LISTS.wallet, isOfPlatform: false }] : []),
    ...(bases.platform === undefined
      ? []
      : [{ base: bases.platform, list: `${bases.platform}/bets`, isOfPlatform: true }]),
  ]
  for (const { base, list, isOfPlatform } of sides) {
    const begin = parts.first === '' ? undefined : await lookUpId(base, parts.first, signal)
    if (begin?.kind === 'bet' && matchesIdParts(betIdOf(begin.bet), parts)) return begin
    const begun = begin?.kind === 'several' ? begin.matches.filter(({ kind }) => kind === 'bet') : []
    const matches = begun.filter(({ id }) => matchesIdParts(id, parts))
    const newest = await searchNewestBets(list, parts, signal)
    const all = new Map([...newest.bets, ...matches].map((one) => [`${one.userId}/${one.id}`, one]))
    const [one] = all.values()
    if (one === undefined) continue
    if (all.size > 1) return { kind: 'several', matches, isOfPlatform, newest }
    return { kind: 'bet', bet: isOfPlatform ? { betId: one.id } : { userId: one.userId, transactionId: one.id } }
  }
  return undefined
}

const betIdOf = (bet: WalletBetKey | PlatformBetKey) => ('betId' in bet ? bet.betId : bet.transactionId)

async function searchPlayers(text: string, signal: AbortSignal): Promise<SearchResult | undefined> {
  const { data } = await getJson<{ data: { userId: string }[] }>(
    `/operator/players?limit=20&q=${encodeQueryPart(text)}`,
    signal,
  ).catch(() => ({ data: [] }))
  const matches = data.map(({ userId }): SearchMatch => ({ kind: 'player', id: userId, userId }))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return { kind: 'player', player: only }
  return only === undefined ? undefined : { kind: 'several', matches }
}

function SearchResultView({ shown, text }: { shown: SearchResult; text: string }) {
  const goTo = (href: string) => <Redirect to={href} replace state={{ searched: text }} />
  switch (shown.kind) {
    case 'bet':
    case 'delivery':
      return goTo(betLink(shown.bet))
    case 'player':
      return goTo(`/players/${encodePathSegment(shown.player.userId)}`)
    case 'request':
      return shown.bet === undefined ? <Request calls={shown.calls} /> : goTo(betLink(shown.bet))
    case 'session':
      return (
        <section className="card">
          <div className="body">
            Session of <Link href={`/players/${encodePathSegment(shown.session.userId)}`}>{shown.session.userId}</Link>{' '}
            in {shown.session.currency}, valid until <Time at={shown.session.expiresAt} />.
          </div>
        </section>
      )
    case 'transfer':
      return <TransferCard userId={shown.userId} transfer={shown.transfer} />
    case 'adjustment':
      return <ProposedAdjustment one={shown.adjustment} />
    case 'several':
      return (
        <>
          {shown.isNear && (
            <p className="muted" role="status">
              No exact match for “{text}”. These results begin with the same {MIN_ID_LENGTH} characters.
            </p>
          )}
          <SearchMatches matches={shown.matches} isOfPlatform={shown.isOfPlatform === true} newest={shown.newest} />
        </>
      )
    default:
      return shown satisfies never
  }
}

function Request({ calls }: { calls: Extract<SearchResult, { kind: 'request' }>['calls'] }) {
  return (
    <section className="card">
      <header>
        <h2>Request</h2>
      </header>
      <div className="body">
        {calls.map(({ at, operation, outcome }) => (
          <p key={at}>
            <Time at={at} millis /> {capital(operationTitle(operation))}: {outcome.replaceAll('_', ' ')}
          </p>
        ))}
      </div>
    </section>
  )
}

function TransferCard({
  userId,
  transfer: { kind, amount, currency, balance, at },
}: {
  userId: string
  transfer: Transfer
}) {
  return (
    <section className="card">
      <header>
        <h2>{capital(formatTransferKind(kind))}</h2>
      </header>
      <div className="body">
        <dl className="facts">
          <div>
            <dt>Player</dt>
            <dd>
              <Link href={`/players/${encodePathSegment(userId)}`}>{userId}</Link>
            </dd>
          </div>
          <div>
            <dt>Amount</dt>
            <dd>
              {formatSigned(amount)} {currency}
            </dd>
          </div>
          <div>
            <dt>Balance after</dt>
            <dd>{moneyText(balance, currency)}</dd>
          </div>
          <div>
            <dt>Time</dt>
            <dd className="small">
              <Time at={at} />
            </dd>
          </div>
        </dl>
      </div>
    </section>
  )
}
