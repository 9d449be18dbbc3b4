/**
 * Bounded pool of the bets in one state. The next call takes a random bet from it. A full pool
 * drops a random bet, whose money is already counted.
 */
import type { Random } from '@purser/runtime/seeded-random'

export interface BoundedPool<T> {
  size(): number
  /** Removes a random item. */
  take(random: Random): T | undefined
  /** In a full pool the item replaces a random one. */
  put(item: T, random: Random): void
}

/** Items. The bets with their last calls use about 10 MB. */
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
