/**
 * `purser keys` creates, lists, rotates and revokes the API keys of each server, as the server's
 * API does (W-25).
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, SERVERS, type ServerWithKey } from '../people/servers.ts'
import { asServer } from '../support/database.ts'
import { dueOf } from '../support/nightly.ts'
import { run } from './command.ts'

describe.each(SERVERS)('the API keys of a $server', ({ server, schema, prefix, list, start }) => {
  let keyed: ServerWithKey
  const keys = (...args: string[]) => run(['keys', ...args], { DATABASE_URL: asServer(server, keyed.databaseUrl) })
  const statusOf = async (key: string) =>
    (await answerOf(keyed.url, { method: 'GET', path: list }, `Bearer ${key.trim()}`)).status

  beforeAll(async () => {
    keyed = await start()
  })
  afterAll(() => keyed.stop())

  test('are created, listed, rotated and revoked with the rights of the role, and the action log names the person', async () => {
    const made = await keys('make', server, 'desk', '--role', 'read', '--person', 'maria', '--reason', 'a new desk')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^purser_[\w-]{43}\n$/) })
    expect(made.stderr).toMatch(/^desk, role read, hash [0-9a-f]{8}: the key is not shown again\n$/)
    expect(await statusOf(made.stdout)).toBe(200)

    const rotated = await keys('rotate', server, 'desk', '--overlap', '600', '--json')
    const second = JSON.parse(rotated.stdout) as { key: string; earlierEndAt: string }
    for (const key of [made.stdout, second.key]) expect(await statusOf(key)).toBe(200)

    const listed = await keys('list', server, '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'desk', role: 'read', live: true },
      { name: 'desk', role: 'read', live: true, endsAt: second.earlierEndAt },
    ])
    expect((await keys('list', server)).stdout).toMatch(/^(live {3}desk {22}read.*\n){2}$/)

    expect((await keys('revoke', server, 'desk')).stdout).toContain('desk is revoked')
    for (const key of [made.stdout, second.key]) await expect.poll(() => statusOf(key)).toBe(401)
    expect((await keys('revoke', server, 'desk')).stdout).toContain('was already revoked')

    const { data } = await keyed.asked.log()
    expect(data.map(({ operation }) => operation)).toEqual(['revokeKey', 'rotateKey', 'makeKey'])
    const key = { name: 'purser keys', hash: '' }
    expect(data.at(-1)).toMatchObject({ on: { key: 'desk' }, key, person: 'maria', reason: 'a new desk' })
    const sql = new pg.Client({ connectionString: keyed.databaseUrl })
    await sql.connect()
    const { rows } = await sql.query(
      `select t::text from ${schema}.api_key t union all select t::text from ${schema}.action t`,
    )
    await sql.end()
    expect(rows.map(({ t }) => t).join('\n')).not.toContain(made.stdout.trim().slice(-16))
  })

  const wrong: [string, string[], string][] = [
    [
      'a name that a setting could have',
      ['make', server, 'OPERATOR_API_KEY', '--role', 'read'],
      'is not a valid name of a key',
    ],
    ['a role that does not exist', ['make', server, 'boss', '--role', 'boss'], 'read, support, cash, admin'],
    ['no role', ['make', server, 'boss'], '--role'],
    ['a key that does not exist', ['rotate', server, 'nobody'], 'no key has this name: list the keys for their names'],
    ['an end that never comes', ['rotate', server, 'nobody', '--overlap', '99999999'], 'a number of seconds'],
    ['a revocation of an unknown key', ['revoke', server, 'nobody'], 'no key has the name nobody'],
    ['a server that does not exist', ['list', 'bank'], 'not of "bank"'],
  ]
  test.each(dueOf(wrong, 3))(
    'are not changed by a command with %s, which is a usage error',
    async (_name, args, text) => {
      const { code, stderr, stdout } = await keys(...args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(text)
    },
  )

  test('are found by name in the command when the API has created them', async () => {
    await keyed.asked.must('POST', `${prefix}/keys`, { name: 'by-api', role: 'read' })
    expect(await keys('make', server, 'by-api', '--role', 'read')).toMatchObject({ code: 2 })
  })
})

test.each([
  ['settings', 'bank'],
  ['grants', 'bank', 'purser_wallet'],
])('purser %s ends with a usage error for a server that does not exist', async (...args) => {
  const { code, stderr } = await run(args, { PURSER_DATA_DIR: 'memory://' })
  expect(code).toBe(2)
  expect(stderr).toMatch(/wallet.*platform/)
})
