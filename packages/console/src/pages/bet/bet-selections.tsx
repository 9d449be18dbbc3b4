/** Selections of a bet and their results. */
import { formatJsonValue, parseSelections } from '@purser/protocol/bet-description'
import { formatResultType } from '@purser/timeline/result-names'
import { capital } from '../../shared/charts/format.tsx'
import { Badge } from '../../shared/controls/page-states.tsx'
import type { BetSources } from '../../shared/data/bet-data.ts'

interface Selection {
  readonly event?: unknown
  readonly market?: unknown
  readonly outcome?: unknown
  readonly outcomeId?: unknown
  readonly coefficient?: unknown
  readonly result?: unknown
}

/** The members of the Place bet that describe the bet. */
export function placeBetDetails(wallet: BetSources['wallet']) {
  return (wallet?.details ?? {}) as { readonly metadata?: unknown; readonly coefficient?: unknown }
}

/**
 * The selections come from the platform if it is known, otherwise from the Place bet. A wallet
 * never learns the results of selections.
 */
export function SelectionTable({ sources: { wallet, platform } }: { sources: BetSources }) {
  const { metadata } = placeBetDetails(wallet)
  const selections: readonly Selection[] = platform?.selections ?? parseSelections(metadata)
  const hasResults = platform?.selections !== undefined
  const isOver = ['refused', 'cancelled', 'declined'].includes(wallet?.status ?? platform?.status ?? '')
  if (selections.length === 0) return null
  return (
    <section className="card" aria-label="Selections">
      <header>
        <h2>Selections</h2>
      </header>
      <div className="scroll">
        <table className="list">
          <thead>
            <tr>
              <th>Event</th>
              <th>Market</th>
              <th>Outcome</th>
              <th className="num">Odds</th>
              {hasResults && <th>Result</th>}
            </tr>
          </thead>
          <tbody>
            {selections.map((one) => (
              <tr key={JSON.stringify([one.event, one.market, one.outcomeId, one.outcome])}>
                <td>
                  <span className="name">{jsonText(one.event)}</span>
                </td>
                <td>
                  <span className="name">{jsonText(one.market)}</span>
                </td>
                <td>
                  <span className="name">{jsonText(one.outcome ?? one.outcomeId)}</span>
                </td>
                <td className="num">{jsonText(one.coefficient)}</td>
                {hasResults && (
                  <td>
                    {one.result === undefined || isOver ? (
                      <span className="muted">{isOver ? 'none' : 'not yet'}</span>
                    ) : (
                      <Badge tone={one.result === 'won' ? 'good' : 'plain'}>
                        {capital(formatResultType(jsonText(one.result)))}
                      </Badge>
                    )}
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

export function jsonText(value: unknown): string {
  return value === undefined || value === null ? '–' : formatJsonValue(value)
}
