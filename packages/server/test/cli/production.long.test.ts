/**
 * A server in production refuses to start with a missing or unsafe setting, and names each of these
 * (O-1).
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { read } from '../../../../test/tidy/source.ts'
import {
  ConfigError,
  type EnvironmentVariables,
  PROCESS_ROLES,
  type ProcessRole,
  readConfig,
} from '../../src/core/config/config.ts'
import { SETTINGS } from '../../src/core/config/settings.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { spawnWallet } from '../support/wallet.ts'
import { newFolder, run } from './command.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const random = () => randomBytes(24).toString('base64url')
const safe = () => ({
  NODE_ENV: 'production',
  DATABASE_URL: database.url,
  PARTNER_SECRET: random(),
  OPERATOR_API_KEY: random(),
  PLATFORM_API_KEY: random(),
  GATEWAY_API_KEY: random(),
  PURSER_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
})

function problemsOf(env: EnvironmentVariables, role: ProcessRole = PROCESS_ROLES.wallet): readonly string[] {
  try {
    readConfig(env, role)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('a wallet in production starts with all that it needs and logs no remark on settings', async () => {
  const { DATABASE_URL: databaseUrl, ...env } = safe()
  const wallet = await spawnWallet({ databaseUrl, env: { ...env, PURSER_PORT_8080_TCP: 'tcp://10.0.0.1:8080' } })
  expect(wallet.output()).not.toContain('PURSER_')
  expect(await wallet.kill('SIGTERM')).toBe(0)
})

test('a wallet in production refuses the conformance kit', () => {
  expect(problemsOf({ ...safe(), PURSER_CONFORMANCE: 'on' })).toEqual([
    expect.stringContaining('PURSER_CONFORMANCE=on'),
  ])
})

test('a start in production names all missing settings at once and shows no secret', async () => {
  const same = random()
  const env = {
    NODE_ENV: 'production',
    PARTNER_SECRET: `${random()},ab12cd`,
    OPERATOR_API_KEY: same,
    PLATFORM_API_KEY: same,
    PURSER_CLAWBAKC: 'allow-negative',
    OPERATOR_API_KEY_FILE: '/run/secrets/operator-api-key',
  }
  const { code, stdout, stderr } = await run(['wallet'], env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n').filter((line) => line.startsWith('  - '))).toEqual([
    '  - PURSER_CLAWBAKC is not a setting; did you mean PURSER_CLAWBACK?',
    '  - OPERATOR_API_KEY and OPERATOR_API_KEY_FILE are both set: unset one of them',
    expect.stringContaining('DATABASE_URL must be set in production'),
    '  - part 2 of PARTNER_SECRET, between its commas, has 6 characters, but needs at least 32: make one with: openssl rand -hex 32',
    '  - PLATFORM_API_KEY is the same as OPERATOR_API_KEY: give each setting its own value',
  ])
  for (const secret of ['ab12cd', same]) expect(stderr).not.toContain(secret)
})

describe('a start in production', () => {
  const bad: [string, object, string][] = [
    ['a secret of 31 characters', { PARTNER_SECRET: random().slice(1) }, 'PARTNER_SECRET has 31 characters'],
    ['a key of words', { OPERATOR_API_KEY: 'another-very-long-random-text-of-ours' }, 'OPERATOR_API_KEY is an example'],
    ['a key that repeats itself', { OPERATOR_API_KEY: '0123456789abcdef'.repeat(2) }, 'can be guessed'],
    ['a key of few characters', { OPERATOR_API_KEY: `${'1'.repeat(31)}2345` }, 'can be guessed'],
    ['a placeholder', { OPERATOR_API_KEY: 'CHANGEME-0123456789-0123456789-012' }, 'can be guessed'],
    ['a setting that does not exist', { PURSER_CURRENCY: 'GOLD:2' }, 'did you mean PURSER_CURRENCIES?'],
    ['a database given twice', { DATABASE_URL_FILE: '/x' }, 'DATABASE_URL and DATABASE_URL_FILE are both set'],
    [
      'a misspelt parameter of the database',
      { DATABASE_URL: 'postgres://purser@localhost/purser?sslmod=require' },
      'DATABASE_URL has parameters without an effect here (sslmod)',
    ],
    [
      'a connection without TLS to another machine',
      { DATABASE_URL: 'postgres://purser@db.internal:5433/purser' },
      'DATABASE_URL connects to db.internal:5433 without TLS: add sslmode=verify-full to it, or set PURSER_PLAIN_DATABASE=allow',
    ],
    ['an empty database', { DATABASE_URL: ' ' }, 'DATABASE_URL must be set in production'],
  ]
  test.each(bad)('refuses %s', (_name, over, problem) => {
    const problems = problemsOf({ ...safe(), ...over })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })

  test.each([
    ['with TLS', 'postgres://db.internal/purser?sslmode=verify-full', {}],
    ['to a private network', 'postgres://db.internal/purser', { PURSER_PLAIN_DATABASE: 'allow' }],
    ['to this machine', 'postgres://[::1]/purser', {}],
    ['through a Unix socket', 'postgres://purser@/purser?host=/cloudsql/project:region:instance', {}],
  ])('accepts a connection %s', (_name, url, over) => {
    expect(problemsOf({ ...safe(), DATABASE_URL: url, ...over })).toEqual([])
  })

  test.each([
    ['accepts a connection with the TLS of PGSSLMODE', 'verify-full', '', []],
    ['refuses an address that turns off the TLS of PGSSLMODE', 'verify-full', '?sslmode=disable', ['connects to db']],
    ['refuses a connection without TLS when PGSSLMODE is disable', 'disable', '', ['connects to db']],
    ['refuses an unknown PGSSLMODE', 'requierd', '', ['has no known sslmode (PGSSLMODE): it must be one of']],
  ])('%s', (_name, mode, query, problems) => {
    vi.stubEnv('PGSSLMODE', mode)
    const found = problemsOf({ ...safe(), DATABASE_URL: `postgres://db/purser${query}` })
    vi.unstubAllEnvs()
    expect(found).toEqual(problems.map((problem) => expect.stringContaining(`DATABASE_URL ${problem}`)))
  })

  test('refuses a secret that stands twice in a list, as after an unfinished rotation', () => {
    const secret = random()
    expect(problemsOf({ ...safe(), PARTNER_SECRET: `${secret},${random()},${secret}` })).toEqual([
      expect.stringMatching(/^part 3 of PARTNER_SECRET.* is the same as part 1 of PARTNER_SECRET/),
    ])
  })

  test('refuses an empty file of a database, of a secret and of a key', () => {
    const folder = newFolder()
    const empty = join(folder.path, 'empty')
    writeFileSync(empty, '\n')
    for (const name of ['DATABASE_URL', 'PARTNER_SECRET', 'OPERATOR_API_KEY', 'PURSER_ENCRYPTION_KEY'])
      expect(problemsOf({ ...safe(), [name]: undefined, [`${name}_FILE`]: empty }), name).toContain(
        `${name}_FILE is empty: ${empty}`,
      )
    folder.remove()
  })

  test('refuses the same of a platform and of a gateway', () => {
    for (const [role, key] of [
      [PROCESS_ROLES.platform, 'PLATFORM_API_KEY'],
      [PROCESS_ROLES.gateway, 'GATEWAY_API_KEY'],
    ] as const) {
      expect(problemsOf(safe(), role)).toEqual([])
      expect(problemsOf({ ...safe(), DATABASE_URL: undefined }, role)).toEqual([expect.stringMatching(/^DATABASE_URL/)])
      expect(problemsOf({ ...safe(), [key]: 'short' }, role)).toEqual([expect.stringMatching(new RegExp(`^${key}`))])
      expect(problemsOf({ ...safe(), [key]: undefined }, role)).toEqual([expect.stringMatching(new RegExp(`^${key}`))])
    }
  })

  test('refuses every secret and key that our pages, compose.yaml and the table of settings show', () => {
    const pages = readdirSync(join(process.cwd(), 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => read(join('docs', name)))
    const texts = [...pages, read('README.md'), read('compose.yaml')]
    const shown = texts.flatMap((text) =>
      [...text.matchAll(/(?:_SECRET|_API_KEY|secret|key)["']?(?:=|: ?|\s)["']?([\w-]{6,}(?:,[\w-]{6,})?)/gi)].map(
        ([, value = '']) => value,
      ),
    )
    const examples = SETTINGS.filter((setting) => /SECRET|API_KEY/.test(setting.name)).map(({ example }) => example)
    expect(shown.length).toBeGreaterThan(3)
    for (const value of [...shown, ...examples, 'the-key-of-the-platform-under-test'])
      expect(problemsOf({ ...safe(), OPERATOR_API_KEY: value }), value).not.toEqual([])
  })
})

test('the check for example secrets accepts our own secrets and those that openssl generates', () => {
  for (let i = 0; i < 500; i++) {
    const hex = randomBytes(16).toString('hex')
    expect(problemsOf({ ...safe(), PARTNER_SECRET: `${random()},${hex}` })).toEqual([])
  }
})

test('a command that serves nothing needs no secrets in production, and refuses a misspelt setting', () => {
  expect(problemsOf({ NODE_ENV: 'production' }, PROCESS_ROLES.tool)).toEqual([])
  expect(problemsOf({ NODE_ENV: 'production', PURSER_CURRENCY: 'GOLD:2' }, PROCESS_ROLES.tool)).toHaveLength(1)
})

test('purser migrate in production creates no embedded database when DATABASE_URL is missing', async () => {
  const { path, remove } = newFolder()
  const { code, stdout, stderr } = await run(['migrate'], { NODE_ENV: 'production', PURSER_DATA_DIR: path })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^purser: DATABASE_URL must be set in production/)
  expect(readdirSync(path)).toEqual([])
  remove()
})

test('a server outside production warns of a misspelt setting and of one given twice, and starts', async () => {
  const folder = newFolder()
  writeFileSync(join(folder.path, 'key'), 'another')
  const url = new URL(database.url)
  url.search = 'connection_limit=5'
  const env = { PURSER_CLAWBAK: 'refuse', OPERATOR_API_KEY_FILE: join(folder.path, 'key') }
  const wallet = await spawnWallet({ databaseUrl: url.href, env })
  expect(wallet.output()).toContain('purser: PURSER_CLAWBAK is not a setting; did you mean PURSER_CLAWBACK?')
  expect(wallet.output()).toContain('OPERATOR_API_KEY and OPERATOR_API_KEY_FILE are both set')
  expect(wallet.output()).toContain('DATABASE_URL has parameters without an effect here (connection_limit)')
  await wallet.kill('SIGKILL')
  expect(readFileSync(join(folder.path, 'key'), 'utf8')).toBe('another')
  folder.remove()
})
