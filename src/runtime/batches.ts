/**
 * Work in batches: while one batch is at work the next one gathers, so that batches grow with the load and a lone item waits for nobody.
 *
 *   waiting ──the batch in front has ended──► in a batch ──► done
 *      │                                         ├──left out──► alone ──► done or failed
 *      └──too many wait: Full                    └──the batch fails──► each alone, or failed
 *
 * Invariant: an item is in one batch, and alone at most once after it. So one that cannot be done delays its batch and fails nobody.
 */
import { nextTurn } from './pause.ts'

export interface Batches<Item, Result> {
  /** One result for each item, in their order; undefined leaves that item to be done alone. Rejects when nothing was done, or nobody knows. */
  together(items: readonly Item[]): Promise<readonly (Result | undefined)[]>
  alone(item: Item): Promise<Result>
  /** Items that wait at most; one more is refused as Full. */
  readonly mostWaiting: number
  /** Whether a batch that failed in this way cannot be done item by item either. */
  failsAll(error: unknown): boolean
}

/** Too much waits: nothing was begun. */
export class Full extends Error {
  constructor() {
    super('too much waits already')
  }
}

/** Items in one batch at most: what one transaction locks has room in Postgres, also when each item names 50 events. */
const MAX_BATCH = 64
/** Items that are done alone at once: those that wait for a lock leave room for the others. */
const ALONE_AT_ONCE = 8

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Resolves when the item is done; rejects with what its batch or it alone failed with. */
export function inBatches<Item, Result>(batches: Batches<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Entry<Item, Result>[] = []
  const apart = oneByOne(batches)
  let isAtWork = false
  const work = async () => {
    isAtWork = true
    await nextTurn() // what comes with one read of the network goes together
    while (waiting.length > 0) await see(batches, waiting.splice(0, MAX_BATCH), apart)
    isAtWork = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= batches.mostWaiting) return reject(new Full())
      waiting.push({ item, resolve, reject })
      if (!isAtWork) void work()
    })
}

async function see<Item, Result>(
  batches: Batches<Item, Result>,
  batch: readonly Entry<Item, Result>[],
  apart: (entry: Entry<Item, Result>) => void,
): Promise<void> {
  try {
    const results = await batches.together(batch.map(({ item }) => item))
    for (const [i, entry] of batch.entries()) {
      const result = results[i]
      if (result === undefined) apart(entry)
      else entry.resolve(result)
    }
  } catch (error) {
    for (const entry of batch) {
      if (batches.failsAll(error)) entry.reject(error)
      else apart(entry)
    }
  }
}

function oneByOne<Item, Result>({ alone }: Batches<Item, Result>): (entry: Entry<Item, Result>) => void {
  const waiting: Entry<Item, Result>[] = []
  let atWork = 0
  const work = async () => {
    atWork += 1
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift())
      await alone(entry.item).then(entry.resolve, entry.reject)
    atWork -= 1
  }
  return (entry) => {
    waiting.push(entry)
    if (atWork < ALONE_AT_ONCE) void work()
  }
}
