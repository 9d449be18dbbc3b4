/** Matches of an ambiguous search, in groups, with details that distinguish bets. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { Link } from 'wouter'
import { encodeQueryPart } from '../../app/console-api.ts'
import { capital, Time } from '../../shared/charts/format.tsx'
import { type KeyBindings, keyedClass, useLinkKeys } from '../../shared/controls/paged-list.tsx'
import { SelectionSummary } from '../../shared/controls/selection-summary.tsx'
import { betLink, MAX_SCANNED_BETS, type NewestBets, type SearchMatch } from '../../shared/data/bet-search.ts'
import { BetState, currencyOf, Stake } from '../bets/bets-page.tsx'

const KINDS = ['player', 'bet', 'transfer', 'adjustment', 'session']

interface SeveralProps {
  readonly matches: readonly SearchMatch[]
  readonly isOfPlatform: boolean
  readonly newest: NewestBets | undefined
}

/** The server's maximum for each kind. */
const MAX_SHOWN = 10

/** The page is short, so the arrow keys select matches. */
const KEYS: KeyBindings = { down: ['j', 'ArrowDown'], up: ['k', 'ArrowUp'] }

interface MatchGroup {
  readonly title: string
  readonly kind: string
  readonly matches: readonly SearchMatch[]
}

/** In display order. Bets among the newest are not repeated. */
function groupMatches(matches: readonly SearchMatch[], bets: NewestBets['bets']): MatchGroup[] {
  const isNewest = ({ kind, id, userId }: SearchMatch) =>
    kind === 'bet' && bets.some((bet) => bet.id === id && bet.userId === userId)
  return KINDS.map((kind) => ({
    title: kind === 'bet' && bets.length > 0 ? 'Older bets' : `${capital(kind)}s`,
    kind,
    matches: matches.filter((match) => match.kind === kind && !isNewest(match)),
  }))
}

export function SearchMatches({ matches, isOfPlatform, newest }: SeveralProps) {
  const bets = (newest?.bets ?? []).slice(0, MAX_SHOWN)
  const mayBeMore = KINDS.filter((kind) => matches.filter((match) => match.kind === kind).length >= MAX_SHOWN)
  const groups = groupMatches(matches, newest?.bets ?? [])
  const links = [
    ...bets.map((bet) => matchLink({ ...bet, kind: 'bet' }, isOfPlatform)),
    ...groups.flatMap((group) => group.matches.map((match) => matchLink(match, isOfPlatform))),
  ]
  const at = links[useLinkKeys(links.length, (i) => links[i], KEYS)]
  return (
    <>
      {newest !== undefined && bets.length > 0 && <Newest newest={newest} isOfPlatform={isOfPlatform} at={at} />}
      {groups.map((group) => (
        <Group
          key={group.kind}
          of={group}
          mayBeMore={mayBeMore.includes(group.kind) && !(group.kind === 'bet' && newest?.isAll === true)}
          isOfPlatform={isOfPlatform}
          at={at}
        />
      ))}
    </>
  )
}

/** The part that is shown, and the range that was searched. */
function describeNewest({ bets, isAll }: NewestBets): string {
  const shown = bets.length > MAX_SHOWN ? `the newest ${MAX_SHOWN} of ${bets.length}` : 'newest first'
  return isAll ? shown : `${shown}, among the newest ${MAX_SCANNED_BETS.toLocaleString('en')} bets`
}

interface NewestProps {
  readonly newest: NewestBets
  readonly isOfPlatform: boolean
  /** The link of the row selected by keyboard. */
  readonly at: string | undefined
}

function Newest({ newest, isOfPlatform, at }: NewestProps) {
  return (
    <section className="card" aria-label="Bets">
      <header>
        <h2>Bets</h2>
        <span className="muted small">{describeNewest(newest)}; enter more of the ID to find other bets</span>
      </header>
      <div className="scroll">
        <table className="list">
          <thead>
            <tr>
              <th>Time</th>
              <th>Bet</th>
              <th>Player</th>
              <th>Match</th>
              <th>Status</th>
              <th className="num">Stake</th>
              <th>Currency</th>
            </tr>
          </thead>
          <tbody>
            {newest.bets.slice(0, MAX_SHOWN).map((bet) => (
              <tr
                key={`${bet.userId}/${bet.id}`}
                className={keyedClass(at === matchLink({ ...bet, kind: 'bet' }, isOfPlatform))}
              >
                <td>
                  <Time at={bet.at} />
                </td>
                <td>
                  <Link href={matchLink({ ...bet, kind: 'bet' }, isOfPlatform)}>
                    <code>{bet.id}</code>
                  </Link>
                </td>
                <td className="cut">
                  {isOfPlatform ? (
                    bet.userId
                  ) : (
                    <Link href={`/players/${encodePathSegment(bet.userId)}`}>{bet.userId}</Link>
                  )}
                </td>
                <td>
                  <SelectionSummary of={bet} />
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
  readonly of: MatchGroup
  readonly mayBeMore: boolean
  readonly isOfPlatform: boolean
  readonly at: string | undefined
}

function Group({ of: { title, matches }, mayBeMore, isOfPlatform, at }: GroupProps) {
  if (matches.length === 0) return null
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {mayBeMore && <span className="muted small">there may be more; enter more characters</span>}
      </header>
      <div className="scroll">
        <table className="list">
          <tbody>
            {matches.map((match) => (
              <tr key={`${match.userId}/${match.id}`} className={keyedClass(at === matchLink(match, isOfPlatform))}>
                <td>
                  <Link href={matchLink(match, isOfPlatform)}>
                    <code>{match.id}</code>
                  </Link>
                </td>
                <td className="muted">{match.kind === 'player' ? '' : `of ${match.userId}`}</td>
                {match.kind === 'bet' && (
                  <td>
                    <SelectionSummary of={match} />
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

function matchLink({ kind, id, userId }: Pick<SearchMatch, 'kind' | 'id' | 'userId'>, isOfPlatform: boolean): string {
  if (kind === 'bet') return betLink(isOfPlatform ? { betId: id } : { userId, transactionId: id })
  return kind === 'player' ? `/players/${encodePathSegment(id)}` : `/find?q=${encodeQueryPart(`${userId}/${id}`)}`
}
