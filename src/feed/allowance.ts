/** How much of something is let through. */
import { world } from '../runtime/world.ts'

const DAY_MS = 86_400_000

/** So many at once, and then so many a second. */
export function createAllowance(most: number, perSecond: number) {
  let left = most
  let countedAt = world.elapsed()
  return {
    take(): boolean {
      const now = world.elapsed()
      left = Math.min(most, left + ((now - countedAt) / 1_000) * perSecond)
      countedAt = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}

/** So many a day. */
export function createDay(most: number) {
  let day = 0
  let count = 0
  return {
    take(now: number): boolean {
      const today = Math.trunc(now / DAY_MS)
      if (today !== day) count = 0
      day = today
      count += 1
      return count <= most
    },
  }
}
