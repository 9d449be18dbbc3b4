/**
 * The selections of a bet in the lists of wallet and platform, shortened to what identifies the
 * bet. Every accepted Place bet can be shown, even if its descriptive members have unexpected JSON
 * types.
 */

import { formatJsonValue } from '@purser/protocol/bet-description'
import { type Static, Type } from 'typebox'
import { booleanParameter } from './api/query-parameters.ts'

/** The first selections identify an express. */
export const MAX_RENDERED_SELECTIONS = 3
const MAX_NAME = 200
const NAME_MEMBERS = ['eventId', 'event', 'market', 'outcomeId', 'outcome'] as const

const optional = Type.Optional
const name = optional(Type.String({ maxLength: MAX_NAME }))

/** `when` is a sentence of the API reference: the condition under which the members exist. */
export function selectionMembers(when: string) {
  return {
    selections: optional(
      Type.Array(Type.Object({ eventId: name, event: name, market: name, outcomeId: name, outcome: name }), {
        maxItems: MAX_RENDERED_SELECTIONS,
        description: `${when} At most ${MAX_RENDERED_SELECTIONS} selections are listed, and names end after ${MAX_NAME} characters.`,
      }),
    ),
    selectionCount: optional(Type.Integer({ minimum: 1, description: 'The total number of selections of the bet.' })),
  }
}

export const selectionsQuery = (meaning: string) => booleanParameter(`If true, ${meaning}`)

type Members = ReturnType<typeof selectionMembers>
type RenderedSelections = { -readonly [M in keyof Members]?: Static<Members[M]> }

/** `first` has the first selections; `count` is the number of all. */
export function renderSelections(
  first: readonly Readonly<Record<string, unknown>>[],
  count = first.length,
): RenderedSelections {
  if (count === 0) return {}
  return { selections: first.slice(0, MAX_RENDERED_SELECTIONS).map(toSelectionNames), selectionCount: count }
}

/** A describing member can have any JSON type, including null (W-3). */
function toSelectionNames(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    NAME_MEMBERS.flatMap((member) => {
      const value = given[member]
      return value === undefined || value === null ? [] : [[member, formatJsonValue(value).slice(0, MAX_NAME)]]
    }),
  )
}
