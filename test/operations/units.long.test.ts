/**
 * The systemd units use only settings that the servers read. Where systemd is installed, it checks
 * the units too.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { SETTINGS, type Setting } from 'purser/core/config/settings'
import { expect, test } from 'vitest'
import { run } from '../../packages/server/test/cli/command.ts'
import { ROOT } from '../docs/session.ts'

const FOLDER = join(ROOT, 'ops/systemd')
const FILES = readdirSync(FOLDER)
const serverOf = (unit: string) => /^purser-(wallet|platform|gateway)@\.service$/.exec(unit)?.[1]
const UNITS = FILES.filter((file) => serverOf(file) !== undefined)
/** Units that a timer starts and that end by themselves. */
const JOBS = FILES.filter((file) => file.endsWith('.timer')).map((file) => file.replace('.timer', '.service'))
const read = (unit: string) => readFileSync(join(FOLDER, unit), 'utf8')
const valuesOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

test('each server has a systemd unit', () => {
  expect(UNITS.map(serverOf)).toEqual(['gateway', 'platform', 'wallet'])
  expect(JOBS).toEqual(['purser-audit-whole@.service', 'purser-audit@.service', 'purser-retention@.service'])
  expect(FILES.length).toBe(UNITS.length + 2 * JOBS.length)
})

test.each(UNITS)('%s sets only settings that this server reads, and secrets as files', (unit) => {
  const text = read(unit)
  const given = valuesOf(text, 'Environment').flatMap((value) => value.split(' ').map((part) => part.split('=')))
  const settings: readonly Setting[] = SETTINGS
  for (const [name = '', value] of given) {
    const isFile = name.endsWith('_FILE')
    const setting = settings.find((one) => one.name === name.replace(/_FILE$/, ''))
    expect(setting, name).toBeDefined()
    expect(setting?.readBy ?? [serverOf(unit)], name).toContain(serverOf(unit))
    expect(setting?.secret ?? false, `${name} is a secret`).toBe(isFile)
    if (isFile)
      expect(valuesOf(text, 'LoadCredential').map((one) => one.split(':')[0])).toContain(value?.replace('%d/', ''))
  }
  const wanted = settings.filter(
    ({ name, secret, readBy }) =>
      // with several platforms, a drop-in sets PARTNER_SECRETS
      secret && name !== 'PARTNER_SECRETS' && (readBy ?? [serverOf(unit)]).includes(serverOf(unit) as 'wallet'),
  )
  expect(given.map(([name]) => name)).toEqual(expect.arrayContaining(wanted.map(({ name }) => `${name}_FILE`)))
  expect(valuesOf(text, 'ExecStart')[0]).toMatch(
    new RegExp(` /opt/purser/packages/server/dist/main\\.js ${serverOf(unit)}$`),
  )
})

test.each(UNITS)('%s waits longer than the longest drain, and a reload stops nothing', (unit) => {
  const text = read(unit)
  expect(valuesOf(text, 'ExecReload')).toEqual(['/bin/kill -HUP $MAINPID'])
  expect(Number(valuesOf(text, 'TimeoutStopSec')[0])).toBeGreaterThanOrEqual(20 + 30) // a drain takes 30 seconds
})

test.each(JOBS)('%s runs a command that exists, with its database as a secret and a timer', async (unit) => {
  const text = read(unit)
  const words = valuesOf(text, 'ExecStart')[0]?.split(' ') ?? []
  const { code, stderr } = await run(words.slice(2), { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' })
  expect({ code, stderr }).toMatchObject({ code: EXIT_CODES.unreachable }) // the arguments were valid
  expect(valuesOf(text, 'Environment')).toContain('DATABASE_URL_FILE=%d/database-url')
  expect(valuesOf(read(unit.replace('.service', '.timer')), 'OnCalendar')).toHaveLength(1)
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

/** systemd checks that the program exists, which has another path here. */
const here = (unit: string) => read(unit).replace('/usr/bin/node', process.execPath).replaceAll('/opt/purser', ROOT)

test.runIf(hasSystemd).each(FILES)('systemd accepts %s and rates its exposure as low', (unit) => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-units-'))
  const timed = unit.replace('.timer', '.service')
  for (const one of [unit, timed]) writeFileSync(join(folder, one), here(one))
  const path = join(folder, unit.replace('@', '@8080'))
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  expect({ status: verified.status, said: verified.stderr.trim() }).toEqual({ status: 0, said: '' })
  const security = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=20', join(folder, timed.replace('@', '@8080'))],
    { encoding: 'utf8' },
  )
  expect(security.status, security.stdout.slice(-200)).toBe(0)
  rmSync(folder, { recursive: true })
})
