/** Paste anything: the thing itself if there is one, else what it may be. */

import { useQuery } from '@tanstack/react-query'
import { Link, Redirect, useSearchParams } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { signed } from '../../../src/timeline/amounts.ts'
import { titleOf } from '../../../src/timeline/moments.ts'
import { sayKind } from '../../../src/timeline/say.ts'
import { ApiProblem, part, read, readOrNone } from '../api.ts'
import {
  betLink,
  endOf,
  fits,
  type Match,
  type NewestBets,
  newestBets,
  type Parts,
  type PlatformsBet,
  partsOf,
  type WalletsBet,
} from '../find-bets.ts'
import { capital, moneyText, Time } from '../format.tsx'
import { Answer, Empty } from '../parts.tsx'
import { type Session, useSession } from '../session.tsx'
import { AskedAdjustment } from './adjust.tsx'
import type { Asked } from './asked-for.tsx'
import { Nothing } from './find-nothing.tsx'
import { Several } from './find-several.tsx'

type Shown =
  | { readonly kind: 'bet'; readonly bet: WalletsBet | PlatformsBet }
  | { readonly kind: 'delivery'; readonly bet: PlatformsBet }
  | { readonly kind: 'player'; readonly player: { readonly userId: string } }
  | { readonly kind: 'transfer'; readonly userId: string; readonly transfer: Transfer }
  | { readonly kind: 'adjustment'; readonly adjustment: Asked }
  | {
      readonly kind: 'session'
      readonly session: { readonly userId: string; readonly currency: string; readonly expiresAt: string }
    }
  | {
      readonly kind: 'request'
      readonly calls: readonly { readonly at: string; readonly operation: string; readonly outcome: string }[]
      readonly bet?: WalletsBet
    }
  | {
      readonly kind: 'several'
      readonly matches: readonly Match[]
      readonly isOfPlatform?: boolean
      /** Nothing is called so: these begin alike. */
      readonly isNear?: boolean
      /** Newest first, where the console has looked for them itself. */
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

export function FindPage() {
  const [query] = useSearchParams()
  const text = (query.get('q') ?? '').trim()
  return (
    <div className="page">
      <div className="head">
        <h1>Find</h1>
        <code>{text}</code>
      </div>
      {text === '' ? (
        <Empty title="Paste anything into the box above.">
          <p>
            A bet, a player, a reference, a session, a request. The first six characters are enough of a bet or
            reference, of a new bet the last six too; of a player the beginning of id or nickname, or the whole e-mail
            address.
          </p>
        </Empty>
      ) : (
        <Found key={text} text={text} />
      )}
    </div>
  )
}

function Found({ text }: { text: string }) {
  const session = useSession()
  const asked = useQuery({
    queryKey: ['find', text],
    queryFn: async ({ signal }) => (await showOf(session, text, signal)) ?? null,
  })
  return (
    <Answer of={asked}>
      {(shown) => (shown === null ? <Nothing text={text} /> : <Thing shown={shown} text={text} />)}
    </Answer>
  )
}

/** What no id can look like, or is longer than any, names nothing. */
const CANNOT_BE = 400

/** By id on either side, else players by what they are called (W-41, W-45), else by the end of an id. */
async function showOf(session: Session, text: string, signal: AbortSignal): Promise<Shown | undefined> {
  const parts = partsOf(text)
  if (parts !== undefined) {
    const shortened = await betsOf(session, parts, signal)
    if (shortened !== undefined) return shortened
  }
  const end = endOf(text)
  return (
    (await whole(session, parts?.last === '' ? parts.first : text, signal)) ??
    (end && (await betsOf(session, end, signal))) ??
    (await nearOf(session, text, signal))
  )
}

/** Enough of an id to find it by; and what may be one, with a letter that was read wrongly. */
const ENOUGH = 6
const MAY_BE_ID = /^[\w-]{7,64}$/

/** What begins as it does, where nothing is called so. */
async function nearOf(session: Session, text: string, signal: AbortSignal): Promise<Shown | undefined> {
  if (!MAY_BE_ID.test(text)) return undefined
  const found = await whole(session, text.slice(0, ENOUGH), signal)
  if (found?.kind === 'several') return { ...found, isNear: true }
  if (found?.kind !== 'bet') return undefined
  const userId = 'userId' in found.bet ? found.bet.userId : ''
  const match = { kind: 'bet', id: idOf(found.bet), userId }
  return { kind: 'several', matches: [match], isOfPlatform: 'betId' in found.bet, isNear: true }
}

async function whole({ bases }: Session, id: string, signal: AbortSignal): Promise<Shown | undefined> {
  const here = bases.wallet
    ? ((await byId('/operator', id, signal)) ?? (await inSmall(id, signal)) ?? (await playersOf(id, signal)))
    : undefined
  if (here !== undefined) return withNewest(LISTS.wallet, here, id, signal)
  if (bases.platform === undefined) return undefined
  const there = await byId(bases.platform, id, signal)
  if (there?.kind !== 'several') return there
  return withNewest(`${bases.platform}/bets`, { ...there, isOfPlatform: true }, id, signal)
}

const LISTS = { wallet: '/operator/bets' }

const byId = (base: string, id: string, signal: AbortSignal) =>
  readOrNone<Shown>(`${base}/show/${pathPart(id)}`, signal).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === CANNOT_BE) return undefined
    throw error
  })

