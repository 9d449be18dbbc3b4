/** Batches grow with the load, and a failing item fails no other item. */
import { expect, test } from 'vitest'
import { type BatchProcessor, createBatcher, QueueFullError } from '../src/async/batcher.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A batcher that doubles numbers; the test ends each batch. */
function doubling(over: Partial<BatchProcessor<number, number>> = {}) {
  const batches: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const alone: number[] = []
  const double = createBatcher<number, number>({
    async processBatch(items) {
      batches.push(items)
      await new Promise<void>((resolve) => ends.push(resolve))
      return (over.processBatch ?? (async (all) => all.map((item) => 2 * item)))(items)
    },
    async processOne(item) {
      alone.push(item)
      return 2 * item
    },
    isBatchFatal: over.isBatchFatal ?? (() => false),
    maxWaiting: over.maxWaiting ?? 1_000,
  })
  return { double, batches, alone, endNext: () => ends.shift()?.() }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

test('the batcher puts items of one turn into one batch, and items that arrive during a batch into the next', async () => {
  const { double, batches, alone, endNext } = doubling()
  const first = range(0, 3).map(double)
  await turn()
  const second = range(3, 10).map(double)
  await turn()
  expect(batches).toEqual([range(0, 3)])
  endNext()
  expect(await Promise.all(first)).toEqual([0, 2, 4])
  await turn()
  expect(batches).toEqual([range(0, 3), range(3, 10)])
  endNext()
  expect(await Promise.all(second)).toEqual(range(3, 10).map((item) => 2 * item))
  expect(alone).toEqual([])
})

test('the batcher puts at most 64 items into a batch', async () => {
  const { double, batches, endNext } = doubling()
  const all = range(0, 130).map(double)
  for (let i = 0; i < 3; i++) {
    await turn()
    endNext()
    await turn()
  }
  await Promise.all(all)
  expect(batches.map(({ length }) => length)).toEqual([64, 64, 2])
})

test('the batcher processes items that a batch leaves out one by one, and the next batch does not wait for them', async () => {
  const { double, alone, endNext } = doubling({
    processBatch: async (all) => all.map((item) => (item === 1 ? undefined : 2 * item)),
  })
  const all = range(0, 3).map(double)
  await turn()
  endNext()
  expect(await Promise.all(all)).toEqual([0, 2, 4])
  expect(alone).toEqual([1])
})

test('the batcher processes each item of a failed batch alone', async () => {
  const { double, alone, endNext } = doubling({ processBatch: () => Promise.reject(new Error('poisoned')) })
  const all = range(0, 3).map(double)
  await turn()
  endNext()
  expect(await Promise.all(all)).toEqual([0, 2, 4])
  expect(alone).toEqual([0, 1, 2])
})

test('a failure that is fatal for the batch rejects all its items at once', async () => {
  const { double, alone, endNext } = doubling({
    processBatch: () => Promise.reject(new Error('the database is gone')),
    isBatchFatal: () => true,
  })
  const all = Promise.allSettled(range(0, 3).map(double))
  await turn()
  endNext()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(alone).toEqual([])
})

test('the batcher rejects items above its limit and completes those that wait', async () => {
  const { double, endNext } = doubling({ maxWaiting: 2 })
  const all = Promise.allSettled(range(0, 3).map(double))
  await turn()
  endNext()
  const [one, two, three] = await all
  expect([one?.status, two?.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(three).toMatchObject({ status: 'rejected', reason: expect.any(QueueFullError) })
})
