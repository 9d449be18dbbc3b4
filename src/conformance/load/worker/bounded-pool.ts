/** Bets of one kind that a call can be drawn for. It is bounded: what is let go has moved its money, and is only not used again. */
import type { Random } from '../../../runtime/seeded-random.ts'

export interface BoundedPool<T> {
  size(): number
  /** Any of them. */
  take(random: Random): T | undefined
  /** Into a full pool in the place of any of them. */
  put(item: T, random: Random): void
}

/** Items: about 10 MB of bets with their last calls. */
const MAX_ITEMS = 10_000

export function createBoundedPool<T>(maxItems = MAX_ITEMS): BoundedPool<T> {
  const items: T[] = []
  return {
    size: () => items.length,
    take(random) {
      const last = items.pop()
      if (last === undefined || items.length === 0) return last
      const at = random.below(items.length + 1)
      if (at === items.length) return last
      const taken = items[at]
      items[at] = last
      return taken
    },
    put(item, random) {
      if (items.length < maxItems) items.push(item)
      else items[random.below(maxItems)] = item
    },
  }
}
