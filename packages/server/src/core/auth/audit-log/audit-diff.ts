/** The difference between two views of one object, without secrets. */
import { isDeepStrictEqual } from 'node:util'
import { isObject, mapMembers } from '@purser/protocol/values/exact-json'

/** The JSON that an API shows for an object. */
export type AuditView = Readonly<Record<string, unknown>>

export interface AuditDiff {
  readonly before: AuditView
  readonly after: AuditView
}

/** Members whose values are never logged, at any depth; only the fact of the change is. */
const SECRET_MEMBERS = new Set(['secret', 'secrets', 'token'])
const MASK = '***'
/** The password in the URL of a partner or operator. */
const PASSWORD_IN_URL = /(\/\/[^/@:\s]*):[^/@\s]*@/g

/** Compares objects by member, and lists as a whole. */
export function diffViews(before: AuditView, after: AuditView): AuditDiff {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const changed = [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => !isDeepStrictEqual(was.get(name), is.get(name)))
    .map((name) => [name, ...diffMember(name, was.get(name), is.get(name))] as const)
  return {
    before: toView(changed.map(([name, value]) => [name, value])),
    after: toView(changed.map(([name, , value]) => [name, value])),
  }
}

function diffMember(name: string, was: unknown, is: unknown): [unknown, unknown] {
  if (!SECRET_MEMBERS.has(name) && isObject(was) && isObject(is)) {
    const { before, after } = diffViews(was, is)
    return [before, after]
  }
  return [redact(name, was), redact(name, is)]
}

function redact(name: string, value: unknown): unknown {
  if (value === undefined) return undefined
  if (SECRET_MEMBERS.has(name)) return MASK
  if (typeof value === 'string') return value.replace(PASSWORD_IN_URL, `$1:${MASK}@`)
  if (Array.isArray(value)) return value.map((item) => redact('', item))
  return isObject(value) ? mapMembers(value, redact) : value
}

function toView(members: readonly (readonly [string, unknown])[]): AuditView {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}
