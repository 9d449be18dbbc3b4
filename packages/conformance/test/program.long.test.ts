/** The built program `purser-conformance` begins its errors with its own name. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../bin/purser-conformance.mjs', import.meta.url))

/** Port 9 is one that fetch and undici never call. */
const SILENT = ['--base-url', 'http://127.0.0.1:9', '--secret', 's', '--operator-key', 'k']

test.each([
  ['wallet without an address', ['wallet'], 2],
  ['wallet with a report in a missing folder', ['wallet', '--report', '/no/such/folder/report.html'], 2],
  ['platform without a port', ['platform'], 2],
  ['load without an address', ['load'], 2],
  ['load on a wallet that does not answer', ['load', ...SILENT, '--players', '2'], 3],
])('purser-conformance names itself in the error of %s', (_what, args, code) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([code, expect.stringMatching(/^purser-conformance: /)])
})
