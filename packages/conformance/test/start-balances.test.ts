/**
 * The kit detects floating-point wallets with start balances at which such a wallet once passed.
 * start-balances.nightly.test.ts has further balances.
 */
import { expect, test } from 'vitest'
import type { MutantId } from './mutants/mutants.ts'
import { failingMusts } from './mutants/start-balances.ts'

const only = ['money-01', 'money-08']

test.concurrent.each<[MutantId, string, boolean]>([
  ['float-balance', '2500.00', true],
  ['float-balance-rounded', '1000.00', false],
])('a wallet with %s fails from %s (balances by bets: %s)', async (fault, start, hidesBalances) => {
  expect(await failingMusts({ fault, start, hidesBalances, only })).toEqual(['money-08'])
})

test.concurrent.each([
  ['funds-unit-over', 'place-03'],
  ['whole-balance-refused', 'place-02'],
] as const)('%s fails %s when all bets agree on another balance', async (fault, id) => {
  expect(await failingMusts({ fault, start: '2500.00', hidesBalances: true, only: [id] })).toEqual([id])
})

test.concurrent('a correct wallet passes when balances are read by bets', async () => {
  expect(
    await failingMusts({ start: '2500.00', hidesBalances: true, only: [...only, 'place-02', 'place-03'] }),
  ).toEqual([])
})

test.concurrent('an outdated fixtures file is no fault of the wallet', async () => {
  const start = { start: '2500.00', stated: '2400.00' }
  expect(await failingMusts({ ...start, hidesBalances: true, only: ['place-02', 'place-03'] })).toEqual([])
})
