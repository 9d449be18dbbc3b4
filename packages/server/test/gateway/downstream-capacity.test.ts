// Under load the gateway reads only calls that may find free capacity (G-7).
import { expect, test } from 'vitest'
import { createDownstreamCapacity } from '../../src/gateway/operators/downstream-capacity.ts'

/** An operator's queue with 320 slots. */
const queue = (room: number, usedAt: number) => ({ freeCapacity: () => room, lastUsedAt: () => usedAt })
const NEVER = Number.NEGATIVE_INFINITY

test('the capacity is the free space of the emptiest queue in use', () => {
  const queues = [queue(0, 9_900), queue(200, 9_000), queue(320, NEVER), queue(320, 7_999)]
  expect(
    createDownstreamCapacity(
      () => queues,
      () => 10_000,
    )(),
  ).toBe(200)
})

test('the capacity is unlimited while no queue is in use', () => {
  expect(
    createDownstreamCapacity(
      () => [],
      () => 10_000,
    )(),
  ).toBe(Number.POSITIVE_INFINITY)
  expect(
    createDownstreamCapacity(
      () => [queue(0, NEVER)],
      () => 10_000,
    )(),
  ).toBe(Number.POSITIVE_INFINITY)
})

test('a few calls are let through at intervals while all queues are nearly full', () => {
  let now = 10_000
  const capacity = createDownstreamCapacity(
    () => [queue(127, now), queue(320, NEVER)],
    () => now,
  )
  const found = Array.from({ length: 200 }, () => {
    now += 1
    return capacity()
  })
  expect(found.filter((calls) => calls > 0)).toEqual([64, 64, 64, 64])
})
