/** Ids and tokens that are nearly those of the call: who compares them in part, or without case, takes one for the other. */
import { twinId } from '../../twin-id.ts'

/** longer: one character more. other end: another second half. */
export type Change = 'cut short' | 'longer' | 'other end' | 'other case'

const CHANGE = Symbol('change')

interface Changed {
  readonly [CHANGE]: Change
}

/** In place of a member: what the member would say, changed. `{ token: changed('cut short') }` */
export function changed(how: Change): Changed {
  return { [CHANGE]: how }
}

/** This player's token or id has no letters, so that there is no other case of it. */
export class NothingToChange extends Error {}

/** The members with those of the call in their place. */
export function withChanges(
  members: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]) => {
    const how = changeOf(value)
    return [name, how === undefined ? value : changeText(String(members[name]), name, how)] as const
  })
  return { ...members, ...Object.fromEntries(entries) }
}

/** How a member is changed; undefined for one that is given as it is. */
export function changeOf(value: unknown): Change | undefined {
  return isChanged(value) ? value[CHANGE] : undefined
}

function isChanged(value: unknown): value is Changed {
  return typeof value === 'object' && value !== null && CHANGE in value
}

function changeText(text: string, name: string, how: Change): string {
  const result = CHANGES[how](text)
  if (result === text) throw new NothingToChange(`the ${name} of this player has no letters`)
  return result
}

const CHANGES: Readonly<Record<Change, (text: string) => string>> = {
  'cut short': (text) => text.slice(0, -1),
  longer: (text) => `${text}x`,
  'other end': (text) => {
    const half = text.length >> 1
    return text.slice(0, half) + text.slice(half).replaceAll(/./g, (char) => (char === 'x' ? 'y' : 'x'))
  },
  'other case': (text) => text.replaceAll(/[a-z]/gi, (char) => (char < 'a' ? char.toLowerCase() : char.toUpperCase())),
}

/** By the end of its name: an id that differs from that of `X` in nothing but its last character is `X'`. */
const TWINS: Readonly<Record<string, (id: string) => string>> = {
  "'": twinId,
  ' in capitals': (id) => id.toUpperCase(),
}

/** The name of which this one is the twin, and how its id is made; undefined when it is none. */
export function twinOf(name: string): { readonly of: string; readonly make: (id: string) => string } | undefined {
  const [end, make] = Object.entries(TWINS).find(([one]) => name.endsWith(one)) ?? []
  return end === undefined || make === undefined ? undefined : { of: name.slice(0, -end.length), make }
}
