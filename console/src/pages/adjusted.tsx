/** Adjustments by hand of a bet, made and pending. The page of the bet and the form show them, so that no bet is paid twice. */
import { useQuery } from '@tanstack/react-query'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { signed } from '../../../src/timeline/amounts.ts'
import { readOrNone } from '../api.ts'
import { Time } from '../format.tsx'
import { type Asked, AskedFor } from './asked-for.tsx'

export interface BetAdjustment {
  readonly at?: string
  readonly transferId: string
  readonly currency: string
  readonly amount: string
  readonly reason: string
  readonly person: string
  readonly ticket?: string
  readonly approvedBy?: string
}

/** Members of a bet of the wallet's API. */
export interface Adjusted {
  readonly adjusted?: readonly { readonly currency: string; readonly amount: string }[]
  readonly adjustments?: readonly BetAdjustment[]
  readonly pendingAdjustments?: readonly Asked[]
}

export function AdjustedByHand({ of: { adjusted = [], adjustments = [], pendingAdjustments = [] } }: { of: Adjusted }) {
  if (adjustments.length === 0 && pendingAdjustments.length === 0) return null
  const sums = adjusted.map(({ amount, currency }) => `${signed(amount)} ${currency}`).join(', ')
  return (
    <section className="card" aria-label="Adjusted by hand">
      <header>
        <h2>Adjusted by hand</h2>
        {adjustments.length > 1 && <span className="muted small">in total {sums}</span>}
      </header>
      <ul className="asked">
        {adjustments.map((one) => (
          <li key={one.transferId}>
            <strong className="num">
              {signed(one.amount)} {one.currency}
            </strong>
            <span className="asked-what">
              <span>
                {one.reason}
                {one.ticket !== undefined && <span className="muted"> ({one.ticket})</span>}
              </span>
              <span className="muted small">
                by {one.person}
                {one.approvedBy !== undefined && `, approved by ${one.approvedBy}`}, <When of={one} />
              </span>
            </span>
          </li>
        ))}
        {pendingAdjustments.map((one) => (
          <AskedFor key={one.reference} one={one} />
        ))}
      </ul>
    </section>
  )
}

function When({ of: { at, transferId } }: { of: BetAdjustment }) {
  return at === undefined ? <>the transfer {transferId} lies in a file</> : <Time at={at} />
}

/** The form shows these lines before another adjustment of the bet is sent. */
export function AdjustedBefore({ user, bet }: { user: string; bet: string }) {
  const { data } = useQuery({
    queryKey: ['adjusted-before', user, bet],
    queryFn: ({ signal }) =>
      readOrNone<Adjusted>(`/operator/players/${pathPart(user)}/bets/${pathPart(bet)}`, signal).then(
        (found) => found ?? {},
      ),
    gcTime: 0, // a form that is opened again shows what was adjusted in between
  })
  const { adjustments = [], pendingAdjustments = [] } = data ?? {}
  if (adjustments.length === 0 && pendingAdjustments.length === 0) return null
  return (
    <div className="notice" role="status">
      {adjustments.map((one) => (
        <p key={one.transferId}>
          Already adjusted by hand: {signed(one.amount)} {one.currency}, {one.reason}, {one.person}, <When of={one} />.
        </p>
      ))}
      {pendingAdjustments.map((one) => (
        <p key={one.reference}>
          Waits for a second person: {signed(one.amount)} {one.currency}, {one.reason}, {one.proposedBy.person},{' '}
          <Time at={one.proposedAt} />.
        </p>
      ))}
    </div>
  )
}
