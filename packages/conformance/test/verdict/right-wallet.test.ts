/** A right wallet is never accused, whatever happens to its calls and answers. */
import { createRandom } from '@purser/runtime/seeded-random'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/verdict/live-verdict.ts'
import type { MutantId } from '../mutants/mutants.ts'
import { createLiveWallet, type LiveWallet } from './live-wallet.ts'
import { playHistory } from './random-history.ts'

/** Few calls a seed, because a quick test takes less than a second. */
const BURSTS = 25

function findAccusations({ verdicts }: LiveWallet): readonly Verdict[] {
  return verdicts.filter(({ kind, cause }) => kind === 'wrong' || cause === 'unexplained balance')
}

describe('the judge accuses no right wallet', () => {
  test.each([1, 2, 3, 4, 5, 6])('in random calls with trouble, seed %i', async (seed) => {
    const live = createLiveWallet({ playerCount: 2 })
    await playHistory(live, { seed, bursts: BURSTS })
    expect(findAccusations(live)).toEqual([])
    expect(live.verdicts.filter(({ kind }) => kind === 'advice')).toEqual([])
  })

  test.each([11, 12, 13])('that lets a balance go below zero, seed %i', async (seed) => {
    const live = createLiveWallet({ clawback: 'allow-negative', balance: '300' })
    await playHistory(live, { seed, bursts: BURSTS })
    expect(findAccusations(live)).toEqual([])
  })

  test.each([21, 22, 23])('whose balance is never known, seed %i', async (seed) => {
    const live = createLiveWallet({ hidesBalance: true, balance: '300' })
    await playHistory(live, { seed, bursts: BURSTS, reads: 0 })
    expect(findAccusations(live)).toEqual([])
  })

  test.each([31, 32, 33])('whose balance is known only at the start, seed %i', async (seed) => {
    const live = createLiveWallet({ balance: '300' })
    await playHistory(live, { seed, bursts: BURSTS, reads: 0 })
    expect(findAccusations(live)).toEqual([])
  })

  test.each([41, 42, 43])(
    'that answers 503 now and then, although it has carried the call out, seed %i',
    async (seed) => {
      const live = createLiveWallet()
      const { chance } = createRandom(seed, 'failures')
      live.rewrite = (answer) => (chance(0.1) ? { ...answer, status: 503, body: '' } : answer)
      await playHistory(live, { seed, bursts: BURSTS })
      expect(findAccusations(live)).toEqual([])
    },
  )

  test('that answers a bad signature or token with 500 and an empty body', async () => {
    const live = createLiveWallet()
    live.rewrite = (answer) => (/"code":[134],/.test(answer.body) ? { ...answer, status: 500, body: '' } : answer)
    await playHistory(live, { seed: 51, bursts: BURSTS })
    expect(findAccusations(live)).toEqual([])
  })
})

/** Faults only by the decisions of this project: such a wallet obeys the interface. */
const LEFT_OPEN: readonly MutantId[] = [
  ...(['bad-signature-401', 'bad-signature-500', 'bad-token-403', 'unknown-bet-404', 'invalid-data-422'] as const),
  ...(['conflict-409', 'code-unlisted', 'place-repeat-refused', 'refused-bet-accepted-later'] as const),
  ...(['repeat-has-new-time', 'rollback-token-demanded', 'rollback-amount-demanded', 'late-repeat-applied'] as const),
  ...(['unsettle-token-demanded', 'codes-of-tokens-mixed', 'place-cancelled-ok', 'place-other-amount-ok'] as const),
  ...(['rollback-settled-refused', 'signature-alg-unread', 'zero-stake-accepted'] as const),
  ...(['race-second-bet-refused', 'race-second-bet-500', 'race-settle-500', 'race-settle-100'] as const),
  ...(['race-rollback-500', 'race-rollback-100', 'race-unsettle-repeat'] as const),
  ...(['unsettle-ignored', 'unsettle-unknown-ok', 'unsettle-loss-refunds', 'unsettle-cashout-ignored'] as const),
  ...(['unsettle-leaves-settled', 'unsettle-cancelled-reopens', 'unsettle-partial'] as const),
]

describe('the judge gives at most advice to a wallet with the fault', () => {
  test.each(LEFT_OPEN)('%s', async (fault) => {
    const live = createLiveWallet({ faults: [fault] })
    await playHistory(live, { seed: 61, bursts: BURSTS })
    expect(findAccusations(live)).toEqual([])
  })
})
