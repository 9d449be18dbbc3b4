/**
 * A failed run is reproduced from its file. The saved runs in `corpus` failed once, and pass now.
 *
 * - late-copy-of-a-refused-result.json: seed 2 found the fault (I-2).
 * - late-copy-of-an-expired-token.json: seed 702 found the fault (P-1).
 * - sent-again-behind-its-tenth-attempt.json: seed 9778 found a fault of the check. It counted the
 *   tenth attempt as the first of a manual retry (C-4).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeStores } from '../src/market/databases/market-store.ts'
import type { Stores } from '../src/market/market.ts'
import { openWarmStores, runMarket } from '../src/market/market-run.ts'
import { drawFaultChoices } from '../src/market/planted/planted-fault.ts'
import { findPlantedFault, PLANTED_FAULTS } from '../src/market/planted/planted-faults.ts'
import { classifyComplaint, listRunFiles, playFile, readRunFile, shrinkRun } from '../src/market/run-file.ts'

const CORPUS = 'packages/simulator/test/corpus'

let stores: Stores

beforeAll(async () => {
  stores = await openWarmStores()
}, 300_000)
afterAll(() => closeStores(stores))

test.each(listRunFiles(CORPUS, 2))(
  'the saved run of an earlier finding has none now: %s',
  { timeout: 300_000 },
  async (path) => {
    const { complaints } = await playFile(readRunFile(path), stores)
    expect(complaints).toEqual([])
  },
)

const KEPT = PLANTED_FAULTS.flatMap(({ fault, file, plant }) => (file === undefined ? [] : [{ fault, file, plant }]))

test.each(KEPT)('a saved run still finds its planted fault: $fault', { timeout: 300_000 }, async ({ file, plant }) => {
  const kept = readRunFile(file)
  const { complaints } = await playFile(kept, plant(stores))
  expect(complaints.map(classifyComplaint)).toContain(kept.found)
})

test('a seed reproduces its run, and another seed makes another run', { timeout: 600_000 }, async () => {
  const [first, other, second] = [await runMarket(5, stores), await runMarket(6, stores), await runMarket(5, stores)]
  expect([second.hash, second.story.length]).toEqual([first.hash, first.story.length])
  expect(other.hash).not.toBe(first.hash)
})

test('the recorded choices of a run reproduce its result, and fewer choices find the same', {
  timeout: 600_000,
}, async () => {
  const planted = findPlantedFault('a booked amount is missing in the balance')
  const faulty = planted.plant(stores)
  const { choices, complaints, hash } = await runMarket(planted.seed, faulty, drawFaultChoices(planted))
  const found = classifyComplaint(complaints[0] ?? '')
  const file = { seed: planted.seed, commit: 'any', found, choices }
  expect((await playFile(file, faulty)).hash).toBe(hash)
  const shorter = await shrinkRun(file, (one) => playFile(one, faulty), 12)
  expect(shorter.choices.length).toBeLessThan(choices.length / 2)
  expect((await playFile(shorter, faulty)).complaints.map(classifyComplaint)).toContain(found)
})
