/**
 * The console reads the calls of a bet from the journal, only in certain spans of time. These
 * spans contain all known events of the bet, and leave out the long gaps between these events.
 */

import type { AttemptView, DeliveryView, WalletBetDetail } from '@purser/timeline/bet-sources'
import { describe, expect, test } from 'vitest'
import { computeBetTimeSpans } from '../src/shared/charts/bet-time-spans.ts'

const MINUTE = 60_000
const START = Date.parse('2031-05-16T18:00:00Z')
const at = (minute: number) => new Date(START + minute * MINUTE)
const LONG_AGO = at(1_000_000)

function betAt(...minutes: number[]): { wallet: WalletBetDetail } {
  const [first = 0] = minutes
  const call = { operation: 'place', requestId: 'r', outcome: 'applied', transfers: [] } as const
  const history = minutes.map((minute) => ({ ...call, at: at(minute).toISOString() }))
  return {
    wallet: {
      userId: 'robin',
      transactionId: 'b',
      status: 'open',
      firstSeenAt: at(first).toISOString(),
      history,
    },
  }
}

describe('the journal request of a bet', () => {
  test('covers a short life as one span', () => {
    expect(computeBetTimeSpans(betAt(0, 4, 12), LONG_AGO)).toEqual([{ from: at(-1), to: at(13) }])
  })
  test('covers the time before and after a gap, and not the gap', () => {
    expect(computeBetTimeSpans(betAt(0, 90, 95), LONG_AGO)).toEqual([
      { from: at(-1), to: at(1) },
      { from: at(89), to: at(96) },
    ])
  })
  test('has six spans at most, split at the longest gaps, and every event is in one of them', () => {
    const minutes = Array.from({ length: 40 }, (_, i) => i * i)
    const spans = computeBetTimeSpans(betAt(...minutes), LONG_AGO)
    expect(spans).toHaveLength(6)
    for (const minute of minutes)
      expect(spans.filter(({ from, to }) => from < at(minute) && to !== undefined && at(minute) < to)).toHaveLength(1)
  })
  test('reaches to the present when the bet has changed recently', () => {
    expect(computeBetTimeSpans(betAt(0, 90), at(100))).toEqual([{ from: at(-1), to: at(1) }, { from: at(89) }])
  })
  test('covers the attempts of the platform, even when the wallet knows nothing', () => {
    const attempt: AttemptView = {
      number: 1,
      startedAt: at(3).toISOString(),
      durationMs: 1,
      httpStatus: null,
      outcome: 'unknown',
      body: '',
    }
    const delivery: DeliveryView = {
      ...{ deliveryId: 'd', number: 1, operation: 'place', requestId: 'r', status: 'unknown' },
      ...{ decidedAt: at(0).toISOString(), attemptList: [attempt] },
    }
    const bet = { betId: 'b', partnerId: 'p', userId: 'robin', status: 'placing', amount: '1', currency: 'EUR' }
    const platform = { ...bet, coefficient: '2', placedAt: at(0).toISOString(), deliveries: [delivery] }
    expect(computeBetTimeSpans({ platform }, LONG_AGO)).toEqual([{ from: at(-1), to: at(4) }])
    expect(computeBetTimeSpans({}, LONG_AGO)).toEqual([])
  })
})
