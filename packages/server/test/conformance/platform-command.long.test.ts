/**
 * `purser conformance platform` tests a small platform in real time, and its output and exit code
 * show the verdict.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PLATFORM_CASES } from '@purser/conformance/platform/platform-cases'
import {
  type ConformancePlatformFlags,
  runConformancePlatform,
} from '@purser/conformance/platform/platform-conformance-command'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rightBehaviour } from '../../../conformance/test/platform-mutants/behaviour.ts'
import { startTestPlatform, type TestPlatform } from '../../../conformance/test/platform-mutants/platform.ts'
import { newFolder, run } from '../cli/command.ts'

const HOOK = fileURLToPath(new URL('../../../conformance/test/platform-mutants/hook.mjs', import.meta.url))
let right: TestPlatform
let wrong: TestPlatform

beforeAll(async () => {
  right = await startTestPlatform(rightBehaviour(1))
  wrong = await startTestPlatform({ ...rightBehaviour(1), rollsBack: () => true })
})
afterAll(() => Promise.all([right.stop(), wrong.stop()]))

const kit = (...args: string[]) => run(['conformance', 'platform', ...args])
const onApi = ({ url, key }: TestPlatform) => ['--listen', '0', '--platform-api', url, '--platform-key', key]

describe.concurrent('purser conformance platform', () => {
  test('ends with 0 for a correct platform', async () => {
    const { code, stdout, stderr } = await kit(...onApi(right), '--only', 'platform-answer-01', 'platform-answer-06')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/2 passed, 0 MUST failed, 0 SHOULD failed, 0 skipped in \d/)
  })

  test('ends with 1 for a faulty platform and prints who loses money, which calls came, and how to repeat them', async () => {
    const folder = newFolder()
    const file = join(folder.path, 'report.json')
    const { code, stdout } = await kit(...onApi(wrong), '--only', 'platform-answer-02', '--report', file)
    const { results, judged } = JSON.parse(readFileSync(file, 'utf8'))
    folder.remove()
    expect(code).toBe(1)
    expect(stdout).toContain(
      '  platform-answer-02  400 with code 7 (not enough money) declines the bet, and no Rollback follows.',
    )
    expect(stdout).toContain('stores cancelled bets that never existed')
    expect(stdout).toContain('Rollback came once, where none should have')
    expect(stdout).toContain('"amount":10.00')
    expect(stdout).toMatch(
      /^one case again, .*: purser conformance platform --listen 0 --platform-api \S+ --platform-key "\$PLATFORM_API_KEY" --only platform-answer-02 --verbose$/m,
    )
    expect([judged, results.length, results[0].verdict.kind]).toEqual(['platform', 1, 'failed'])
  })

  test('can be driven by a hook, one request at a time', async () => {
    const drive = ['--listen', '0', '--drive', `node ${HOOK} ${right.url}`]
    const { code, stdout } = await kit(...drive, '--only', 'platform-result-01', 'platform-rollback-06')
    expect(stdout).toMatch(/2 passed, 0 MUST failed/)
    expect(code).toBe(0)
  })

  test('judges no kill without a command for it, and says so', async () => {
    const { code, stdout } = await kit(...onApi(right), '--only', 'platform-crash-04', 'platform-answer-02')
    expect(stdout).toContain('--restart names a command that does: platform-crash-04')
    expect(stdout).toMatch(/1 passed, .* 1 skipped/)
    expect(code).toBe(0)
  })

  test('runs the six-minute cases only with --slow', async () => {
    const { stdout } = await kit(...onApi(right), '--only', 'platform-rollback-08', 'platform-answer-01')
    expect(stdout).toContain('the case takes more than six minutes and needs --slow: platform-rollback-08')
  })
})

/** Runs the command in this process, for tests without a platform. */
async function kitHere(flags: Partial<ConformancePlatformFlags>) {
  const written = { stdout: '', stderr: '' }
  const terminal = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text
    },
  })
  const deps = {
    stdout: terminal('stdout'),
    stderr: terminal('stderr'),
    program: 'purser conformance',
    noColour: true,
    signal: neverAborted(),
  }
  const code = await runConformancePlatform({ host: '127.0.0.1', ...flags }, deps)
  return { code, ...written }
}

const neverAborted = () => new AbortController().signal

test('purser conformance platform --list names every case', async () => {
  const { code, stdout } = await kitHere({ list: true })
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(PLATFORM_CASES.map(({ id }) => id))
  expect(code).toBe(0)
})

test.each([
  ['no port', { drive: 'true' }, 'give --listen'],
  [
    'no way to drive',
    { listen: '0' },
    'the kit needs one way to control the platform: give either --platform-api or --drive',
  ],
  ['no key', { listen: '0', platformApi: 'http://127.0.0.1:1' }, 'give --platform-key'],
  ['an unknown case', { list: true, only: ['platform-nothing'] }, 'no such case: platform-nothing'],
  ['a report of another kind', { listen: '0', drive: 'true', report: ['a.pdf'] }, 'must end in'],
] as const)('purser conformance platform with %s ends with 2', async (_what, flags, says) => {
  const { code, stderr } = await kitHere(flags)
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
})

test.each([
  ['a platform that is not there', { platformApi: 'http://127.0.0.1:1', platformKey: 'k' }, 'cannot be reached'],
  ['a hook that does nothing right', { drive: 'exit 7' }, ''],
])('purser conformance platform with %s ends with 3', async (_what, flags, says) => {
  const { code, stderr } = await kitHere({ listen: '0', ...flags, only: ['platform-answer-01'] })
  expect([code, stderr]).toEqual([3, expect.stringContaining(says)])
})

test('Ctrl-C ends a run of conformance platform with 130 and a report of the judged cases', async () => {
  const stop = new AbortController()
  const report: string[] = []
  // The command writes here after each case. The first case ends before most others have begun.
  const stderr = { isTTY: true, columns: 80, write: () => stop.abort() }
  const stdout = { write: (text: string) => void report.push(text) }
  const deps = { stdout, stderr, program: 'purser conformance', noColour: true, signal: stop.signal }
  const flags = { listen: '0', host: '127.0.0.1', platformApi: right.url, platformKey: right.key }
  expect(await runConformancePlatform(flags, deps)).toBe(130)
  expect(report.join('')).toMatch(/^ *[✓✗] platform-|\d+ passed/m)
})
