/** What a text may mean, in groups, with what tells its bets apart. */
import { Link } from 'wouter'
import { part } from '../api.ts'
import { BetOn } from '../bet-on.tsx'
import { betLink, LOOKED_AT, type Match, type NewestBets } from '../find-bets.ts'
import { Time } from '../format.tsx'
import { BetState, currencyOf, Stake } from './bets.tsx'

const KINDS = ['player', 'bet', 'transfer', 'adjustment', 'session']

interface SeveralProps {
  readonly matches: readonly Match[]
  readonly isOfPlatform: boolean
  readonly newest: NewestBets | undefined
}

/** Of one kind the server gives no more. */
const MOST = 10

export function Several({ matches, isOfPlatform, newest }: SeveralProps) {
  const { bets } = newest ?? { bets: [] }
  const mayBeMore = KINDS.filter((kind) => matches.filter((match) => match.kind === kind).length >= MOST)
  const isNewest = ({ kind, id, userId }: Match) =>
    kind === 'bet' && bets.some((bet) => bet.id === id && bet.userId === userId)
  return (
    <>
      {newest !== undefined && bets.length > 0 && <Newest newest={newest} isOfPlatform={isOfPlatform} />}
      {KINDS.map((kind) => (
        <Group
          key={kind}
          title={kind === 'bet' && bets.length > 0 ? 'Older bets' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`}
          matches={matches.filter((match) => match.kind === kind && !isNewest(match))}
          mayBeMore={mayBeMore.includes(kind) && !(kind === 'bet' && newest?.isAll === true)}
          isOfPlatform={isOfPlatform}
        />
      ))}
    </>
  )
}

/** What is shown of them, and where they were looked for. */
function saysOf({ bets, isAll }: NewestBets): string {
  const shown = bets.length > MOST ? `the newest ${MOST} of ${bets.length}` : 'newest first'
  return isAll ? shown : `${shown}, among the newest ${LOOKED_AT} bets`
}

function Newest({ newest, isOfPlatform }: { newest: NewestBets; isOfPlatform: boolean }) {
  return (
    <section className="card" aria-label="Bets">
      <header>
        <h2>Bets</h2>
        <span className="muted small">{saysOf(newest)}; give more of the id for another one</span>
      </header>
      <div className="scroll">
        <table className="list">
          <thead>
            <tr>
              <th>Time</th>
              <th>Bet</th>
              <th>Player</th>
              <th>Match</th>
              <th>State</th>
              <th className="num">Stake</th>
              <th>Currency</th>
            </tr>
          </thead>
          <tbody>
            {newest.bets.slice(0, MOST).map((bet) => (
              <tr key={`${bet.userId}/${bet.id}`}>
                <td>
                  <Time at={bet.at} />
                </td>
                <td>
                  <Link
                    href={betLink(isOfPlatform ? { betId: bet.id } : { userId: bet.userId, transactionId: bet.id })}
                  >
                    <code>{bet.id}</code>
                  </Link>
                </td>
                <td>{bet.userId}</td>
                <td>
                  <BetOn of={bet} />
                </td>
                <td>
                  <BetState {...bet} />
                </td>
                <td className="num">
                  <Stake bet={bet} />
                </td>
                <td>{currencyOf(bet)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface GroupProps {
  readonly title: string
  readonly matches: readonly Match[]
  readonly mayBeMore: boolean
  readonly isOfPlatform: boolean
}

function Group({ title, matches, mayBeMore, isOfPlatform }: GroupProps) {
  if (matches.length === 0) return null
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {mayBeMore && <span className="muted small">there may be more; give more of it</span>}
      </header>
      <div className="scroll">
        <table className="list">
          <tbody>
            {matches.map((match) => (
              <tr key={`${match.userId}/${match.id}`}>
                <td>
                  <Link href={linkOf(match, isOfPlatform)}>
                    <code>{match.id}</code>
                  </Link>
                </td>
                <td className="muted">{match.kind === 'player' ? '' : `of ${match.userId}`}</td>
                {match.kind === 'bet' && (
                  <td>
                    <BetOn of={match} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function linkOf({ kind, id, userId }: Match, isOfPlatform: boolean): string {
  if (kind === 'bet') return betLink(isOfPlatform ? { betId: id } : { userId, transactionId: id })
  return kind === 'player' ? `/players/${part(id)}` : `/find?q=${part(`${userId}/${id}`)}`
}
