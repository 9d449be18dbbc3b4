/**
 * Message of a search without results. It lists the forms of ids and names that the search accepts.
 */

import { EmptyState } from '../../shared/controls/page-states.tsx'
import { MAX_SCANNED_BETS } from '../../shared/data/bet-search.ts'

export function NoSearchResults({ text }: { text: string }) {
  return (
    <section className="card">
      <EmptyState title="No results.">
        <p>
          No bet, reference, player, session, request or delivery matches “{text.slice(0, 60)}”, as a whole or by its
          beginning.
        </p>
        <dl className="forms">
          <dt>Bet</dt>
          <dd>
            the whole ID, <code>01a21b4f-0c5e-4f2d-9a31-5d9c6bc1d87e</code>; at least its first six characters,{' '}
            <code>01a21b</code>; the short form of lists, <code>01a21b…c1d87e</code>; or its last six characters,{' '}
            <code>c1d87e</code>, among the newest {MAX_SCANNED_BETS.toLocaleString('en')} bets
          </dd>
          <dt>Player</dt>
          <dd>the beginning of the ID or nickname, or the whole e-mail address</dd>
          <dt>Reference</dt>
          <dd>at least the first six characters of the reference of a deposit, withdrawal or adjustment</dd>
          <dt>Request</dt>
          <dd>the whole ID, while the call is in the journal</dd>
        </dl>
      </EmptyState>
    </section>
  )
}
