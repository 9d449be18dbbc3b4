/**
 * Batcher: while one batch is processed, the next one is collected. Batches grow with the load, and
 * a single item does not wait.
 *
 * - Waiting: the item enters the next batch. If too many items wait, it is rejected at once with
 *   QueueFullError.
 * - In a batch: the item is done. If the batch fails or omits the item, the item is processed
 *   individually. A fatal error of the batch fails the item.
 * - Individually: the item is done or fails.
 *
 * Invariant: an item is processed in one batch, and afterwards individually at most once. An item
 * at fault delays the other items of its batch, but does not make them fail.
 */
import { nextTurn } from './sleep.ts'

export interface BatchProcessor<Item, Result> {
  /**
   * Results in the order of the items; undefined means that the item is processed individually.
   * Rejects when nothing was done, or when the outcome is unknown.
   */
  processBatch(items: readonly Item[]): Promise<readonly (Result | undefined)[]>
  processOne(item: Item): Promise<Result>
  /** Limit of waiting items. One more is rejected with QueueFullError. */
  readonly maxWaiting: number
  /** True if the items of a batch with this error cannot be processed individually either. */
  isBatchFatal(error: unknown): boolean
}

/** The item was not started. */
export class QueueFullError extends Error {
  constructor() {
    super('too much waits already')
  }
}

/**
 * Items per batch. The locks of one transaction fit into Postgres, even if each item names 50
 * events.
 */
const MAX_BATCH = 64
/**
 * Limit of items that are processed individually at a time. Items that wait for a lock leave room
 * for others.
 */
const MAX_CONCURRENT_SINGLES = 8

interface PendingItem<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Rejects with the error of the item or of its batch. */
export function createBatcher<Item, Result>(processor: BatchProcessor<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: PendingItem<Item, Result>[] = []
  const runIndividually = createSingleRunner(processor)
  let isRunning = false
  const run = async () => {
    isRunning = true
    await nextTurn() // items from one network read share a batch
    while (waiting.length > 0) await settleBatch(processor, waiting.splice(0, MAX_BATCH), runIndividually)
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
  runIndividually: (entry: PendingItem<Item, Result>) => void,
): Promise<void> {
  try {
    const results = await processor.processBatch(batch.map(({ item }) => item))
    for (const [i, entry] of batch.entries()) {
      const result = results[i]
      if (result === undefined) runIndividually(entry)
      else entry.resolve(result)
    }
  } catch (error) {
    for (const entry of batch) {
      if (processor.isBatchFatal(error)) entry.reject(error)
      else runIndividually(entry)
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
