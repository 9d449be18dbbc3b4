/** A right wallet is never accused, whatever happens on the way. */
import { describe, expect, test } from 'vitest'
import { createLiveWallet } from './live-wallet.ts'
import { playHistory } from './random-history.ts'

const accusations = (live: ReturnType<typeof createLiveWallet>) =>
  live.verdicts.filter(({ kind, cause }) => kind === 'wrong' || cause === 'unexplained balance')

describe('the judge accuses no right wallet', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('in random calls with trouble, seed %i', async (seed) => {
    const live = createLiveWallet({ playerCount: 2 })
    await playHistory(live, { seed, bursts: 40 })
    expect(accusations(live)).toEqual([])
  })
})
