/** What was looked for in vain, and what may be typed. */
import { MAX_SCANNED_BETS } from '../bet-search.ts'
import { EmptyState } from '../page-states.tsx'

export function NoSearchResults({ text }: { text: string }) {
  return (
    <section className="card">
      <EmptyState title="Nothing was found.">
        <p>
          “{text.slice(0, 60)}” was looked for as a bet, a reference, a player, a session, a request and a delivery,
          whole and as a beginning.
        </p>
        <dl className="forms">
          <dt>A bet</dt>
          <dd>
            whole, <code>01a21b4f-0c5e-4f2d-9a31-5d9c6bc1d87e</code>; six characters or more of its beginning,{' '}
            <code>01a21b</code>; as lists show it, <code>01a21b…c1d87e</code>; or its end, <code>c1d87e</code>, among
            the newest {MAX_SCANNED_BETS.toLocaleString('en')} bets
          </dd>
          <dt>A player</dt>
          <dd>the beginning of id or nickname, or the whole e-mail address</dd>
          <dt>A reference</dt>
          <dd>of a deposit, a withdrawal or an adjustment: six characters or more of its beginning</dd>
          <dt>A request</dt>
          <dd>its whole id, as long as the journal keeps it</dd>
        </dl>
      </EmptyState>
    </section>
  )
}
