import { describe, expect, test } from 'vitest'
import type { NetworkRequest } from '../src/market/network/simulated-network.ts'
import { watchPace } from '../src/market/oracle/pace-watch.ts'

const request = (requestId: string, type = 3): NetworkRequest => ({
  ...{ method: 'PUT', path: '/payment/bet', headers: {} },
  body: Buffer.from(JSON.stringify({ requestId, type, transactionId: 'bet' })),
})

const resultOf = (requestId: string, amount: number) =>
  Buffer.from(JSON.stringify({ requestId, type: 2, transactionId: 'bet', amount, resultType: 'won' }))

/** Attempts of a Rollback at these milliseconds, each over before the next. */
function sentAt(...times: readonly number[]) {
  let now = 0
  const pace = watchPace(
    () => now,
    (bet) => bet,
  )
  for (const time of times) {
    now = time
    pace.leaves({ request: request('r'), isOver: () => true })
  }
  return { pace, complaints: pace.complaints(), at: (time: number) => (now = time) }
}

describe('the check of retry intervals', () => {
  test('accepts the attempts of C-4, and those that a pause has shortened to half their intervals', () => {
    expect(sentAt(0, 700, 2_100, 4_900, 10_500).complaints).toEqual([])
    expect(sentAt(0, 5_000, 5_700, 7_100).complaints).toEqual([])
  })

  test('reports attempts that come too close together, and an eleventh one', () => {
    expect(sentAt(0, 32_000, 32_070).complaints).toEqual(['bet: attempt 3 comes 70 ms after the last, not 700 (C-4)'])
    const schedule = Array.from({ length: 10 }, (_, i) => 350 * (2 ** i - 1))
    expect(sentAt(...schedule).complaints).toEqual([])
    expect(sentAt(...schedule, 300_000).complaints).toContain('bet: 11 attempts of a rollback (C-4)')
  })

  test('starts again after a 400, and after a change of the clock', () => {
    const refused = sentAt(0, 700, 2_100)
    refused.pace.received(request('r'), 400)
    refused.at(2_200)
    refused.pace.leaves({ request: request('r'), isOver: () => true })
    expect(refused.pace.complaints()).toEqual([])
    const set = sentAt(0, 700, 2_100)
    set.pace.clockSet()
    set.at(2_200)
    set.pace.leaves({ request: request('r'), isOver: () => true })
    expect(set.pace.complaints()).toEqual([])
  })

  test('starts again after a manual retry of a delivery that was given up, and only then', () => {
    const schedule = Array.from({ length: 10 }, (_, i) => 700 * (2 ** i - 1))
    const more = (times: readonly number[], sentAgain: number | undefined) => {
      const { pace, at } = sentAt(...times)
      const last = times.at(-1) ?? 0
      if (sentAgain !== undefined) {
        at(sentAgain)
        pace.sentAgain()
      }
      for (const time of [700, 1_400, 2_800]) {
        at(last + time)
        pace.leaves({ request: request('r'), isOver: () => true })
      }
      return pace.complaints().length
    }
    expect(more(schedule, 357_800)).toBe(0)
    expect(more(schedule, undefined)).toBe(6) // too early and too many, three times
    expect(more([0, 700, 2_100], 2_200)).toBe(3) // its schedule was not over
  })

  test('reports a second decision with the result in force (C-5)', () => {
    const { pace } = sentAt()
    const settle = (requestId: string, amount: number) =>
      pace.leaves({ request: { ...request(requestId), body: resultOf(requestId, amount) }, isOver: () => true })
    settle('one', 21)
    settle('two', 0)
    settle('three', 21)
    settle('three', 21)
    expect(pace.complaints().filter((one) => one.includes('decided again'))).toEqual([])
    settle('four', 21)
    expect(pace.complaints()).toContain('bet: the result in force is decided again (C-5)')
  })

  test('reports two concurrent calls of one bet (C-6)', () => {
    const { pace } = sentAt()
    pace.leaves({ request: request('one', 2), isOver: () => false })
    pace.leaves({ request: request('two', 2), isOver: () => true })
    expect(pace.complaints()).toEqual(['bet: two of its calls are under way (C-6)'])
  })
})
