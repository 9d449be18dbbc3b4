/**
 * Size limits of lists and objects in a request, checked before the schema.
 *
 * The schema validator compares all items of a list of unique items with each other, and reports
 * every fault. So it would take too long for a large list or object.
 */
import type { TSchema } from 'typebox'
import type { FieldError } from './api/problem-details.ts'

/** Members of an object: more than any schema has, and more than there are currencies. */
const MAX_MEMBERS = 1_000

interface SizedSchema {
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, SizedSchema>>
}

/** Returns the first list or object over its limit, at any depth within objects. */
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
