/**
 * A server refuses to start with a secret that a tool has altered, for example by quotation marks,
 * and never shows the secret.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LoadFlags, parseLoadOptions } from '@purser/conformance/load/load-options'
import { findSecretFault, splitSecrets } from '@purser/protocol/values/secret-text'
import { afterAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../conformance/test/run-command.ts'
import { ConfigError, PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { newFolder, run } from '../cli/command.ts'

const folder = newFolder()
afterAll(() => folder.remove())

const SECRET = 'hidden-secret-of-enough-characters-1234'
const UTF8 = 'save it as UTF-8'
const QUOTES = 'leave them out'

const BAD: [string, Buffer, string][] = [
  ['UTF-16 with its mark', Buffer.from(`\ufeff${SECRET}\r\n`, 'utf16le'), UTF8],
  ['UTF-16 without a mark', Buffer.from(SECRET, 'utf16le'), UTF8],
  ['UTF-16BE', Buffer.from(`\ufeff${SECRET}`, 'utf16le').swap16(), UTF8],
  ['Latin-1', Buffer.from('caf\u00e9', 'latin1'), UTF8],
  ['quotation marks', Buffer.from(`"${SECRET}"\n`), QUOTES],
  ['single quotation marks', Buffer.from(`'${SECRET}'`), QUOTES],
  ['quotation marks around a list', Buffer.from(`"${SECRET},another"`), QUOTES],
  ['quotation marks in a list', Buffer.from(`another, "${SECRET}"`), QUOTES],
]
const GOOD: [string, Buffer][] = [
  ['plain text', Buffer.from(SECRET)],
  ['UTF-8 with its mark and a line end', Buffer.from(`\ufeff${SECRET}\r\n`)],
]

function startOf(role: keyof typeof PROCESS_ROLES, env: Record<string, string>): string {
  try {
    readConfig({ PURSER_DATA_DIR: 'memory://', ...env }, PROCESS_ROLES[role])
    return 'started'
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

function fileOf(bytes: Buffer): string {
  const path = join(folder.path, `secret-${bytes.toString('hex').slice(0, 40)}`)
  writeFileSync(path, bytes)
  return path
}

const SETTINGS = [
  ['wallet', 'PARTNER_SECRET'],
  ['wallet', 'OPERATOR_API_KEY'],
  ['gateway', 'PARTNER_SECRET'],
  ['gateway', 'GATEWAY_API_KEY'],
  ['platform', 'PLATFORM_API_KEY'],
  ['tool', 'PARTNER_SECRET'],
] as const

describe.each(BAD)('a secret file in %s', (_what, bytes, remedy) => {
  test.each(SETTINGS)('prevents the start of %s with %s', (role, name) => {
    const said = startOf(role, { [`${name}_FILE`]: fileOf(bytes) })
    expect(said).toContain(`${name}_FILE `)
    expect(said).toContain(remedy)
    expect(said).not.toContain('hidden')
  })
})

test.each(GOOD)('a secret file in %s is accepted', (_what, bytes) => {
  const env = { PURSER_DATA_DIR: 'memory://', PARTNER_SECRET_FILE: fileOf(bytes), OPERATOR_API_KEY: 'key' }
  expect(readConfig(env, PROCESS_ROLES.wallet).secrets).toEqual([SECRET])
})

test('a setting in quotation marks is named, and so is the secret of a named platform', () => {
  expect(startOf('wallet', { PARTNER_SECRET: `"${SECRET}"` })).toContain('PARTNER_SECRET stands within quotation marks')
  const named = startOf('wallet', { PARTNER_SECRETS: `acme:"${SECRET}"` })
  expect(named).toContain('a secret of acme in PARTNER_SECRETS stands within quotation marks')
})

test('a secret that a server has stored is checked too', () => {
  const dataDir = join(folder.path, 'kept')
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(join(dataDir, 'partner-secret'), Buffer.from(SECRET, 'utf16le'), { mode: 0o600 })
  expect(startOf('wallet', { PURSER_DATA_DIR: dataDir })).toContain(UTF8)
})

describe('a secret in quotation marks is refused by', () => {
  const quoted = `"${SECRET}"`
  const LOAD: LoadFlags = {
    ...{ baseUrl: 'http://127.0.0.1:1', players: 'players.csv', rate: '1', duration: '1', mix: 'place=1' },
    ...{ stake: '1-5', zipf: '1', workers: '1', connections: '1', patience: '1' },
  }
  const load = (over: Partial<LoadFlags>, env = {}) =>
    parseLoadOptions({ ...LOAD, ...over }, env).then(
      ({ secrets }) => secrets.join(),
      ({ message }) => message,
    )

  test('purser load', async () => {
    expect(await load({ secret: quoted })).toBe(`--secret ${findSecretFault(quoted)}`)
    expect(await load({}, { PARTNER_SECRET: quoted })).toBe(`PARTNER_SECRET ${findSecretFault(quoted)}`)
    expect(await load({}, { PARTNER_SECRET: ' a , b ' })).toBe('a,b')
  })

  test('purser conformance wallet', async () => {
    const { code, err } = await runCommand({ baseUrl: 'http://127.0.0.1:1', secret: quoted, fixtures: 'none.json' })
    expect([code, err]).toEqual([2, `purser: --secret or PARTNER_SECRET ${findSecretFault(quoted)}\n`])
  })
})

test.each([
  ['--secret', ['--secret', `"${SECRET}"`], {}],
  ['PARTNER_SECRET', [], { PARTNER_SECRET: `"${SECRET}"` }],
])('purser sign refuses a secret in quotation marks from %s', async (name, args, env) => {
  const { code, stderr } = await run(['sign', ...args], env, '{}')
  expect([code, stderr.includes(`${name} stands within quotation marks`)]).toEqual([2, true])
})

test('secrets are separated by commas, and spaces around them are ignored', () => {
  expect(splitSecrets(' a ,, b')).toEqual(['a', 'b'])
})
