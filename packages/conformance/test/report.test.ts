/** A kit run reports its failures on the terminal and in files, and no secret is in either. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceWalletFlags } from '../src/wallet/wallet-conformance-command.ts'
import { type RunningWallet, startTestWallet } from './mutants/wallet.ts'
import { flagsOf, type Ran, runCommand } from './run-command.ts'

/** This wallet refunds with each rollback, so a MUST fails. */
let wallet: RunningWallet
let folder: string
let ran: Ran

/** Members that no result of this run has. */
const ONLY_SOMETIMES = ['results[].expected', 'results[].verdict.isFault', 'results[].verdict.add[]']
const ENDINGS = ['html', 'xml', 'json'] as const
const fileOf = (ending: string, name = 'report') => join(folder, `${name}.${ending}`)
const textOf = (ending: string, name?: string) => readFileSync(fileOf(ending, name), 'utf8')

beforeAll(async () => {
  wallet = await startTestWallet({ fault: 'rollback-repeat-refunds' })
  folder = mkdtempSync(join(tmpdir(), 'purser-report-'))
  ran = await run({ showTokens: true, verbose: true, report: ENDINGS.map((ending) => fileOf(ending)) })
})
afterAll(async () => {
  await wallet?.close()
  rmSync(folder, { recursive: true, force: true })
})

function run(flags: ConformanceWalletFlags): Promise<Ran> {
  return runCommand({ ...flagsOf(wallet), only: ['place-01', 'rollback'], ...flags })
}

/** The lines of one request or answer on the terminal. */
function shown(mark: string): string[] {
  return [...ran.out.matchAll(new RegExp(`^ {4}${mark} (.*)$`, 'gm'))].map(({ 1: line = '' }) => line)
}

describe('the terminal report with --verbose', () => {
  test('prints for a failure what is lost, what was sent and answered, and how to repeat it', () => {
    expect(ran.code).toBe(1)
    const [failure = ''] = ran.out.split('\n\n')
    const parts = [
      '✗ rollback-',
      'MUST',
      'the operator refunds',
      '    > {',
      '    < 200 {',
      'Place bet X',
      'again: purser',
      'the last call: curl',
    ]
    const places = parts.map((part) => failure.indexOf(part))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('prints bodies in full', () => {
    expect(shown('>').length).toBeGreaterThan(3)
    expect(shown('>').filter((body) => body !== '' && !body.endsWith('}'))).toEqual([])
  })
})

describe('the report file', () => {
  test.each(ENDINGS)('.%s contains no token, no signature and no secret', (ending) => {
    const [tokens, signatures] = [/"token":"([\w-]{20,})"/g, /x-sign-jws: [\w-]+\.\.([\w-]{43})/g].map((pattern) =>
      [...ran.out.matchAll(pattern)].map(({ 1: found = '' }) => found),
    )
    expect(tokens?.length).toBeGreaterThan(0)
    expect(signatures?.length).toBeGreaterThan(0)
    const text = textOf(ending)
    const secrets = [...(tokens ?? []), ...(signatures ?? []), wallet.secret, wallet.operatorKey]
    expect(secrets.filter((one) => text.includes(one))).toEqual([])
    expect(text).toContain('masked-token-1')
  })

  test('.json has the shape that its page describes', () => {
    const report = JSON.parse(textOf('json'))
    const page = readFileSync(new URL('../../../docs/reference/conformance-report.md', import.meta.url), 'utf8')
    const described = [...page.matchAll(/^\| `([\w.[\]]+)` \|/gm)].map(({ 1: path }) => path)
    const failed = report.results.find(({ verdict }: { verdict: { kind: string } }) => verdict.kind === 'failed')
    const shown = [...pathsOf(report), ...pathsOf({ results: [failed] }), ...ONLY_SOMETIMES]
    expect(described.sort()).toEqual([...new Set(shown)].sort())
    expect(report).toMatchObject({ version: 1, judged: 'wallet', isGood: false, isStrict: false, isPart: true })
    expect(new Date(report.startedAt).toISOString()).toBe(report.startedAt)
  })

  test('.xml has the counts of the run in each group', () => {
    const xml = textOf('xml')
    const [, tests, failures] =
      /<testsuites name="purser conformance wallet" tests="(\d+)" failures="(\d+)"/.exec(xml) ?? []
    const { totals, results } = JSON.parse(textOf('json'))
    expect([Number(tests), Number(failures)]).toEqual([results.length, totals.failedMust])
    expect(xml).toMatch(
      /<testsuite name="place" tests="1" failures="0" errors="0" skipped="0" time="[\d.]+" timestamp=/,
    )
    expect(xml).toMatch(/<failure message="[^"]+" type="MUST">/)
  })

  test('.xml fails a failed SHOULD when it fails the run, and else skips it with its text', async () => {
    const lax = await startTestWallet({ fault: 'blocked-player-bets' })
    const flags = { ...flagsOf(lax), only: ['account-01'] }
    const usual = await runCommand({ ...flags, report: [fileOf('xml', 'usual')] })
    const strict = await runCommand({ ...flags, strict: true, report: [fileOf('xml', 'strict')] })
    await lax.close()
    expect([usual.code, strict.code]).toEqual([0, 1])
    expect(textOf('xml', 'usual')).toMatch(
      /failures="0" errors="0" skipped="1"[\s\S]*<skipped message="fails, and is a SHOULD[\s\S]*<system-out>/,
    )
    expect(textOf('xml', 'strict')).toMatch(/<failure message="[^"]+" type="SHOULD">/)
  })
})

/** Every member, as `results[].verdict.kind`; an object with names of the wire counts as one. */
function pathsOf(value: unknown, path = ''): string[] {
  if (path.endsWith('.headers')) return [path]
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, path === '' ? name : `${path}.${name}`))
}

test.each([
  ['purser conformance', 'purser'],
  ['purser-conformance', 'purser-conformance'],
])('%s refuses a report in a folder that does not exist as %s, before any call is sent', async (command, name) => {
  const flags = { ...flagsOf(wallet), baseUrl: 'http://127.0.0.1:9', report: ['/no/such/folder/report.html'] }
  const { code, err } = await runCommand(flags, command)
  expect([code, err]).toEqual([2, `${name}: --report: /no/such/folder is no folder that can be written to\n`])
})

test('a rule about all answers is judged by all of them, even when its case is selected alone', async () => {
  const { code, out } = await run({ only: ['answers-08'] })
  expect([code, out]).toEqual([0, expect.stringContaining('1 passed, 0 MUST failed')])
})
