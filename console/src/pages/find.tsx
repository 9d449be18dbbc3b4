/** Paste anything: the thing itself if there is one, else what it may be. */
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect, useSearchParams } from 'wouter'
import { part, read, readOrNone } from '../api.ts'
import { Time } from '../format.tsx'
import { Answer, Empty } from '../parts.tsx'
import { useSession } from '../session.tsx'

interface Match {
  readonly kind: string
  readonly id: string
  readonly userId: string
}

type Shown =
  | { readonly kind: 'bet'; readonly bet: { readonly userId: string; readonly transactionId: string } }
  | { readonly kind: 'player'; readonly player: { readonly userId: string } }
  | { readonly kind: 'transfer'; readonly userId: string; readonly transfer: Transfer }
  | {
      readonly kind: 'session'
      readonly session: { readonly userId: string; readonly currency: string; readonly expiresAt: string }
    }
  | {
      readonly kind: 'request'
      readonly calls: readonly { readonly at: string; readonly operation: string; readonly outcome: string }[]
      readonly bet?: { readonly userId: string; readonly transactionId: string }
    }
  | { readonly kind: 'several'; readonly matches: readonly Match[] }

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
  const { bases } = useSession()
  const asked = useQuery({
    queryKey: ['find', text],
    queryFn: async ({ signal }) => {
      if (!bases.wallet) return null
      const shown = await readOrNone<Shown>(`/operator/show/${part(text)}`, signal)
      if (shown !== undefined) return shown
      const players = await read<{ data: { userId: string }[] }>(
        `/operator/players?limit=20&q=${part(text)}`,
        signal,
      ).catch(() => ({ data: [] }))
      const matches = players.data.map(({ userId }): Match => ({ kind: 'player', id: userId, userId }))
      return matches.length === 0 ? null : ({ kind: 'several', matches } as const)
    },
  })
  if (!bases.wallet) return <Redirect to={`/bets/${part(text)}`} replace />
  return <Answer of={asked}>{(shown) => (shown === null ? <Nothing text={text} /> : <Thing shown={shown} />)}</Answer>
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

const betLink = ({ userId, transactionId }: { userId: string; transactionId: string }) =>
  `/bets/${part(userId)}/${part(transactionId)}`

function Thing({ shown }: { shown: Shown }) {
  switch (shown.kind) {
    case 'bet':
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
      return <Several matches={shown.matches} />
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

function Several({ matches }: { matches: readonly Match[] }) {
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
                          ? betLink({ userId, transactionId: id })
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
