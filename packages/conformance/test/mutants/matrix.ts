/**
 * Tests that each given mutant fails exactly the cases in its row of
 * docs/reference/conformance-mutants.md. With PURSER_WRITE_MUTANTS=1 the test writes that page
 * instead.
 *
 * The whole kit for 250 mutants takes eight minutes on two processors. So the test judges a mutant
 * by the cases of its row, and on one day of ten by the whole kit. `npm run nightly` judges each
 * mutant by the whole kit.
 */
import { writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { isDue } from '../../../server/test/support/nightly.ts'
import type { WalletCase } from '../../src/wallet/case/wallet-case.ts'
import { WALLET_CASES } from '../../src/wallet/cases/wallet-cases.ts'
import { failing, judgeTestWallet } from './judged.ts'
import { MUTANTS, type MutantId } from './mutants.ts'
import { misnamed } from './named-mutants.ts'
import { PAGE, readPage, rightCases, writePage } from './table.ts'

/**
 * On a busy machine, racing calls may miss each other and answers are late. A case that does not
 * detect its mutant never fails.
 */
const MAX_RUNS = 3
/** Milliseconds for all runs of one mutant, together with four others. */
const TIMEOUT_MS = 180_000
const IS_WRITING = process.env.PURSER_WRITE_MUTANTS !== undefined
/** Days until the whole kit has judged each mutant, which shows that no other case fails. */
const DAYS = 10

export function testMutants(ids: readonly MutantId[]): void {
  const expected = readPage()
  const found = new Map<MutantId, readonly string[]>()
  const named = ids.map((id) => [MUTANTS[id].sentence, id] as const)
  test.concurrent.each(named)('the kit detects the fault: %s', { timeout: TIMEOUT_MS }, async (_, id) => {
    const isWhole = IS_WRITING || isDue(ids.indexOf(id), DAYS)
    const cases = isWhole ? WALLET_CASES : casesOf(id, expected.get(id) ?? [])
    const { failed, report } = await judgeOften(id, cases, expected.get(id))
    found.set(id, failed)
    expect(rightCases(id, failed)).not.toEqual([])
    expect(misnamed(id, report, rightCases(id, failed))).toEqual([])
    if (!IS_WRITING) expect(compared(id, failed)).toEqual(compared(id, expected.get(id)))
  })
  afterAll(() => {
    if (IS_WRITING) writeFileSync(PAGE, writePage(new Map([...readPage(), ...found])))
  })
}

/** The cases of the mutant's row, and the cases about its fault. */
function casesOf(id: MutantId, row: readonly string[]): readonly WalletCase[] {
  const about = rightCases(
    id,
    WALLET_CASES.map((one) => one.id),
  )
  return WALLET_CASES.filter((one) => row.includes(one.id) || about.includes(one.id))
}

/**
 * The expected failures, if one of the runs finds exactly these; otherwise the failures of every
 * run.
 */
async function judgeOften(id: MutantId, cases: readonly WalletCase[], expected?: readonly string[]) {
  let report = await judgeTestWallet(id, cases)
  let failed: readonly string[] = failing(report)
  for (let run = 1; run < MAX_RUNS && !isAlike(id, failed, expected); run += 1) {
    report = await judgeTestWallet(id, cases)
    const now = failing(report)
    failed = isAlike(id, now, expected) ? now : failed.filter((one) => now.includes(one))
  }
  return { failed, report }
}

function isAlike(id: MutantId, failed: readonly string[], expected?: readonly string[]): boolean {
  return compared(id, failed)?.join() === compared(id, expected)?.join()
}

/**
 * For a race, only the cases about it are compared. Other failures depend on the winner of the
 * race.
 */
function compared(id: MutantId, failed?: readonly string[]): readonly string[] | undefined {
  return failed && id.startsWith('race-') ? rightCases(id, failed) : failed
}
