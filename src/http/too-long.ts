/**
 * Lists are measured before anything in them is looked at: a validator compares the items of a list without doubles with each
 * other, and describes each item that is wrong, however many there are.
 */
import type { TSchema } from 'typebox'
import type { Fault } from './problem.ts'

interface Measured {
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Measured>>
}

/** The first list that has more items than its schema allows: the value itself, or a member of an object, of any depth. */
export function findTooLong(schema: TSchema, value: unknown, pointer: string): Fault | undefined {
  const { maxItems, properties } = schema as Measured
  if (Array.isArray(value))
    return maxItems !== undefined && value.length > maxItems
      ? { pointer, detail: `must not have more than ${maxItems} items` }
      : undefined
  if (typeof value !== 'object' || value === null || properties === undefined) return undefined
  for (const [name, member] of Object.entries(properties)) {
    const found = findTooLong(member as TSchema, (value as Record<string, unknown>)[name], `${pointer}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
