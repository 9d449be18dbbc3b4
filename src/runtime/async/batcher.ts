/**
 * Work in batches: while one batch is at work the next one gathers, so that batches grow with the load and a lone item waits for nobody.
 *
 *   waiting ──the batch in front has ended──► in a batch ──► done
 *      │                                         ├──left out──► alone ──► done or failed
 *      └──too many wait: Full                    └──the batch fails──► each alone, or failed
 *
 * Invariant: an item is in one batch, and alone at most once after it. So one that cannot be done delays its batch and fails nobody.
 */
import { nextTurn } from './sleep.ts'

export interface BatchProcessor<Item, Result> {
  /** One result for each item, in their order; undefined leaves that item to be done alone. Rejects when nothing was done, or nobody knows. */
  processBatch(items: readonly Item[]): Promise<readonly (Result | undefined)[]>
  processOne(item: Item): Promise<Result>
  /** Items that wait at most; one more is refused as Full. */
  readonly maxWaiting: number
  /** Whether a batch that failed in this way cannot be done item by item either. */
  isBatchFatal(error: unknown): boolean
}

/** Too much waits: nothing was begun. */
export class QueueFullError extends Error {
  constructor() {
    super('too much waits already')
  }
}

/** Items in one batch at most: what one transaction locks has room in Postgres, also when each item names 50 events. */
const MAX_BATCH = 64
/** Items that are done alone at once: those that wait for a lock leave room for the others. */
const MAX_CONCURRENT_SINGLES = 8

interface PendingItem<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Resolves when the item is done; rejects with what its batch or it alone failed with. */
export function createBatcher<Item, Result>(processor: BatchProcessor<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: PendingItem<Item, Result>[] = []
  const runAlone = createSingleRunner(processor)
  let isRunning = false
  const run = async () => {
    isRunning = true
    await nextTurn() // what comes with one read of the network goes together
    while (waiting.length > 0) await settleBatch(processor, waiting.splice(0, MAX_BATCH), runAlone)
    isRunning = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= processor.maxWaiting) return reject(new QueueFullError())
      waiting.push({ item, resolve, reject })
      if (!isRunning) void run()
    })
}

async function settleBatch<Item, Result>(
  processor: BatchProcessor<Item, Result>,
  batch: readonly PendingItem<Item, Result>[],
  runAlone: (entry: PendingItem<Item, Result>) => void,
): Promise<void> {
  try {
    const results = await processor.processBatch(batch.map(({ item }) => item))
    for (const [i, entry] of batch.entries()) {
      const result = results[i]
      if (result === undefined) runAlone(entry)
      else entry.resolve(result)
    }
  } catch (error) {
    for (const entry of batch) {
      if (processor.isBatchFatal(error)) entry.reject(error)
      else runAlone(entry)
    }
  }
}

function createSingleRunner<Item, Result>({
  processOne,
}: BatchProcessor<Item, Result>): (entry: PendingItem<Item, Result>) => void {
  const waiting: PendingItem<Item, Result>[] = []
  let running = 0
  const run = async () => {
    running += 1
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift())
      await processOne(entry.item).then(entry.resolve, entry.reject)
    running -= 1
  }
  return (entry) => {
    waiting.push(entry)
    if (running < MAX_CONCURRENT_SINGLES) void run()
  }
}