/** As the platform writes its ids. */
async function inSmall(id: string, signal: AbortSignal): Promise<Shown | undefined> {
  const small = id.toLowerCase()
  return small === id ? undefined : byId('/operator', small, signal)
}

/** Of several bets that begin so the newest are meant more often than those whose ids come first. */
async function withNewest(list: string, shown: Shown, text: string, signal: AbortSignal): Promise<Shown> {
  if (shown.kind !== 'several') return shown
  const beginSo = shown.matches.some(({ kind, id }) => kind === 'bet' && id.toLowerCase() !== text.toLowerCase())
  if (!beginSo) return shown
  return { ...shown, newest: await newestBets(list, { first: text, last: '' }, signal) }
}

/**
 * As lists show an id, by its beginning and its end. The server has an index of beginnings: where fewer bets begin so than it gives, they are
 * all. Else the newest are looked through.
 */
async function betsOf({ bases }: Session, parts: Parts, signal: AbortSignal): Promise<Shown | undefined> {
  if (parts.last === '') return undefined
  const sides = [
    ...(bases.wallet ? [{ base: '/operator', list: LISTS.wallet, isOfPlatform: false }] : []),
    ...(bases.platform === undefined
      ? []
      : [{ base: bases.platform, list: `${bases.platform}/bets`, isOfPlatform: true }]),
  ]
  for (const { base, list, isOfPlatform } of sides) {
    const begin = parts.first === '' ? undefined : await byId(base, parts.first, signal)
    if (begin?.kind === 'bet' && fits(idOf(begin.bet), parts)) return begin
    const begun = begin?.kind === 'several' ? begin.matches.filter(({ kind }) => kind === 'bet') : []
    const matches = begun.filter(({ id }) => fits(id, parts))
    const newest = await newestBets(list, parts, signal)
    const all = new Map([...newest.bets, ...matches].map((one) => [`${one.userId}/${one.id}`, one]))
    const [one] = all.values()
    if (one === undefined) continue
    if (all.size > 1) return { kind: 'several', matches, isOfPlatform, newest }
    return { kind: 'bet', bet: isOfPlatform ? { betId: one.id } : { userId: one.userId, transactionId: one.id } }
  }
  return undefined
}

const idOf = (bet: WalletsBet | PlatformsBet) => ('betId' in bet ? bet.betId : bet.transactionId)

async function playersOf(text: string, signal: AbortSignal): Promise<Shown | undefined> {
  const { data } = await read<{ data: { userId: string }[] }>(
    `/operator/players?limit=20&q=${part(text)}`,
    signal,
  ).catch(() => ({ data: [] }))
  const matches = data.map(({ userId }): Match => ({ kind: 'player', id: userId, userId }))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return { kind: 'player', player: only }
  return only === undefined ? undefined : { kind: 'several', matches }
}

function Thing({ shown, text }: { shown: Shown; text: string }) {
  const goTo = (href: string) => <Redirect to={href} replace state={{ searched: text }} />
  switch (shown.kind) {
    case 'bet':
    case 'delivery':
      return goTo(betLink(shown.bet))
    case 'player':
      return goTo(`/players/${pathPart(shown.player.userId)}`)
    case 'request':
      return shown.bet === undefined ? <Request calls={shown.calls} /> : goTo(betLink(shown.bet))
    case 'session':
      return (
        <section className="card">
          <div className="body">
            A session of <Link href={`/players/${pathPart(shown.session.userId)}`}>{shown.session.userId}</Link> in{' '}
            {shown.session.currency}, until <Time at={shown.session.expiresAt} />.
          </div>
        </section>
      )
    case 'transfer':
      return <TransferCard userId={shown.userId} transfer={shown.transfer} />
    case 'adjustment':
      return <AskedAdjustment one={shown.adjustment} />
    case 'several':
      return (
        <>
          {shown.isNear && (
            <p className="muted" role="status">
              Nothing is called “{text}”. What is below begins with the same {ENOUGH} characters.
            </p>
          )}
          <Several matches={shown.matches} isOfPlatform={shown.isOfPlatform === true} newest={shown.newest} />
        </>
      )
    default:
      return shown satisfies never
  }
}

function Request({ calls }: { calls: Extract<Shown, { kind: 'request' }>['calls'] }) {
  return (
    <section className="card">
      <header>
        <h2>A request</h2>
      </header>
      <div className="body">
        {calls.map(({ at, operation, outcome }) => (
          <p key={at}>
            <Time at={at} millis /> {capital(titleOf(operation))}: {outcome.replaceAll('_', ' ')}
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
        <h2>{capital(sayKind(kind))}</h2>
      </header>
      <div className="body">
        <dl className="facts">
          <div>
            <dt>Player</dt>
            <dd>
              <Link href={`/players/${pathPart(userId)}`}>{userId}</Link>
            </dd>
          </div>
          <div>
            <dt>For the player</dt>
            <dd>
              {signed(amount)} {currency}
            </dd>
          </div>
          <div>
            <dt>Balance after</dt>
            <dd>{moneyText(balance, currency)}</dd>
          </div>
          <div>
            <dt>When</dt>
            <dd className="small">
              <Time at={at} />
            </dd>
          </div>
        </dl>
      </div>
    </section>
  )
}
