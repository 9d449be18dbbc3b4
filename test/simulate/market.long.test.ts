/**
 * Markets from seeds, as `npm run simulate -- --level 2` plays them: whatever the network loses, doubles and delays, and whoever dies, the books
 * of wallet and platform come to the same. One that failed is played alone with the command that its output names.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** What there is time for in the checks: on two cores a minute. */
const RUNS = 120

/** What the command says, and its exit code. It writes what failed into its folder. */
function simulated(...flags: string[]): Promise<[string, number]> {
  const cwd = mkdtempSync(join(tmpdir(), 'purser-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const args = [resolve('dist/simulate/main.js'), '--level', '2', ...flags]
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      done([stdout + stderr, Number(error?.code ?? 0)]),
    )
  })
}

test('markets in which everything goes wrong come right when all is calm', { timeout: 1_800_000 }, async () => {
  const [said, code] = await simulated('--seed', '1', '--runs', `${RUNS}`)
  expect(code, said).toBe(0)
  expect(said).toMatch(new RegExp(`^${RUNS} runs, \\d+ bets, \\d+ calls, \\d+ faults, `, 'm'))
})
