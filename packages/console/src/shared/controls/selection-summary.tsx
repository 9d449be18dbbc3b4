/**
 * Summary of a bet's selections: match and outcome. For an express (several selections) it shows
 * the first match and the number of other matches.
 */
import { DASH } from './page-states.tsx'

interface Selection {
  readonly eventId?: string
  readonly event?: string
  readonly market?: string
  readonly outcomeId?: string
  readonly outcome?: string
}

export interface BetSelections {
  readonly selections?: readonly Selection[]
  readonly selectionCount?: number
}

/** Names are optional in a Place bet. */
function selectionWords({ eventId, event, outcomeId, outcome }: Selection): string[] {
  return [event ?? eventId, outcome ?? outcomeId].filter((words) => words !== undefined && words !== '') as string[]
}

/** All selections that the list has. */
function selectionHint({ selections = [], selectionCount = 0 }: BetSelections): string {
  const lines = selections.map((one) => [one.event ?? one.eventId, one.market, one.outcome ?? one.outcomeId])
  const more = selectionCount - selections.length
  return [...lines.map((line) => line.filter(Boolean).join(' · ')), ...(more > 0 ? [`and ${more} more`] : [])].join(
    '\n',
  )
}

export function SelectionSummary({ of }: { of: BetSelections }) {
  const [first] = of.selections ?? []
  const words = first === undefined ? [] : selectionWords(first)
  if (words.length === 0) return DASH
  const more = (of.selectionCount ?? 1) - 1
  return (
    <span className="bet-on" data-hint={selectionHint(of)}>
      <span className="cut">{words[0]}</span>
      <small className="muted cut">{more > 0 ? `and ${more} more` : words.slice(1).join(' ')}</small>
    </span>
  )
}
