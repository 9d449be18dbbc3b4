/**
 * The terminal report prints causes instead of calls, lists the cases without a verdict, and
 * escapes the answers of the wallet.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PLATFORM_CASES } from '../src/platform/platform-cases.ts'
import { findRemedy } from '../src/remedies/remedy.ts'
import {
  type CaseResult,
  type ConformanceReport,
  isCertified,
  isGood,
  needsOperatorApi,
} from '../src/reports/conformance-report.ts'
import { groupByCause } from '../src/reports/failure-causes.ts'
import { renderConformanceHtml } from '../src/reports/html/html-report.ts'
import { formatJunitReport } from '../src/reports/junit-report.ts'
import { groupMissingInputs } from '../src/reports/run-verdict.ts'
import { formatTerminalReport, plainReportPaint } from '../src/reports/terminal-report.ts'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'
import { parseFixturesFile } from '../src/wallet/players/fixtures-file.ts'
import { frontOf } from './faulty-proxy.ts'
import type { MutantId } from './mutants/mutants.ts'
import { type RunningWallet, startTestWallet } from './mutants/wallet.ts'
import { flagsOf, type Ran, runCommand } from './run-command.ts'

const ends: (() => Promise<void>)[] = []
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-report-short-'))
})
afterAll(async () => {
  for (const end of ends) await end()
  rmSync(folder, { recursive: true, force: true })
})

async function walletWith(fault?: MutantId): Promise<RunningWallet> {
  const wallet = await startTestWallet(fault === undefined ? {} : { fault })
  ends.push(wallet.close)
  return wallet
}

test('every case has exactly one remedy', () => {
  const ids = [...WALLET_CASES, ...PLATFORM_CASES].map(({ id }) => id)
  expect(ids.filter((id) => findRemedy(id) === undefined)).toEqual([])
})

describe('the terminal report of a wallet that refunds with each Rollback', () => {
  let short: Ran
  let long: Ran

  beforeAll(async () => {
    const flags = {
      ...flagsOf(await walletWith('rollback-repeat-refunds')),
      only: ['place-01', 'rollback-02', 'rollback-04'],
    }
    short = await runCommand(flags)
    long = await runCommand({ ...flags, verbose: true })
  })

  test('prints a cause with one line to change, its cases, and the clause with its location', () => {
    const [cause = ''] = short.out.split('\n\n')
    expect(cause).toMatch(/^✗ MUST {2}To change: Refund a bet once: /)
    expect(cause).toContain('rollback-02  ten Rollbacks, each with a new requestId, refund once')
    expect(cause).toContain('docs/reference/interface.md#clause-rollback-never-twice')
    expect(cause).toMatch(/Place bet X 100 → 200\n {4}Rollback X 100 → 200\n {4}Rollback X 100 → 200\n {4}> \{/)
  })

  test('prints no setup call of the kit, and less than half of what --verbose prints', () => {
    expect(short.out).not.toContain('/user/balance  content-type')
    expect(long.out).toContain('/user/balance  content-type')
    expect(short.out.length).toBeLessThan(long.out.length / 2)
  })

  test('prints how to see all calls of a case', () => {
    expect(short.out).toMatch(
      /one case again, with all of its calls: purser conformance wallet .* --only rollback-\d+ --verbose/,
    )
  })
})

test('the report shows a wallet that refuses correct signatures the body and the expected signature', async () => {
  const flags = flagsOf(await walletWith('signature-over-reserialised-json'))
  const { out } = await runCommand({ ...flags, only: ['signature-11', 'message-05'] })
  expect(out).toContain('To change: Verify the signature over the bytes received')
  expect(out).toMatch(/the body that was signed, \d+ bytes; tokens in it are masked:\n +\{.*"amount":10\.0,/)
  expect(out).toMatch(/expected: over these bytes as received\n.* wrong: over the JSON parsed and written again/)
})

const FIXTURES = {
  currency: 'EUR',
  players: ['kit-1', 'kit-2'].map((userId) => ({ userId, token: `token-of-${userId}`, balance: '2500.00' })),
}

describe('cases that are not judged', () => {
  const fixtures = parseFixturesFile(JSON.stringify(FIXTURES))
  const results = WALLET_CASES.flatMap((one): CaseResult[] => {
    if (!('steps' in one)) return []
    const lacks = fixtures.missing(one.player ?? 'ordinary', one.needs ?? [])
    const verdict =
      lacks.length === 0
        ? ({ kind: 'passed' } as const)
        : ({ kind: 'not judged', why: 'x', add: lacks.map(({ add }) => add) } as const)
    return [{ ...one, verdict, durationMs: 0 }]
  })
  const report: ConformanceReport = {
    ...{ judged: 'wallet', kitVersion: '0', interfaceVersion: '0', target: 'http://x', command: 'purser', notes: [] },
    ...{ startedAt: new Date(0), durationMs: 0, wasInterrupted: false, isStrict: false, results },
  }
  const dead = WALLET_CASES.filter((one) => 'needs' in one && one.needs?.includes('dead token'))

  test('are counted once each by what must be added', () => {
    const inputs = groupMissingInputs(report)
    expect(inputs.find(({ add }) => add.join() === 'expiredToken')?.cases.map(({ id }) => id)).toEqual(
      dead.map(({ id }) => id),
    )
    expect(inputs.flatMap(({ cases }) => cases)).toHaveLength(
      results.filter(({ verdict }) => verdict.kind === 'not judged').length,
    )
  })

  test('are listed in the last lines with what to add', () => {
    const must = results.filter(({ verdict, level }) => verdict.kind === 'not judged' && level === 'MUST').length
    const text = formatTerminalReport(report, plainReportPaint)
    expect(text).toMatch(new RegExp(`skipped: ${must} MUST, \\d+ SHOULD:\n`))
    expect(text).toContain(`  add \`expiredToken\` to judge ${dead.length} more (`)
    expect(text.split('\n').at(-1)).toBe(`Not certified: ${must} MUST were skipped.`)
  })

  test('prevent every report from saying certified, and the page from saying passed', () => {
    expect([isGood(report), isCertified(report)]).toEqual([true, false])
    expect(renderConformanceHtml(report)).toMatch(/<strong>not certified: \d+ MUST were skipped<\/strong>/)
    expect(renderConformanceHtml(report)).toContain('<header class="open">')
    expect(formatJunitReport(report)).toMatch(/<property name="verdict" value="not certified: \d+ MUST were skipped"/)
  })

  test('fail a complete run when they are a MUST', () => {
    expect(isGood({ ...report, isComplete: true })).toBe(false)
    expect(formatJunitReport({ ...report, isComplete: true })).toMatch(/errors="[1-9]/)
  })

  test('keep the run certified over the wire when only the operator could show them', () => {
    const judged = results.map((one) =>
      needsOperatorApi(one) ? one : { ...one, verdict: { kind: 'passed' } as const },
    )
    const whole: ConformanceReport = { ...report, results: judged, isComplete: true }
    const must = judged.filter((one) => one.level === 'MUST' && needsOperatorApi(one)).length
    expect(must).toBeGreaterThan(0)
    expect([isGood(whole), isCertified(whole)]).toEqual([true, true])
    expect(formatTerminalReport(whole, plainReportPaint).split('\n').at(-1)).toBe(
      `Certified over the wire: every MUST that needs no operator was judged and passed, ${must} MUST need one.`,
    )
  })

  test('do not exist in a certified run, which judges every MUST', () => {
    const passed = results.map((one) => ({ ...one, verdict: { kind: 'passed' } as const }))
    const whole = { ...report, results: passed }
    expect(isCertified(whole)).toBe(true)
    expect(isCertified({ ...whole, isPart: true })).toBe(false)
    expect(isCertified({ ...whole, wasInterrupted: true })).toBe(false)
    expect(formatTerminalReport(whole, plainReportPaint).split('\n').at(-1)).toBe(
      'Certified: every MUST was judged and passed.',
    )
  })
})

test('purser conformance wallet --complete ends with 1 when a MUST is not judged', async () => {
  const wallet = await walletWith()
  const front = await frontOf(wallet.url, { hides: '/user/balance' })
  ends.push(front.close)
  const flags = { ...flagsOf(wallet), baseUrl: front.url, only: ['signature-16', 'place-01'] }
  const [usual, complete] = [await runCommand(flags), await runCommand({ ...flags, complete: true })]
  expect([usual.code, complete.code]).toEqual([0, 1])
  expect(complete.out).toContain('  add `/user/balance` to judge 1 more (1 MUST)')
})

test('the terminal report orders causes by cost, and each MUST before each SHOULD', () => {
  const failed = WALLET_CASES.map((one): CaseResult => {
    const verdict = { kind: 'failed', why: '', exchanges: [], repeat: '' } as const
    return { ...one, verdict, durationMs: 0 }
  })
  const causes = groupByCause(failed.toReversed())
  expect(causes[0]?.change).toMatch(/^Verify the signature on every path/)
  const levels = causes.map(({ results: [first] }) => first?.level)
  expect(levels).toEqual(levels.toSorted())
  expect(causes.flatMap(({ results }) => results)).toHaveLength(WALLET_CASES.length)
})

/** Escape sequences, commands of CI servers, a line end, a mark of direction. */
const EVIL = '\u001b[2J\u009b2J\r\n::error::owned\n##[error]\u202e'

test('the terminal report escapes what a wallet answers', async () => {
  const wallet = await walletWith()
  const front = await frontOf(wallet.url, {
    rewrite: (text) => (text.includes('"currencies"') ? `${EVIL}${text}` : text),
  })
  ends.push(front.close)
  const file = join(folder, 'evil.xml')
  const flags = { ...flagsOf(wallet), baseUrl: front.url, only: ['profile-01'], report: [file] }
  const texts = [
    await runCommand(flags),
    await runCommand({ ...flags, verbose: true }),
    await runCommand({ ...flags, json: true }),
  ]
  for (const { out } of texts) {
    expect(out).toContain('\\u009b2J')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about them
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|^\s*::|##\[/m)
  }
  expect(readFileSync(file, 'utf8')).not.toMatch(/[\u0080-\u009f\u202e]|^\s*::|##\[/m)
})
