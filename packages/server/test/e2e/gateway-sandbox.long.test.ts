/**
 * The sandbox can run a gateway with two operators, and the bets and money of the operators agree
 * with the platform's.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const BUSY = ['sandbox', '--gateway', '--addresses', '--rate', '4', '--faults', '0.1', '--seed', '1', '--duration', '8']
/** Milliseconds for one run on a busy machine. */
const TIMEOUT_MS = 150_000

function run(args: string[], env: Record<string, string>) {
  const options = { env: { PATH: process.env.PATH, PORT: '0', ...env }, timeout: TIMEOUT_MS, encoding: 'utf8' } as const
  return spawnSync(process.execPath, [MAIN, ...args], options)
}

test(
  'the sandbox with a gateway runs bettors of both operators and leaves no difference between the books',
  () => {
    const { status: code, stdout, stderr } = run(BUSY, { PURSER_DATA_DIR: 'memory://' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => line === 'audit: no findings')).toHaveLength(2)
    const end = stdout.replaceAll('\n', ' ') // lines have 80 columns
    for (const partner of ['operator-one', 'operator-two']) {
      const bets = new RegExp(
        `reconcile: no differences; (\\d+) bets of partner ${partner} compared, 0 in flight, 0 notes`,
      )
      expect(Number(bets.exec(end)?.[1] ?? 0), partner).toBeGreaterThan(1)
    }
    expect(stdout).toMatch(/^Gateway +http/m)
  },
  TIMEOUT_MS,
)

test('the sandbox with a gateway refuses a Postgres, since each wallet needs a database of its own', () => {
  const { status: code, stderr } = run(['sandbox', '--gateway'], {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    PURSER_DATA_DIR: 'memory://',
  })
  expect(code).toBe(2)
  expect(stderr).toContain('--gateway needs the embedded databases')
})
