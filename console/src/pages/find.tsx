/** Paste anything: the thing itself if there is one, else what it may be. */
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect, useSearchParams } from 'wouter'
import { ApiProblem, part, read, readOrNone } from '../api.ts'
import { Time } from '../format.tsx'
import { Answer, Empty } from '../parts.tsx'
import { type Session, useSession } from '../session.tsx'

interface Match {
  readonly kind: string
  readonly id: string
  readonly userId: string
}

interface WalletsBet {
  readonly userId: string
  readonly transactionId: string
}

interface PlatformsBet {
  readonly betId: string
}

type Shown =
  | { readonly kind: 'bet'; readonly bet: WalletsBet | PlatformsBet }
  | { readonly kind: 'delivery'; readonly bet: PlatformsBet }
  | { readonly kind: 'player'; readonly player: { readonly userId: string } }
  | { readonly kind: 'transfer'; readonly userId: string; readonly transfer: Transfer }
  | {
      readonly kind: 'session'
      readonly session: { readonly userId: string; readonly currency: string; readonly expiresAt: string }
    }
  | {
      readonly kind: 'request'
      readonly calls: readonly { readonly at: string; readonly operation: string; readonly outcome: string }[]
      readonly bet?: WalletsBet
    }
  | { readonly kind: 'several'; readonly matches: readonly Match[]; readonly isOfPlatform?: boolean }

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
          <p>A bet, a player, a reference, a session, a request; of the first three six characters are enough.</p>
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
  return <Answer of={asked}>{(shown) => (shown === null ? <Nothing text={text} /> : <Thing shown={shown} />)}</Answer>
}

/** What no id can look like, or is longer than any, names nothing. */
const CANNOT_BE = 400

/** By id on either side, else players by what they are called (W-41, W-45). */
async function showOf({ bases }: Session, text: string, signal: AbortSignal): Promise<Shown | undefined> {
  const byId = (base: string) =>
    readOrNone<Shown>(`${base}/show/${part(text)}`, signal).catch((error: unknown) => {
      if (error instanceof ApiProblem && error.status === CANNOT_BE) return undefined
      throw error
    })
  const shown = bases.wallet ? ((await byId('/operator')) ?? (await playersOf(text, signal))) : undefined
  if (shown !== undefined || bases.platform === undefined) return shown
  const there = await byId(bases.platform)
  return there?.kind === 'several' ? { ...there, isOfPlatform: true } : there
}

async function playersOf(text: string, signal: AbortSignal): Promise<Shown | undefined> {
  const { data } = await read<{ data: { userId: string }[] }>(
    `/operator/players?limit=20&q=${part(text)}`,
    signal,
  ).catch(() => ({ data: [] }))
  const matches = data.map(({ userId }): Match => ({ kind: 'player', id: userId, userId }))
  return matches.length === 0 ? undefined : { kind: 'several', matches }
}

function Nothing({ text }: { text: string }) {
  return (
    <section className="card">
      <Empty title="Nothing here is called so.">
        <p>
          Nothing begins with “{text.slice(0, 60)}”. Ids of bets, players and references are found by six characters, a
          request by its whole id, as long as the journal keeps it.
        </p>
      </Empty>
    </section>
  )
}

const betLink = (bet: WalletsBet | PlatformsBet) =>
  'betId' in bet ? `/bets/${part(bet.betId)}` : `/bets/${part(bet.userId)}/${part(bet.transactionId)}`

function Thing({ shown }: { shown: Shown }) {
  switch (shown.kind) {
    case 'bet':
    case 'delivery':
      return <Redirect to={betLink(shown.bet)} replace />
    case 'player':
      return <Redirect to={`/players/${part(shown.player.userId)}`} replace />
    case 'request':
      return shown.bet === undefined ? <Request calls={shown.calls} /> : <Redirect to={betLink(shown.bet)} replace />
    case 'session':
      return (
        <section className="card">
          <div className="body">
            A session of <Link href={`/players/${part(shown.session.userId)}`}>{shown.session.userId}</Link> in{' '}
            {shown.session.currency}, until <Time at={shown.session.expiresAt} />.
          </div>
        </section>
      )
    case 'transfer':
      return <TransferCard userId={shown.userId} transfer={shown.transfer} />
    case 'several':
      return <Several matches={shown.matches} isOfPlatform={shown.isOfPlatform === true} />
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
            <Time at={at} millis /> {operation}: {outcome.replaceAll('_', ' ')}
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
        <h2>A {kind.replaceAll('_', ' ')}</h2>
      </header>
      <div className="body">
        <dl className="facts">
          <div>
            <dt>Player</dt>
            <dd>
              <Link href={`/players/${part(userId)}`}>{userId}</Link>
            </dd>
          </div>
          <div>
            <dt>For the player</dt>
            <dd>
              {amount} {currency}
            </dd>
          </div>
          <div>
            <dt>Balance after</dt>
            <dd>
              {balance} {currency}
            </dd>
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

const KINDS = ['player', 'bet', 'transfer', 'session']

function Several({ matches, isOfPlatform }: { matches: readonly Match[]; isOfPlatform: boolean }) {
  return KINDS.filter((kind) => matches.some((match) => match.kind === kind)).map((kind) => (
    <section className="card" key={kind}>
      <header>
        <h2>{kind.charAt(0).toUpperCase() + kind.slice(1)}s</h2>
      </header>
      <div className="scroll">
        <table className="list">
          <tbody>
            {matches
              .filter((match) => match.kind === kind)
              .map(({ id, userId }) => (
                <tr key={`${userId}/${id}`}>
                  <td>
                    <Link
                      href={
                        kind === 'bet'
                          ? betLink(isOfPlatform ? { betId: id } : { userId, transactionId: id })
                          : kind === 'player'
                            ? `/players/${part(id)}`
                            : `/find?q=${part(`${userId}/${id}`)}`
                      }
                    >
                      <code>{id}</code>
                    </Link>
                  </td>
                  <td className="muted">{kind === 'player' ? '' : `of ${userId}`}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  ))
}
