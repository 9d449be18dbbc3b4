/**
 * Runs tests on another major version of Node, whose binary comes from the npm package `node`: `npm
 * run test:node -- 22 [files…]`. Without files it runs the quick tests of several folders.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const QUICK = [
  'packages/server/test/cli',
  'packages/server/test/wallet',
  'packages/server/test/operator',
  'packages/server/test/platform',
  'packages/server/test/gateway',
  'packages/server/test/http',
  'packages/server/test/db',
  'packages/server/test/model',
]
const [line, ...files] = process.argv.slice(2)
if (!/^\d{2}$/.test(line ?? '')) {
  process.stderr.write('which Node? as in: npm run test:node -- 22\n')
  process.exit(2)
}

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const what = files.length > 0 ? files : QUICK
const args = [
  '--yes',
  '--package',
  `node@${line}`,
  'node',
  vitest,
  'run',
  '--exclude=**/*.{browser,long,nightly}.test.ts',
  ...what,
]
const { status } = spawnSync('npx', args, { stdio: 'inherit' })
process.exit(status ?? 1)
