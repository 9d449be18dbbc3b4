/** Wrong options and scenarios of `purser dev` are reported before the first call, all at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type DevFlags, parseDevOptions } from '../../../src/sandbox/dev/dev-options.ts'
import { readScenario } from '../../../src/sandbox/dev/scenario.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-dev-'))
afterAll(() => rmSync(folder, { recursive: true }))

const DEFAULTS: DevFlags = { bettors: '0', faults: '0.1', duration: '0', wait: '60', port: '0' }

test('every wrong option is named', () => {
  expect(() => parseDevOptions({ ...DEFAULTS, faults: '2', bettors: 'x' }, {})).toThrow(
    /token.*\n|--wallet, the address of your wallet, is missing/,
  )
  const parse = () => parseDevOptions({ ...DEFAULTS, wallet: 'http://a/payment/bet', faults: '2', port: '-1' }, {})
  for (const name of ['--wallet', 'the shared secret', '--token', '--faults', '--port'])
    expect(parse).toThrow(new RegExp(name))
})

test('the secret may come from the environment, which a process list does not show', () => {
  const flags = { ...DEFAULTS, wallet: 'http://127.0.0.1:3000', token: ['abc1234567'], seed: '7' }
  expect(parseDevOptions(flags, { PARTNER_SECRET: 's3cret,old' })).toMatchObject({ secret: 's3cret', seed: 7 })
})

function scenario(content: string): () => unknown {
  const file = join(folder, 'steps.json')
  writeFileSync(file, content)
  return () => readScenario(file)
}

test('a scenario is a list of known steps', () => {
  expect(scenario('[{"operation":"place","amount":"10.0"},{"kind":"pause","ms":5}]')()).toHaveLength(2)
  expect(scenario('{')).toThrow(/is not JSON/)
  expect(scenario('{}')).toThrow(/must be a list of steps/)
  expect(scenario('[{"operation":"pay"}]')).toThrow(/step 1\/operation/)
  expect(scenario('[{"operation":"place","amuont":"1"}]')).toThrow(/step 1\/amuont is unknown/)
  expect(scenario('[{"kind":"wait"}]')).toThrow(/there is no kind "wait"/)
})
