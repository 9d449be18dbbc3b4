/** The systemd units: settings that exist, and what systemd itself says of them, where there is one. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS, type Setting } from '../../src/config/settings.ts'
import { ROOT } from '../docs/session.ts'

const FOLDER = join(ROOT, 'ops/systemd')
const UNITS = readdirSync(FOLDER)
const serverOf = (unit: string) => /^purser-(\w+)@\.service$/.exec(unit)?.[1]
const read = (unit: string) => readFileSync(join(FOLDER, unit), 'utf8')
/** The values of a setting of the unit, in all of its lines. */
const valuesOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

test('there is one for each server', () => {
  expect(UNITS.map(serverOf)).toEqual(['gateway', 'platform', 'wallet'])
})

test.each(UNITS)('%s gives settings that this server reads, and as files those that are secrets', (unit) => {
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
      // a drop-in's, where several platforms call
      secret && name !== 'PARTNER_SECRETS' && (readBy ?? [serverOf(unit)]).includes(serverOf(unit) as 'wallet'),
  )
  expect(given.map(([name]) => name)).toEqual(expect.arrayContaining(wanted.map(({ name }) => `${name}_FILE`)))
  expect(valuesOf(text, 'ExecStart')[0]).toMatch(new RegExp(` /opt/purser/dist/main\\.js ${serverOf(unit)}$`))
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.runIf(hasSystemd).each(UNITS)('systemd finds nothing wrong with %s, and little that it may do', (unit) => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-units-'))
  // It looks whether the program is there; here it is not where the page says.
  const text = read(unit).replace('/usr/bin/node', process.execPath).replaceAll('/opt/purser', ROOT)
  writeFileSync(join(folder, unit), text)
  const path = join(folder, unit.replace('@', '@8080'))
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  expect({ status: verified.status, said: verified.stderr.trim() }).toEqual({ status: 0, said: '' })
  const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', path], {
    encoding: 'utf8',
  })
  expect(security.status, security.stdout.slice(-200)).toBe(0)
  rmSync(folder, { recursive: true })
})
