/** The sandbox as a newcomer runs it, at a rate and with faults that no newcomer has: it ends by itself or on Ctrl-C, and both books agree. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createFixtures } from '../../src/sandbox/fixtures.ts'
import { createRandom } from '../../src/sandbox/random.ts'
import { chooseWish } from '../../src/sandbox/wishes.ts'
import { newFolder, run } from '../cli/command.ts'

const BUSY = ['sandbox', '--rate', '20', '--faults', '0.2', '--seed', '1']

/** A bet's line: id, player, stake, selection → life. */
const BET_LINE = /^\d\d:\d\d:\d\d {2}([0-9a-f]{6}) {2}\w+ +[\d.]+ [A-Z]{3} {2}.+? → .+$/

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** Milliseconds for one run, on a machine that has much else to do. */
const TIMEOUT_MS = 150_000

interface Sandbox {
  readonly child: ChildProcess
  output(): string
  /** Resolves when it has written what matches. */
  until(pattern: RegExp): Promise<void>
  /** How it ended, and what it wrote to stderr. */
  ended: Promise<{ code: number | null; stderr: string }>
}

function start(args: string[], dataDir: string): Sandbox {
  const env = { PATH: process.env.PATH, PORT: '0', PURSER_DATA_DIR: dataDir }
  const child = spawn(process.execPath, [MAIN, ...args], { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  }
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stderr: text.stderr })),
  )
  const until = async (pattern: RegExp) => {
    const gone = ended.then(() => Promise.reject(new Error(`nothing matched ${pattern}:\n${text.stdout}`)))
    while (!pattern.test(text.stdout)) await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 50))])
    gone.catch(() => {})
  }
  return { child, output: () => text.stdout, until, ended }
}

function expectCleanEnd(output: string): void {
  const lines = output.trimEnd().split('\n')
  expect(lines.at(-1)).toMatch(
    /^reconcile: no differences; \d+ bets? of partner sandbox compared, 0 in flight, \d+ notes?$/,
  )
  expect(lines).toContain('audit: no findings')
  expect(output.includes('\u001b'), 'colour off a terminal').toBe(false)
}

test(
  'with a duration it ends by itself, having shown every kind of life, and both books agree',
  async () => {
    const sandbox = start([...BUSY, '--duration', '8'], 'memory://')
    expect(await sandbox.ended).toEqual({ code: 0, stderr: '' })
    const stdout = sandbox.output()
    expectCleanEnd(stdout)
    const bets = stdout.split('\n').filter((line) => BET_LINE.test(line))
    const ids = new Set(bets.map((line) => BET_LINE.exec(line)?.[1]))
    expect(ids.size).toBeGreaterThan(100)
    for (const word of ['accepted', 'rolled back', 'won ', 'lost', 'connection lost'])
      expect(bets.filter((line) => line.includes(word)).length, word).toBeGreaterThan(0)
    expect(stdout).toMatch(/what went wrong between platform and wallet: .*\d+ lost (call|answer)/)
  },
  TIMEOUT_MS,
)

test(
  'on Ctrl-C in the middle it waits for its deliveries and ends cleanly; the next start goes on with the same books',
  async () => {
    const folder = newFolder()
    try {
      const first = start(BUSY, folder.path)
      await first.until(/→ accepted → (won|lost|refunded)/)
      first.child.kill('SIGINT')
      expect(await first.ended).toEqual({ code: 0, stderr: '' })
      expectCleanEnd(first.output())
      const second = start([...BUSY, '--duration', '1'], folder.path)
      expect(await second.ended).toEqual({ code: 0, stderr: '' })
      expectCleanEnd(second.output())
      expect(betsIn(second.output())).toBeGreaterThan(betsIn(first.output()))
    } finally {
      folder.remove()
    }
  },
  2 * TIMEOUT_MS,
)

function betsIn(output: string): number {
  return Number(/; (\d+) bets? of partner/.exec(output)?.[1])
}

test(
  'without bettors it serves, and a bet that was placed by hand is a note in the end',
  async () => {
    const sandbox = start(['sandbox', '--rate', '0'], 'memory://')
    await sandbox.until(/Ctrl-C stops it/)
    const text = sandbox.output()
    const url = /^Purser wallet +(\S+)$/m.exec(text)?.[1] as string
    const headers = { 'x-sign-jws': /x-sign-jws: ([^']+)'/.exec(text)?.[1] as string }
    const body = / -d '([^']+)'/.exec(text)?.[1] as string
    expect((await fetch(`${url}/payment/bet`, { method: 'POST', body, headers })).status).toBe(200)
    const [platform, key] = [/^Platform +(http\S+)$/m.exec(text)?.[1], /^Platform key +(\S+)$/m.exec(text)?.[1]]
    const bets = await fetch(`${platform}/bets?limit=1`, { headers: { authorization: `Bearer ${key}` } })
    expect(await bets.json()).toEqual({ data: [], next: null })
    sandbox.child.kill('SIGTERM')
    expect(await sandbox.ended).toEqual({ code: 0, stderr: '' })
    expect(sandbox.output()).toMatch(
      /^note: placed by hand +bet \S+ +player alice +platform: nothing \| wallet: open, stake 10.00 EUR$/m,
    )
    expectCleanEnd(sandbox.output())
  },
  TIMEOUT_MS,
)

test('options that make no sense are all named, and nothing is started', async () => {
  const { code, stdout, stderr } = await run([
    'sandbox',
    '--rate',
    'fast',
    '--faults',
    '2',
    '--duration',
    '-1',
    '--seed',
    'x',
  ])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  for (const name of ['--rate', '--faults', '--duration', '--seed']) expect(stderr).toContain(name)
})

test('the same seed makes the same choices, another one makes others', () => {
  expect(choices(1)).toEqual(choices(1))
  expect(choices(1)).not.toEqual(choices(2))
})

function choices(seed: number): unknown[] {
  const fixtures = createFixtures(createRandom(seed, 'fixtures'), 'match')
  const random = createRandom(seed, 'bettors')
  return Array.from({ length: 300 }, () => [fixtures.advance(), chooseWish(random, fixtures.open())])
}
