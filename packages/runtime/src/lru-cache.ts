/** Map with a limit, which evicts entries that were not used recently. */
export interface Lru<V, K = string> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  /** Does not count as use. */
  entries(): Iterable<readonly [K, V]>
}

/**
 * Two generations approximate LRU: the older one is dropped when the younger one is full, so the
 * last `limit / 2` entries are always present. An exact order costs a call more than its other
 * lookups.
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
