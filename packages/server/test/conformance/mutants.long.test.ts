/**
 * The conformance kit detects faults of a test wallet. Without a fault, the test wallet agrees with
 * the independent model of packages/server/test/model. Each fault is one switch of the test wallet,
 * and no two cases of the kit fail for the same faults.
 */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filesIn, read } from '../../../../test/tidy/source.ts'
import { judgeTestWallet, notPassed } from '../../../conformance/test/mutants/judged.ts'
import { MUTANT_IDS, MUTANTS, type MutantId } from '../../../conformance/test/mutants/mutants.ts'
import { PAGE, readPage, writePage } from '../../../conformance/test/mutants/table.ts'
import { startTestWallet, type WalletOptions } from '../../../conformance/test/mutants/wallet.ts'
import type { Settings } from '../model/call.ts'
import { histories } from '../model/lists.ts'
import { playHistory } from '../model/play.ts'
import { testClock } from '../support/clock.ts'
import { operatorClient } from '../support/operator.ts'
import type { TestWallet } from '../support/wallet.ts'
import { partnerWire } from '../support/wire.ts'

const SEED = Number(process.env.PURSER_SEED ?? randomInt(2 ** 31))
const HISTORIES = Number(process.env.PURSER_HISTORIES ?? 30)
const CALLS = 30

console.log(
  `the seed of the histories is ${SEED}; again: PURSER_SEED=${SEED} npx vitest run packages/conformance/test/mutants`,
)

describe('the wallet without a fault', () => {
  test.each(['refuse', 'allow-negative'] as const)('behaves as the model predicts, clawback %s', async (clawback) => {
    const settings: Settings = { clawback, freebetStake: 'player', behindAggregator: false, notesNothing: true }
    await withWallet({ clawback }, async (wallet) => {
      const property = fc.asyncProperty(histories(CALLS), (steps) => playHistory(wallet, settings, steps, new Map()))
      await fc.assert(property, { seed: SEED, numRuns: HISTORIES })
    })
  })
})

async function withWallet(options: WalletOptions, work: (wallet: TestWallet) => Promise<void>): Promise<void> {
  const clock = testClock()
  clock.advance(new Date(clock.now()).setUTCHours(36, 0, 0, 0) - clock.now().getTime())
  const { url, secret, operatorKey, close } = await startTestWallet({ ...options, clock })
  const operator = operatorClient(url, operatorKey)
  try {
    await work({
      ...{ url, secret, operatorKey, databaseUrl: '', clock, operator, stop: close },
      ...{ wire: partnerWire(url, secret), auditIsClean: async () => {} },
    })
  } finally {
    await close()
  }
}

test('the wallet without a fault passes every case, advice included', async () => {
  expect(notPassed(await judgeTestWallet())).toEqual([])
})

/**
 * mutants-calls.nightly.test.ts and mutants-bets.nightly.test.ts compare the page with the failing
 * cases.
 */
describe('the page of mutants', () => {
  const matrix = readPage()
  const mutantsOf = (id: string) => MUTANT_IDS.filter((mutant) => matrix.get(mutant)?.includes(id))

  test('names every mutant, and is what its rows generate', () => {
    expect(MUTANT_IDS.filter((id) => !matrix.has(id))).toEqual([])
    expect(readFileSync(PAGE, 'utf8')).toBe(writePage(matrix))
  })

  test('has a failing mutant for every case', () => {
    expect(WALLET_CASES.map(({ id }) => id).filter((id) => mutantsOf(id).length === 0)).toEqual([])
  })

  test('has no two cases that fail for the same mutants', () => {
    const keys = WALLET_CASES.map(({ id }) => mutantsOf(id).join())
    expect(WALLET_CASES.map(({ id }) => id).filter((_, index) => keys.indexOf(keys[index] ?? '') !== index)).toEqual([])
  })
})

describe('the list of mutants', () => {
  const sources = filesIn('packages/conformance/test/mutants', ['.ts'])
  const code = sources.filter((path) => !/mutants?\.ts$/.test(path)).map(read)

  test('has enough rows for sixty different mutants', () => expect(MUTANT_IDS.length).toBeGreaterThan(75))

  test('contains single faults, each with one switch that is read at one place', () => {
    const places = (id: MutantId) => code.flatMap((text) => text.split(`'${id}'`).slice(1)).length
    expect(MUTANT_IDS.filter((id) => places(id) !== 1)).toEqual([])
  })

  test('contains no sentence twice', () => {
    const sentences = MUTANT_IDS.map((id) => MUTANTS[id].sentence)
    expect(sentences.filter((one, index) => sentences.indexOf(one) !== index)).toEqual([])
  })
})
