/**
 * Both conformance commands, for wallets and for platforms, handle options, expected failures and
 * masked secrets alike. No report is lost because its file cannot be written.
 */
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommonConformanceFlags } from '../src/conformance-command.ts'
import { runConformancePlatform } from '../src/platform/platform-conformance-command.ts'
import { runConformanceWallet } from '../src/wallet/wallet-conformance-command.ts'
import { type RunningWallet, startTestWallet } from './mutants/wallet.ts'
import { rightBehaviour } from './platform-mutants/behaviour.ts'
import { startTestPlatform, type TestPlatform } from './platform-mutants/platform.ts'

/** Fails place-04 and passes place-01. */
let wallet: RunningWallet
/** Fails platform-answer-02 and passes platform-answer-06. */
let platform: TestPlatform
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'purser-command-'))
  wallet = await startTestWallet({ fault: 'place-keyed-by-request' })
  platform = await startTestPlatform({ ...rightBehaviour(1), rollsBack: () => true })
})
afterAll(async () => {
  await wallet?.close()
  await platform?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function ranWith(run: (deps: Parameters<typeof runConformanceWallet>[1]) => Promise<number>): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await run({
    stdout: { write: (text) => void out.push(text) },
    stderr: { write: (text) => void err.push(text) },
    ...{ program: 'purser conformance', noColour: true, signal: new AbortController().signal },
  })
  return { code, out: out.join(''), err: err.join('') }
}

const ofWallet = (flags: CommonConformanceFlags & { operatorApi?: string; operatorKey?: string; baseUrl?: string }) => {
  const { url, secret, operatorKey } = wallet
  return ranWith((deps) =>
    runConformanceWallet({ baseUrl: url, secret, operatorApi: url, operatorKey, ...flags }, deps),
  )
}
const ofPlatform = (flags: CommonConformanceFlags & { drive?: string; platformApi?: string }) => {
  const { url, key } = platform
  const target = flags.drive === undefined ? { platformApi: url, platformKey: key } : {}
  return ranWith((deps) => runConformancePlatform({ listen: '0', host: '127.0.0.1', ...target, ...flags }, deps))
}

const COMMANDS = [
  ['wallet', ofWallet, 'place-04', 'place-01'],
  ['platform', ofPlatform, 'platform-answer-02', 'platform-answer-06'],
] as const

describe.concurrent.each(COMMANDS)('purser conformance %s', (side, run, failing, passing) => {
  const file = (name: string) => join(folder, `${failing}-${name}`)
  const expectedFile = (name: string, text: string) => {
    writeFileSync(file(name), text)
    return file(name)
  }

  test('refuses a report that it could not write, before any call is sent', async () => {
    const { code, out, err } = await run({ only: [failing], report: ['/nowhere/x.json'] })
    expect({ code, out, err }).toEqual({
      ...{ code: 2, out: '', err: 'purser: --report: /nowhere is no folder that can be written to\n' },
    })
    mkdirSync(file('folder.json'))
    expect((await run({ only: [failing], report: [file('folder.json')] })).err).toContain('is a folder')
  })

  test('ends with the ids that failed, and prints for each failure how to run it again', async () => {
    const { code, out } = await run({ only: [failing, passing] })
    expect(code).toBe(1)
    expect(out).toMatch(new RegExp(`^failed MUST: ${failing}$`, 'm'))
    expect(out).toMatch(
      new RegExp(`^one case again, .*: purser conformance \\w+ --.* --only ${failing} --verbose$`, 'm'),
    )
    expect([wallet.secret, wallet.operatorKey, platform.key].filter((secret) => out.includes(secret))).toEqual([])
  })

  test('writes its version and the version of the interface into every report', async () => {
    const names = ['json', 'xml', 'html'].map((ending) => file(`version.${ending}`))
    const { out } = await run({ only: [passing], report: names })
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    const texts = [out, ...names.map((name) => readFileSync(name, 'utf8'))]
    expect(texts.filter((text) => !text.includes(version))).toEqual([])
    expect(texts.filter((text) => !/partner wallet callback interface, clauses [0-9a-f]{8}/.test(text))).toEqual([])
  })

  test('passes with expected failures, and names those that did not occur', async () => {
    const expectedFailures = expectedFile(
      'known',
      `# known\n${failing}  the ticket is W-1\n\n${passing} it was so once\n`,
    )
    const report = [file('expected.json'), file('expected.xml'), file('expected.html')]
    const { code, out } = await run({ only: [failing, passing], expectedFailures, report })
    expect(code).toBe(0)
    expect(out).toContain(`${failing} fails as expected, the ticket is W-1`)
    expect(out).toContain(`${passing} passes, but was expected to fail, it was so once`)
    expect(out).toContain('1 passed, 0 MUST failed, 0 SHOULD failed, 1 failed as expected')
    const [json = '', xml, html] = report.map((name) => readFileSync(name, 'utf8'))
    expect(JSON.parse(json)).toMatchObject({ isGood: true, totals: { failedMust: 0, failedAsExpected: 1 } })
    expect(xml).toMatch(/<skipped message="fails as expected: the ticket is W-1/)
    expect(html).toContain('Failed as expected')
  })

  test.each([
    ['an unknown id', 'nothing-01 why'],
    ['no reason', 'ID'],
    ['an id twice', 'ID why\nID why'],
  ])('refuses expected failures with %s', async (what, text) => {
    const expectedFailures = expectedFile(what, text.replaceAll('ID', failing))
    const { code, err } = await run({ only: [failing], expectedFailures })
    expect([code, err]).toEqual([2, expect.stringMatching(/^purser: --expected-failures: /)])
  })

  test.each([
    { header: ['no colon'] },
    { header: ['X-Sign-JWS: mine'] },
    { pace: '0' },
    { pace: '1.5' },
    { expectedFailures: '/no/such/file' },
  ])('refuses the option %o', async (flags) => {
    expect((await run({ only: [failing], ...flags })).code).toBe(2)
  })

  test('masks tokens, signatures and headers on the terminal by default', async () => {
    const header = ['Authorization: Basic dXNlcjpwYXNzd29yZA==']
    const common = { only: [failing], verbose: true } as const
    const flags = side === 'wallet' ? { header, ...common } : common
    const [usual, shown, json] = await Promise.all([
      run(flags),
      run({ ...flags, showTokens: true }),
      run({ ...flags, json: true }),
    ])
    const tokens = [...shown.out.matchAll(/"token":"([\w-]{20,})"/g)].map(({ 1: token = '' }) => token)
    expect(tokens.length).toBeGreaterThan(0)
    for (const { out } of [usual, json]) {
      expect(out).toContain('masked-token-1')
      expect(out).toMatch(/x-sign-jws"?: "?[\w-]+\.\.masked/)
      expect(out).not.toContain('dXNlcjpwYXNzd29yZA')
    }
    if (side === 'wallet') expect(shown.out).toContain('Basic dXNlcjpwYXNzd29yZA')
    if (side === 'wallet') expect(usual.out).toContain('--header "authorization: $AUTHORIZATION"')
  })
})

test('purser conformance prints the report on stdout when the disk is full at the end', async () => {
  const report = join(folder, 'readonly.json')
  writeFileSync(report, '')
  const drive = `rm -f ${report}; mkdir -p ${report}; exit 3`
  const { code, out, err } = await ofPlatform({ drive, only: ['platform-answer-01'], report: [report] })
  expect(err).toMatch(/purser: --report: EISDIR.*; its content follows on stdout/)
  const text = out.slice(out.indexOf('{\n'))
  expect(JSON.parse(text)).toMatchObject({ judged: 'platform' })
  expect(code).toBe(2)
})

test('purser conformance reports at its start a file that it may not write', async () => {
  const report = join(folder, 'locked.json')
  writeFileSync(report, '')
  chmodSync(report, 0o444)
  const { code } = await ofWallet({ only: ['place-01'], report: [report] })
  expect(code).toBe(process.getuid?.() === 0 ? 0 : 2)
})

interface RecordingProxy {
  readonly url: string
  readonly seen: IncomingHttpHeaders[]
  close(): void
}

/** Forwards calls; paths that match `fails` are answered 500. */
async function watch(url: string, fails: (path: string) => boolean = () => false): Promise<RecordingProxy> {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer(async (asked, answer) => {
    seen.push(asked.headers)
    const { host: _host, connection: _connection, ...headers } = asked.headers
    const body = await buffer(asked)
    if (fails(`${asked.method} ${asked.url}`)) return void answer.writeHead(500).end('{"title":"out of order"}')
    const reply = await request(url + asked.url, { method: asked.method as 'POST', headers, body })
    answer.writeHead(reply.statusCode, { 'content-type': 'application/json' }).end(await reply.body.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, seen, close: () => void server.close() }
}

describe.concurrent('purser conformance sends the headers of --header', () => {
  const header = ['X-Test-System: blue']
  const colours = ({ seen }: RecordingProxy) => seen.map((headers) => headers['x-test-system'])

  test('with every call to the wallet', async () => {
    const watched = await watch(wallet.url)
    const { code } = await ofWallet({ baseUrl: watched.url, header, only: ['place-01'] })
    watched.close()
    expect([code, [...new Set(colours(watched))]]).toEqual([0, ['blue']])
  })

  test('with every call to the platform’s API, in addition to its key', async () => {
    const watched = await watch(platform.url)
    const { code } = await ofPlatform({ platformApi: watched.url, header, only: ['platform-answer-06'] })
    watched.close()
    expect([code, [...new Set(colours(watched).slice(1))]]).toEqual([0, ['blue']])
  })
})

describe.concurrent('a failed setup call of the kit is a finding in the report', () => {
  test('when the kit creates a player', async () => {
    let deposits = 0
    const watched = await watch(wallet.url, (path) => path.endsWith('/deposits') && ++deposits === 2)
    const report = join(folder, 'operator.xml')
    const { code, out } = await ofWallet({ operatorApi: watched.url, only: ['place-01', 'place-02'], report: [report] })
    watched.close()
    expect(code).toBe(1)
    expect(out).toMatch(/✗ skipped, the operator API answered POST \S+deposits with 500: .*out of order/)
    expect(out).toMatch(/1 passed, .*1 skipped/)
    expect(readFileSync(report, 'utf8')).toMatch(/errors="1"[\s\S]*<error message="skipped/)
  })

  test('when the kit creates the first player, and no case is judged', async () => {
    const watched = await watch(wallet.url, (path) => path.startsWith('POST /operator'))
    const { code, out } = await ofWallet({ operatorApi: watched.url, only: ['place-01'] })
    watched.close()
    expect([code, out]).toEqual([3, expect.stringContaining('skipped, the operator API answered')])
  })

  test('when the kit calls the operator API during a case', async () => {
    const watched = await watch(wallet.url, (path) => path.endsWith('/lock'))
    const { code, out } = await ofWallet({ operatorApi: watched.url, only: ['resettle-05', 'place-01'] })
    watched.close()
    expect([code, out]).toEqual([1, expect.stringMatching(/✗ skipped, .*lock with 500.*: resettle-05/)])
  })

  test('when the platform’s API does not do what the case requests', async () => {
    const watched = await watch(platform.url, (path) => path.endsWith('/settle'))
    const only = ['platform-result-01', 'platform-answer-06']
    const { code, out } = await ofPlatform({ platformApi: watched.url, only })
    watched.close()
    expect([code, out]).toEqual([1, expect.stringMatching(/✗ skipped, .*settle answered 500.*: platform-result-01/)])
  })
})

test('purser conformance --pace keeps an interval between the calls', async () => {
  const paced = await watch(wallet.url)
  const start = performance.now()
  await ofWallet({ baseUrl: paced.url, operatorApi: wallet.url, pace: '20', only: ['place-01'] })
  paced.close()
  const took = performance.now() - start
  expect(took).toBeGreaterThan(((paced.seen.length - 1) * 1_000) / 20)
  expect(paced.seen.length).toBeGreaterThan(3)
})
