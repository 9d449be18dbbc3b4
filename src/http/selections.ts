/** What a bet is on, as the lists of wallet and platform show it: enough to tell it from another, whatever its Place bet said. */
import { type Static, Type } from 'typebox'
import { textOfJson } from '../protocol/bet-description.ts'
import { flagInQuery } from './query.ts'

/** Of an express the first ones say which it is; a list is no place for forty. */
export const MOST_SELECTIONS = 3
/** Characters of a name. */
const MAX_NAME = 200
const NAMES = ['eventId', 'event', 'market', 'outcomeId', 'outcome'] as const

const optional = Type.Optional
const name = optional(Type.String({ maxLength: MAX_NAME }))

/** Members of a row; `whence` says when and of what they are there. */
export function selectionMembers(whence: string) {
  return {
    selections: optional(
      Type.Array(Type.Object({ eventId: name, event: name, market: name, outcomeId: name, outcome: name }), {
        maxItems: MOST_SELECTIONS,
        description: `${whence} The first ${MOST_SELECTIONS}, with names of ${MAX_NAME} characters at most.`,
      }),
    ),
    selectionCount: optional(Type.Integer({ minimum: 1, description: 'Of all of its selections.' })),
  }
}

export const selectionsQuery = (meaning: string) => flagInQuery(`true: ${meaning}`)

type Members = ReturnType<typeof selectionMembers>
type Shown = { -readonly [M in keyof Members]?: Static<Members[M]> }

/** `count` is of all, of which `some` are the first ones. */
export function showSelections(some: readonly Readonly<Record<string, unknown>>[], count = some.length): Shown {
  if (count === 0) return {}
  return { selections: some.slice(0, MOST_SELECTIONS).map(namesOf), selectionCount: count }
}

/** A member may be of any type, and null (W-3). */
function namesOf(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((member) => {
      const value = given[member]
      return value === undefined || value === null ? [] : [[member, textOfJson(value).slice(0, MAX_NAME)]]
    }),
  )
}
