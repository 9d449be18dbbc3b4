/** A map with a limit: what was not asked for while many others were goes first. */
export interface Lru<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

/** In two halves: the older one goes when the younger one is full. To keep each entry in its place costs a call more than all else that it asks. */
export function createLru<V>(limit: number): Lru<V> {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const set = (key: string, value: V) => {
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
  }
}
