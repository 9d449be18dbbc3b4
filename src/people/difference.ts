/** What changed: the members that differ between two views of one thing, and never a secret. */
import { isDeepStrictEqual } from 'node:util'
import { isObject, mapMembers } from '../protocol/json.ts'

/** What an API shows of something, as JSON. */
export type View = Readonly<Record<string, unknown>>

export interface Difference {
  readonly before: View
  readonly after: View
}

/** Members whose values nobody reads in a log, however deep they stand: that they changed is all it says. */
const SECRET = new Set(['secret', 'secrets', 'token'])
const MASK = '***'
/** In the address of a partner or operator. */
const PASSWORD_IN_URL = /(\/\/[^/@:\s]*):[^/@\s]*@/g

/** Objects are compared member by member, lists as a whole. A member that is only in one view is only in that one's difference. */
export function differenceBetween(before: View, after: View): Difference {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const changed = [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => !isDeepStrictEqual(was.get(name), is.get(name)))
    .map((name) => [name, ...differenceOf(name, was.get(name), is.get(name))] as const)
  return {
    before: viewOf(changed.map(([name, value]) => [name, value])),
    after: viewOf(changed.map(([name, , value]) => [name, value])),
  }
}

function differenceOf(name: string, was: unknown, is: unknown): [unknown, unknown] {
  if (!SECRET.has(name) && isObject(was) && isObject(is)) {
    const { before, after } = differenceBetween(was, is)
    return [before, after]
  }
  return [masked(name, was), masked(name, is)]
}

function masked(name: string, value: unknown): unknown {
  if (value === undefined) return undefined
  if (SECRET.has(name)) return MASK
  if (typeof value === 'string') return value.replace(PASSWORD_IN_URL, `$1:${MASK}@`)
  if (Array.isArray(value)) return value.map((item) => masked('', item))
  return isObject(value) ? mapMembers(value, masked) : value
}

function viewOf(members: readonly (readonly [string, unknown])[]): View {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}
