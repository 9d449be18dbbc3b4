/**
 * The curl command of a failed case repeats the call. The tests run the real curl, because a
 * replacement might send other bytes.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningWallet, startTestWallet } from './mutants/wallet.ts'
import { flagsOf, runCommand } from './run-command.ts'

let wallet: RunningWallet
let folder: string

beforeAll(async () => {
  wallet = await startTestWallet({ fault: 'rollback-repeat-refunds' })
  folder = mkdtempSync(join(tmpdir(), 'purser-curl-'))
})
afterAll(async () => {
  await wallet?.close()
  rmSync(folder, { recursive: true, force: true })
})

const ONLY = ['place-01', 'rollback']

/** The wallet runs in this process, so the shell must not block it. */
async function runShell(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: 10_000 })
  return stdout
}

/** The answer if curl sends other bytes than the signed ones. */
const BAD_SIGNATURE = '"code":1,'

test('the curl of a failed case on the terminal repeats its last call', async () => {
  const { out } = await runCommand({ ...flagsOf(wallet), only: ONLY, showTokens: true, verbose: true })
  const [, command = ''] = /the last call: (curl .*)/.exec(out) ?? []
  const answer = await runShell(command)
  expect(command).toContain('/payment/bet')
  expect(answer).toMatch(/^HTTP\/1\.1 (200|400)/)
  expect(answer).not.toContain(BAD_SIGNATURE)
})

test('the curl of an unmasked report repeats its call', async () => {
  const file = join(folder, 'unmasked.json')
  await runCommand({ ...flagsOf(wallet), only: ONLY, unmasked: true, report: [file] })
  const text = readFileSync(file, 'utf8')
  const { results } = JSON.parse(text)
  const failed = results.find(({ verdict }: { verdict: { kind: string } }) => verdict.kind === 'failed')
  const answer = await runShell(failed.verdict.repeat)
  expect(answer).toMatch(/^HTTP\/1\.1 (200|400)/)
  expect(answer).not.toContain(BAD_SIGNATURE)
  expect(text).not.toContain('masked')
})
