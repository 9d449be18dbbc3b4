/**
 * What a request lists is counted before anything in it is looked at: a validator compares the items of a list without doubles with
 * each other, and describes each item and each unknown member, however many there are.
 */
import type { TSchema } from 'typebox'
import type { FieldError } from './api/problem-details.ts'

/** Members of an object: far more than a schema of ours names, or than there are currencies. */
const MAX_MEMBERS = 1_000

interface SizedSchema {
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, SizedSchema>>
}

/** The first list or object that has more than it may: the value itself, or a member of an object, of any depth. */
export function findOversized(schema: TSchema, value: unknown, pointer: string): FieldError | undefined {
  const { maxItems, properties } = schema as SizedSchema
  if (Array.isArray(value))
    return maxItems !== undefined && value.length > maxItems
      ? { pointer, detail: `must not have more than ${maxItems} items` }
      : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.keys(value).length > MAX_MEMBERS)
    return { pointer, detail: `must not have more than ${MAX_MEMBERS} members` }
  for (const [name, member] of Object.entries(properties ?? {})) {
    const found = findOversized(member as TSchema, (value as Record<string, unknown>)[name], `${pointer}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
