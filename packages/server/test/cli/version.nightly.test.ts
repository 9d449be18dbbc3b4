/**
 * Each command reports its version, and a build leaves exactly the files of the present sources.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../../../test/tidy/source.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { spawnServer } from '../support/server-process.ts'
import { run } from './command.ts'

const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const COMMANDS = [
  ...['', 'sandbox', 'dev', 'wallet', 'platform', 'gateway', 'migrate', 'audit', 'reconcile', 'sign'],
  ...[
    'grants',
    'settings',
    'export-player',
    'erase-player',
    'keys',
    'keys list',
    'keys make',
    'keys rotate',
    'keys revoke',
    'calls',
    'changes',
    'show',
    'report',
    'import',
    'webhooks',
    'webhooks list',
    'webhooks save',
    'webhooks test',
    'webhooks replay',
    'webhooks rotate',
    'webhooks remove',
    'retention',
    'archive',
    'move',
  ],
  ...['conformance', 'conformance wallet', 'conformance platform', 'load'],
]

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('this test covers every command that the help names', async () => {
  const { stdout } = await run(['--help'])
  const [, listed = ''] = stdout.split('Commands:\n')
  const names = [...listed.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name).filter((name) => name !== 'help')
  expect(names.filter((name) => !COMMANDS.includes(name ?? ''))).toEqual([])
})

test.each(COMMANDS)('purser %s --version prints the version and nothing else', async (command) => {
  const args = [...command.split(' ').filter(Boolean), '--version']
  expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect((await run([...args.slice(0, -1), '--help'])).stdout).toContain('--version')
})

test.each(['wallet', 'platform', 'gateway'] as const)(
  'a %s shows its version at its start, in /healthz and in /metrics',
  async (command) => {
    const keys = { PARTNER_SECRET: 's', OPERATOR_API_KEY: 'o', PLATFORM_API_KEY: 'p', GATEWAY_API_KEY: 'g' }
    const server = await spawnServer(command, { ...keys, PORT: '0', DATABASE_URL: database.url })
    try {
      expect(JSON.parse(server.output().split('\n')[0] ?? '')).toMatchObject({ version })
      expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok', version })
      expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(
        new RegExp(`^purser_build_info\\{version="${version.replaceAll('.', '\\.')}"\\} 1$`, 'm'),
      )
    } finally {
      await server.kill('SIGKILL')
    }
  },
)

test('a build makes the program executable and removes output without a source', () => {
  expect(statSync(join(ROOT, 'packages/server/dist/main.js')).mode & 0o111).toBe(0o111)
  const names = readdirSync(join(ROOT, 'packages/server/dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  )
  // Vite makes the assets and empties their folder.
  const compiled = names.filter((name) => !name.startsWith('console/assets/'))
  expect(compiled.length).toBeGreaterThan(100)
  expect(
    compiled.filter((name) => !existsSync(join(ROOT, 'packages/server/src', name.replace(/\.js$/, '.ts')))),
  ).toEqual([])
})

test('a build never empties packages/server/dist/, so that a server that runs from it keeps its files', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { build: string } }
  const [before, compile, finish, pages, ...more] = scripts.build.split(' && ')
  expect([before, compile, pages, more]).toEqual([
    'node scripts/before-build.mjs',
    'tsc -b',
    'node scripts/build-console.mjs',
    [],
  ])
  const inode = () => statSync(join(ROOT, 'packages/server/dist/main.js')).ino
  const inodeBefore = inode()
  for (const step of [before, finish]) expect(spawnSync(step ?? '', { shell: true, cwd: ROOT }).status).toBe(0)
  expect(inode()).toBe(inodeBefore)
})
