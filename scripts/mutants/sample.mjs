/**
 * Draws a random sample of mutations when time is short, by a seed and with the same number for
 * each mutation operator.
 */

/** `each` limits the faults of a folder, `most` the total. */
export function sample(faults, { most, seed, each }) {
  const random = randomFrom(seed)
  const folders = each === undefined ? [faults] : groups(faults, ({ path }) => toFolder(path))
  const chosen = folders.map((ofFolder) =>
    inTurns(
      groups(ofFolder, ({ operator }) => operator),
      random,
    ),
  )
  return inTurns(chosen.map((some) => some.slice(0, each))).slice(0, most)
}

/** A row of the score table: `packages/server/src/wallet`, `packages/protocol/src`. */
export function toFolder(path) {
  return path
    .split('/')
    .slice(0, path.startsWith('packages/server/src/') ? 4 : 3)
    .join('/')
}

function groups(items, keyOf) {
  const found = new Map()
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item])
  return [...found.values()]
}

/** Takes one item from each list in turn until all are empty. `random` shuffles the lists first. */
function inTurns(lists, random) {
  const orders = lists.map((list) => (random === undefined ? list : shuffled(list, random)))
  const longest = Math.max(0, ...orders.map((list) => list.length))
  return Array.from({ length: longest }, (_, i) => orders.flatMap((list) => list.slice(i, i + 1))).flat()
}

function shuffled(list, random) {
  const keyed = list.map((item) => ({ item, key: random() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
}

/** Numbers in [0, 1) by mulberry32, the same for the same seed. */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
