/** Tests that each of these mutants fails just the cases that the page says; or writes the page. */
import { writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { failing, judgeTestWallet } from './judged.ts'
import { MUTANTS, type MutantId } from './mutants.ts'
import { misnamed } from './named-mutants.ts'
import { PAGE, readPage, rightCases, writePage } from './table.ts'

/** A busy machine lets calls that race miss each other, and answers come late; a case that does not see its mutant never fails. */
const MAX_RUNS = 3
/** Milliseconds for all runs of one mutant, beside four others. */
const TIMEOUT_MS = 180_000
const IS_WRITING = process.env.PURSER_WRITE_MUTANTS !== undefined

export function testMutants(ids: readonly MutantId[]): void {
  const expected = readPage()
  const found = new Map<MutantId, readonly string[]>()
  const named = ids.map((id) => [MUTANTS[id].sentence, id] as const)
  test.concurrent.each(named)('the kit sees it: %s', { timeout: TIMEOUT_MS }, async (_, id) => {
    const { failed, report } = await judgeOften(id, expected.get(id))
    found.set(id, failed)
    expect(rightCases(id, failed)).not.toEqual([])
    expect(misnamed(id, report, rightCases(id, failed))).toEqual([])
    if (!IS_WRITING) expect(compared(id, failed)).toEqual(compared(id, expected.get(id)))
  })
  afterAll(() => {
    if (IS_WRITING) writeFileSync(PAGE, writePage(new Map([...readPage(), ...found])))
  })
}

/** What is expected, if one of the runs finds just that; else what all of them find. */
async function judgeOften(id: MutantId, expected?: readonly string[]) {
  let report = await judgeTestWallet(id)
  let failed: readonly string[] = failing(report)
  for (let run = 1; run < MAX_RUNS && !isAlike(id, failed, expected); run += 1) {
    report = await judgeTestWallet(id)
    const now = failing(report)
    failed = isAlike(id, now, expected) ? now : failed.filter((one) => now.includes(one))
  }
  return { failed, report }
}

function isAlike(id: MutantId, failed: readonly string[], expected?: readonly string[]): boolean {
  return compared(id, failed)?.join() === compared(id, expected)?.join()
}

/** Of a race, the cases about it: what else suffers depends on which of the calls wins, and in which millisecond. */
function compared(id: MutantId, failed?: readonly string[]): readonly string[] | undefined {
  return failed && id.startsWith('race-') ? rightCases(id, failed) : failed
}
