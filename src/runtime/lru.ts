/** A map with a limit: what was not asked for longest goes first. */
export interface Lru<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

export function createLru<V>(limit: number): Lru<V> {
  const entries = new Map<string, V>() // in the order of last use
  const put = (key: string, value: V) => {
    entries.delete(key)
    entries.set(key, value)
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) put(key, value)
      return value
    },
    set(key, value) {
      put(key, value)
      if (entries.size > limit) entries.delete(entries.keys().next().value as string)
    },
  }
}
