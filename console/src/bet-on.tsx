/** What a bet in a list is on: its match and outcome; of an express the first match, and how many more. */
import { NONE } from './parts.tsx'

interface Selection {
  readonly eventId?: string
  readonly event?: string
  readonly market?: string
  readonly outcomeId?: string
  readonly outcome?: string
}

export interface On {
  readonly selections?: readonly Selection[]
  readonly selectionCount?: number
}

/** Whatever of it is known: names come with the Place bet, or not. */
function wordsOf({ eventId, event, outcomeId, outcome }: Selection): string[] {
  return [event ?? eventId, outcome ?? outcomeId].filter((words) => words !== undefined && words !== '') as string[]
}

/** On hover all that the list has. */
function hintOf({ selections = [], selectionCount = 0 }: On): string {
  const lines = selections.map((one) => [one.event ?? one.eventId, one.market, one.outcome ?? one.outcomeId])
  const more = selectionCount - selections.length
  return [...lines.map((line) => line.filter(Boolean).join(' · ')), ...(more > 0 ? [`and ${more} more`] : [])].join(
    '\n',
  )
}

export function BetOn({ of }: { of: On }) {
  const [first] = of.selections ?? []
  const words = first === undefined ? [] : wordsOf(first)
  if (words.length === 0) return NONE
  const more = (of.selectionCount ?? 1) - 1
  return (
    <span className="bet-on" data-hint={hintOf(of)}>
      <span className="cut">{words[0]}</span>
      <small className="muted cut">{more > 0 ? `and ${more} more` : words.slice(1).join(' ')}</small>
    </span>
  )
}
