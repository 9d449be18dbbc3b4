/** Every history of one bet up to four steps. Longer ones, and planted faults: one-bet.long.test.ts. */
import { expect, test } from 'vitest'
import { write } from '../../src/simulate/one-bet/letters.ts'
import { replay, search } from '../../src/simulate/one-bet/search.ts'
import { PLANTED } from './planted.ts'

test.each(['refuse', 'allow-negative'] as const)('with clawback %s is what the decisions say', (clawback) => {
  const { found, histories, met } = search({ length: 4, clawback })
  expect(found).toBe(undefined)
  expect(histories).toBeGreaterThan(20_000)
  const answers = ['200', '400/4', '400/5', '400/7', '400/8', '400/20']
  expect([...met.keys()].sort()).toEqual([...answers, ...(clawback === 'refuse' ? ['400/21'] : [])].sort())
})

test('a planted fault is found in the fewest steps, and its history can be played again', () => {
  const planted = PLANTED.find(({ fault }) => fault === 'the lock is not looked at')
  if (planted === undefined) throw new Error('the fault is not planted any more')
  const { found } = search({ length: 4, ...planted })
  expect(write(found?.history ?? [])).toBe('place; settle 25; (lock); settle 0')
  const { steps, complaint } = replay(found?.history ?? [], planted)
  expect(steps.map(({ answer }) => answer)).toEqual(['200 of step 1', '200 of step 2', undefined, '200 of step 4'])
  expect([complaint, replay(found?.history ?? [], { clawback: 'refuse' }).complaint]).toEqual([
    found?.complaint,
    undefined,
  ])
})
