/**
 * Ids and tokens that almost equal the right ones. They reveal a wallet that compares only a part,
 * or ignores upper and lower case.
 */
import { toNearMissId } from '../../case-facts.ts'

/** longer: one more character. other end: another second half. */
export type NearMissKind = 'cut short' | 'longer' | 'other end' | 'other case'

const NEAR_MISS = Symbol('change')

interface NearMissMember {
  readonly [NEAR_MISS]: NearMissKind
}

/** Stands for the changed value of a member: `{ token: nearMiss('cut short') }`. */
export function nearMiss(kind: NearMissKind): NearMissMember {
  return { [NEAR_MISS]: kind }
}

/** The token or id has no letters, so it has no other case. */
export class NoNearMissError extends Error {}

export function applyNearMisses(
  members: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]) => {
    const kind = nearMissOf(value)
    return [name, kind === undefined ? value : makeNearMiss(String(members[name]), name, kind)] as const
  })
  return { ...members, ...Object.fromEntries(entries) }
}

/** Undefined for a member with a given value. */
export function nearMissOf(value: unknown): NearMissKind | undefined {
  return isNearMiss(value) ? value[NEAR_MISS] : undefined
}

function isNearMiss(value: unknown): value is NearMissMember {
  return typeof value === 'object' && value !== null && NEAR_MISS in value
}

function makeNearMiss(text: string, name: string, kind: NearMissKind): string {
  const result = NEAR_MISS_MAKERS[kind](text)
  if (result === text) throw new NoNearMissError(`the ${name} of this player has no letters`)
  return result
}

const NEAR_MISS_MAKERS: Readonly<Record<NearMissKind, (text: string) => string>> = {
  'cut short': (text) => text.slice(0, -1),
  longer: (text) => `${text}x`,
  'other end': (text) => {
    const half = text.length >> 1
    return text.slice(0, half) + text.slice(half).replaceAll(/./g, (char) => (char === 'x' ? 'y' : 'x'))
  },
  'other case': (text) => text.replaceAll(/[a-z]/gi, (char) => (char < 'a' ? char.toLowerCase() : char.toUpperCase())),
}

/** By the end of a name: the ids of `X` and `X'` differ only in the last character. */
const NEAR_MISS_NAMES: Readonly<Record<string, (id: string) => string>> = {
  "'": toNearMissId,
  ' in capitals': (id) => id.toUpperCase(),
}

/** Undefined for an ordinary name. */
export function parseNearMissName(
  name: string,
): { readonly of: string; readonly make: (id: string) => string } | undefined {
  const [end, make] = Object.entries(NEAR_MISS_NAMES).find(([suffix]) => name.endsWith(suffix)) ?? []
  return end === undefined || make === undefined ? undefined : { of: name.slice(0, -end.length), make }
}
