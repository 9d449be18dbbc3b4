/** PARTNER_SECRETS assigns secrets to platform names (W-43). */
import { describe, expect, test } from 'vitest'
import { ConfigError, PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'

const ENV = { OPERATOR_API_KEY: 'key', PURSER_DATA_DIR: 'memory://' }
const read = (env: Record<string, string>, role: Parameters<typeof readConfig>[1] = PROCESS_ROLES.wallet) =>
  readConfig({ ...ENV, ...env }, role)

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    read(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('PARTNER_SECRETS gives each platform name the secret after its colon, and a name may have several', () => {
  const { platformSecrets, secrets } = read({ PARTNER_SECRET: 'mine', PARTNER_SECRETS: 'acme:a:b, best:c ,acme:d' })
  expect(secrets).toEqual(['mine'])
  expect(platformSecrets).toEqual([
    { platform: 'acme', value: 'a:b' },
    { platform: 'best', value: 'c' },
    { platform: 'acme', value: 'd' },
  ])
})

test('a start creates no secret for a platform without a name when every platform has a name', () => {
  expect(read({ PARTNER_SECRETS: 'acme:a' })).toMatchObject({ secrets: [], generated: [] })
  expect(read({}).generated.map(({ name }) => name)).toEqual(['PARTNER_SECRET'])
})

test('a gateway does not read PARTNER_SECRETS', () => {
  const env = { PARTNER_SECRETS: 'nonsense', PARTNER_SECRET: 'mine', GATEWAY_API_KEY: 'key' }
  expect(read(env, PROCESS_ROLES.gateway).platformSecrets).toEqual([])
})

describe('an error in PARTNER_SECRETS is reported without the secret:', () => {
  test.each([
    ['acme:good-one,hidden-secret', 'part 2 of PARTNER_SECRETS'],
    ['Acme:hidden-secret', 'part 1 of PARTNER_SECRETS'],
    ['acme.com:hidden-secret', 'part 1 of PARTNER_SECRETS'],
    ['acme:hidden-secret,', 'part 2 of PARTNER_SECRETS'],
    ['acme:hidden-secret,best:hidden-secret', 'a secret of best in PARTNER_SECRETS is also a secret of acme'],
  ])('%s', (text, problem) => {
    const problems = problemsOf({ PARTNER_SECRETS: text })
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems.join()).not.toContain('hidden-secret')
  })

  test('a secret that PARTNER_SECRET contains too', () => {
    const problems = problemsOf({ PARTNER_SECRET: 'hidden-secret', PARTNER_SECRETS: 'acme:hidden-secret' })
    expect(problems).toEqual([expect.stringContaining('is also a secret of PARTNER_SECRET')])
  })

  test('a weak secret in production', () => {
    const env = { NODE_ENV: 'production', DATABASE_URL: 'postgres://localhost/x', PARTNER_SECRETS: 'acme:weak' }
    expect(problemsOf(env).join()).toContain('the secret of acme in PARTNER_SECRETS has 4 characters')
    expect(problemsOf(env).join()).not.toContain('PARTNER_SECRET must be set')
  })
})
