/**
 * Halves a batch that fails until the item at fault is alone, so that it does not stop the other
 * items.
 */

/**
 * Runs the batch. When `run` returns `halve`, each half is run in turn, until the items at fault
 * are alone. After an error of `run` no further part is run.
 */
export async function runWithBisection<Item>(
  batch: readonly Item[],
  run: (part: readonly Item[]) => Promise<'done' | 'halve'>,
): Promise<void> {
  if (batch.length === 0 || (await run(batch)) === 'done') return
  if (batch.length === 1) throw new RangeError('a batch of one item cannot be halved')
  const middle = Math.ceil(batch.length / 2)
  await runWithBisection(batch.slice(0, middle), run)
  await runWithBisection(batch.slice(middle), run)
}
