/** Runs work with the same key one after another, and work with other keys concurrently. */

export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
