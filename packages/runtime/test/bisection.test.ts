import { expect, test } from 'vitest'
import { runWithBisection } from '../src/async/bisection.ts'

test.each([
  ['no item', [], ['12345']],
  ['the first item', [1], ['12345', '123', '12', '1', '2', '3', '45']],
  ['two items', [2, 5], ['12345', '123', '12', '1', '2', '3', '45', '4', '5']],
])('each item is run once in a part that succeeds or alone when %s is at fault', async (_, atFault, expected) => {
  const runs: string[] = []
  await runWithBisection([1, 2, 3, 4, 5], async (part) => {
    runs.push(part.join(''))
    return part.length > 1 && part.some((item) => atFault.includes(item)) ? 'halve' : 'done'
  })
  expect(runs).toEqual(expected)
})

test('an empty batch is not run, and a batch of one item is not halved', async () => {
  await runWithBisection([], () => Promise.reject(new Error('it was run')))
  await expect(runWithBisection([1], async () => 'halve')).rejects.toThrow('a batch of one item cannot be halved')
})
