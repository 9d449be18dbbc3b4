/** A right wallet is not accused in tens of thousands of calls, in two currencies. */
import { describe, expect, test } from 'vitest'
import { createLiveWallet, type LiveWalletOptions } from './live-wallet.ts'
import { type HistoryOptions, playHistory } from './random-history.ts'

const DINAR: LiveWalletOptions = { currency: 'KWD', scale: 3 }
const DINAR_AMOUNTS: Partial<HistoryOptions> = {
  stakes: ['10', '1.003', '2.125', '30.007'],
  payouts: ['0', '2.006', '15.111', '9'],
}
/** Shares of bursts after which the balance is read. */
const READS = [0, 0.2, 0.5, 0.9]
const HISTORIES = 40

function chooseOptions(seed: number): LiveWalletOptions {
  return {
    ...{ playerCount: 2, balance: seed % 3 === 0 ? '200' : '1000', hidesBalance: seed % 4 === 0 },
    ...{ clawback: seed % 2 === 0 ? 'allow-negative' : 'refuse', ...(seed % 5 === 0 && DINAR) },
  }
}

describe('the judge accuses no right wallet', () => {
  test.each([100, 200, 300])('in random calls of 40 seeds from %i on', async (from) => {
    for (let seed = from; seed < from + HISTORIES; seed++) {
      const live = createLiveWallet(chooseOptions(seed))
      const reads = READS[seed % READS.length] ?? 0
      await playHistory(live, { seed, bursts: 100, reads, ...(seed % 5 === 0 && DINAR_AMOUNTS) })
      const accusations = live.verdicts.filter(({ kind, cause }) => kind !== 'right' && cause !== undefined)
      expect(accusations, `seed ${seed}`).toEqual([])
    }
  })
})
