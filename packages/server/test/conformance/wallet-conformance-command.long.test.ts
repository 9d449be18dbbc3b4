/** `purser conformance wallet` prints its verdict and ends with the documented exit code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ConformanceWalletFlags,
  runConformanceWallet,
} from '@purser/conformance/wallet/wallet-conformance-command'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { frontOf } from '../../../conformance/test/faulty-proxy.ts'
import { startTestWallet } from '../../../conformance/test/mutants/wallet.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let folder: string

beforeAll(async () => {
  wallet = await startWallet()
  folder = await mkdtemp(join(tmpdir(), 'purser-conformance-'))
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function run(flags: ConformanceWalletFlags, signal = new AbortController().signal) {
  let out = ''
  let err = ''
  const stdout = {
    write(text: string) {
      out += text
    },
  }
  const stderr = {
    write(text: string) {
      err += text
    },
  }
  const code = await runConformanceWallet(flags, {
    stdout,
    stderr,
    program: 'purser conformance',
    noColour: true,
    signal,
  })
  return { code, out, err }
}

const own = (): ConformanceWalletFlags => ({
  ...{ baseUrl: wallet.url, secret: wallet.secret, operatorApi: wallet.url, operatorKey: wallet.operatorKey },
})

test('purser conformance wallet lists its cases without a target', async () => {
  const { code, out } = await run({ list: true, only: ['place'] })
  expect(code).toBe(0)
  expect(out).toMatch(/^place-01 +MUST +a bet debits its stake$/m)
  expect(out).not.toContain('settle-01')
})

test('purser conformance wallet ends with 0 when the wallet passes', async () => {
  const { code, out, err } = await run({ ...own(), only: ['place-01', 'race-01'] })
  expect(out).toContain('2 passed, 0 MUST failed')
  expect({ code, err }).toEqual({ code: 0, err: '' })
})

test('purser conformance wallet ends with 1 for a faulty wallet, and prints the calls and how to repeat them', async () => {
  const { url, secret, operatorKey, close } = await startTestWallet({ fault: 'place-keyed-by-request' })
  const flags = { baseUrl: url, secret, operatorApi: url, operatorKey }
  const { code, out } = await run({ ...flags, only: ['place-01', 'place-04'], showTokens: true })
  await close()
  expect(code).toBe(1)
  expect(out).toMatch(/^ *place-04 {2}/m)
  expect(out).toContain('To change: ')
  expect(out).toMatch(/the last call: curl -sS -i -X (POST|PUT) 'http:\S+' .*x-sign-jws: .*--data-binary '\{/)
})

test('purser conformance wallet ends with 2 at the first answer that refuses the secret, and shows the signed bytes', async () => {
  const { code, out, err } = await run({ ...own(), secret: 'not-the-secret' })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('the wallet does not take this secret: code 1 to POST /user/profile')
  expect(err).toMatch(
    /"amount":10\.0\}\n {2}[\w-]+\.\.[\w-]{43} {2}expected: .*\n.* wrong: over the JSON parsed and written again/,
  )
  expect(err).not.toContain('not-the-secret')
})

test('purser conformance wallet ends with 2 when a proxy refuses every secret alike', async () => {
  const front = await frontOf(wallet.url, { statusOf: () => 401 })
  const { code, err } = await run({ ...own(), baseUrl: front.url, secret: 'not-the-secret' })
  await front.close()
  expect([code, err]).toEqual([2, expect.stringContaining('POST /user/profile')])
})

test('purser conformance wallet ends with 2 for a base URL with a path of the interface, before any call', async () => {
  const { code, err } = await run({ ...own(), baseUrl: `${wallet.url}/payment/bet` })
  expect([code, err]).toEqual([2, expect.stringContaining('must not end in /payment/bet')])
})

test('purser conformance wallet fails for a SHOULD only with --strict', async () => {
  const front = await frontOf(wallet.url, { rewrite: (text) => text.replace('"code":9', '"code":5') })
  const report = join(folder, 'report.json')
  const flags = { ...own(), baseUrl: front.url, only: ['account-01'], report: [report] }
  const [usual, strict] = [await run(flags), await run({ ...flags, strict: true })]
  await front.close()
  expect([usual.code, strict.code]).toEqual([0, 1])
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ judged: 'wallet', isStrict: true })
})

test.each<[string, ConformanceWalletFlags]>([
  ['no address', { secret: 's' }],
  ['no secret', { baseUrl: 'http://127.0.0.1:1' }],
  ['no players', { baseUrl: 'http://127.0.0.1:1', secret: 's' }],
  ['two sources of players', { baseUrl: 'http://127.0.0.1:1', secret: 's', fixtures: 'x', operatorApi: 'http://y' }],
  ['an unknown case', { only: ['place-99'] }],
  ['a report of an unknown kind', { baseUrl: 'http://127.0.0.1:1', secret: 's', report: ['report.doc'] }],
  ['a patience without a number', { baseUrl: 'http://127.0.0.1:1', secret: 's', fixtures: 'x', patient: '5m' }],
  ['a file that is not there', { baseUrl: 'http://127.0.0.1:1', secret: 's', fixtures: '/no/such/file' }],
])('purser conformance wallet with %s ends with 2', async (_name, flags) => {
  const { code, out, err } = await run(flags)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(/^purser: ./)
})

test('purser conformance wallet ends with 2 when the fixtures do not fit, and names the position', async () => {
  const fixtures = join(folder, 'players.json')
  writeFileSync(fixtures, '{"currency":"EUR","players":[{"userId":"a","token":"short","balance":"1000"}]}')
  const { code, err } = await run({ baseUrl: wallet.url, secret: 's', fixtures })
  expect(code).toBe(2)
  expect(err).toContain('/players/0/token')
})

test('purser conformance wallet ends with 3 when no server listens', async () => {
  const fixtures = join(folder, 'good.json')
  writeFileSync(fixtures, '{"currency":"EUR","players":[{"userId":"a","token":"a-token-of-a","balance":"1000"}]}')
  expect((await run({ baseUrl: 'http://127.0.0.1:9', secret: 's', fixtures })).code).toBe(3)
  const { code, err } = await run({ ...own(), operatorApi: 'http://127.0.0.1:9' })
  expect([code, err]).toEqual([3, expect.stringContaining('the operator API does not answer')])
})

async function callsSoFar(): Promise<number> {
  const metrics = await (await fetch(`${wallet.url}/metrics`)).text()
  const counts = [...metrics.matchAll(/^wallet_calls_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}

test('purser conformance wallet ends with 130 on an interrupt, and still writes its report', async () => {
  const stop = new AbortController()
  const running = run(own(), stop.signal)
  await expect.poll(callsSoFar).toBeGreaterThan(0)
  stop.abort()
  const { code, out } = await running
  expect(code).toBe(130)
  expect(out).toContain('the run was interrupted')
})
