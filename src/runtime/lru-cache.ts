/** A map with a limit: what was not asked for while many others were goes first. */
export interface Lru<V, K = string> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  /** Asking so is not counted. */
  entries(): Iterable<readonly [K, V]>
}

/**
 * In two halves: the older one goes when the younger one is full, so that the last `limit / 2` are always there. To keep each entry in its place
 * costs a call more than all else that it asks.
 */
export function createLru<V, K = string>(limit: number): Lru<V, K> {
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  const set = (key: K, value: V) => {
    if (young.size >= limit / 2) [old, young] = [young, new Map()]
    young.set(key, value)
  }
  return {
    set,
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    entries: () => new Map([...old, ...young]),
  }
}
