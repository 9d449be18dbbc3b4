/**
 * A command reports an unknown name as an error with a remedy, since "nothing found" could be taken
 * for a result.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeBooks } from '../reconcile/books.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { dueOf } from '../support/nightly.ts'
import { playerWithMoney } from '../support/operator.ts'
import { inSql } from '../support/second-postgres.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { run } from './command.ts'

let wallet: TestWallet
let userId: string
const transactionId = randomUUID()
beforeAll(async () => {
  wallet = await startWallet({ env: { PARTNER_SECRETS: 'acme:the-secret-of-acme' } })
  const player = await playerWithMoney(wallet.operator)
  userId = player.userId
  await wallet.wire.place({ ...player, amount: 1, transactionId })
})
afterAll(() => wallet.stop())

const ask = (...args: string[]) => run([...args, '--api', wallet.url, '--key', wallet.operatorKey])

const USES: readonly (readonly [name: string, args: readonly string[], message: string])[] = [
  ['calls --player', ['calls', '--player', 'nobody'], '--player: no player has the id nobody; purser show'],
  ['calls --bet', ['calls', '--bet', 'no-such-bet'], '--bet: no bet has the id no-such-bet; purser show'],
  ['calls --platform', ['calls', '--platform', 'amce'], '--platform: no call and no bet of a platform amce exists'],
  ['calls --follow --player', ['calls', '--follow', '--player', 'nobody'], 'no player has the id nobody'],
  ['calls --operation', ['calls', '--operation', 'plaice'], '/query/operation'],
  ['calls --outcome', ['calls', '--outcome', 'acepted'], '/query/outcome'],
  ['calls --code', ['calls', '--code', '4711'], '/query/code'],
  [
    'calls --from in the future',
    ['calls', '--from', '2999-01-01T00:00:00Z'],
    '--from: 2999-01-01T00:00:00Z is in the future',
  ],
  ['calls --from that is no time', ['calls', '--from', 'yesterday'], '/query/from'],
  ['changes --player', ['changes', '--player', 'nobody'], '--player: no player has the id nobody'],
  ['changes --follow --player', ['changes', '--follow', '--player', 'nobody'], '--player: no player has the id nobody'],
  ['changes --event', ['changes', '--event', 'bet.setled'], '--event bet.setled: there are'],
  ['changes --after', ['changes', '--after', '999999'], '/query/after'],
  ['webhooks test', ['webhooks', 'test', 'crm'], 'has no such webhook'],
  ['webhooks replay', ['webhooks', 'replay', 'crm', '--after', '1'], 'has no such webhook'],
  ['webhooks rotate', ['webhooks', 'rotate', 'crm'], 'has no such webhook'],
  ['webhooks remove', ['webhooks', 'remove', 'crm'], 'has no such webhook'],
  [
    'webhooks save --event',
    ['webhooks', 'save', 'crm', 'https://crm.example/', '--event', 'bet.setled'],
    '/events/0 must be one of bet.placed',
  ],
]

test.each(dueOf(USES, 4))('purser %s ends with a usage error for an unknown name', async (_, args, message) => {
  const { code, stdout, stderr } = await ask(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('purser show --archive ends with a usage error for a folder that does not exist', async () => {
  const { code, stdout, stderr } = await ask('show', userId, '--archive', 'no-such-folder')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('no-such-folder cannot be used')
})

test('a command reports on standard error that a known name has no rows', async () => {
  const { userId: quiet } = await wallet.operator.createPlayer()
  expect(await ask('calls', '--player', quiet)).toEqual({
    ...{ code: 0, stdout: '', stderr: 'no call in the journal matches\n' },
  })
  expect(await ask('changes', '--player', userId, '--event', 'bet.settled')).toEqual({
    ...{ code: 0, stdout: '', stderr: 'no event in the feed matches\n' },
  })
  expect((await ask('calls', '--player', userId, '--bet', transactionId)).stdout).toContain(transactionId)
})

describe('on the database,', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
    await (await writeBooks(database.url, database.url, 5)).close()
    await inSql(database.url, "create role nothing_at_all login password 'nothing'")
  })
  afterAll(async () => {
    await database.drop()
    await inSql(wallet.databaseUrl, 'drop role nothing_at_all')
  })

  const on = (url: string, ...args: string[]) => run(args, { DATABASE_URL: url })

  test.each([
    ['reconcile --partner', ['reconcile', '--partner', 'nobody'], 'no partner has the id nobody: GET /partners'],
    ['reconcile --platform', ['reconcile', '--platform', 'amce'], 'was started for a platform amce: give its name'],
    ['reconcile --platform-csv', ['reconcile', '--platform-csv', 'no-such-file.csv'], 'no-such-file.csv'],
    ['keys rotate', ['keys', 'rotate', 'wallet', 'nobody'], 'no key has this name: list the keys for their names'],
    ['keys revoke', ['keys', 'revoke', 'wallet', 'nobody'], 'no key has the name nobody'],
    ['export-player', ['export-player', 'nobody'], 'the player does not exist'],
    ['settings --end-platform', ['settings', 'wallet', '--end-platform', 'amce'], 'a platform amce'],
    ['import', ['import', 'no-such-file.csv'], 'no-such-file.csv'],
    ['audit --archive', ['audit', '--archive', 'no-such-folder'], 'no-such-folder'],
  ])('purser %s ends with a usage error for an unknown name', async (_, args, message) => {
    const { code, stdout, stderr } = await on(database.url, ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('purser reconcile as the role of one server names the missing rights and the option for another database', async () => {
    const asWallet = await on(asServer('wallet', database.url), 'reconcile')
    expect(asWallet).toMatchObject({ code: 2, stdout: '' })
    for (const line of [
      'grant usage on schema platform to purser_wallet;',
      'grant select on platform.bet to purser_wallet;',
      "or give the platform's database with --platform-database-url",
    ])
      expect(asWallet.stderr).toContain(line)
    const asPlatform = await on(asServer('platform', database.url), 'reconcile')
    expect(asPlatform).toMatchObject({ code: 2, stdout: '' })
    expect(asPlatform.stderr).toContain('grant select on purser.bet to purser_platform;')
    expect(asPlatform.stderr).toContain("or give the wallet's database with --wallet-database-url")
  })

  test('purser reconcile asks for the other database when a database without a partner is no platform', async () => {
    const { stderr, code } = await on(wallet.databaseUrl, 'reconcile')
    expect(code).toBe(2)
    expect(stderr).toContain(
      "this database has no partner of a platform: give the platform's database with --platform-database-url",
    )
  })

  test('a command does not advise a role without rights to migrate', async () => {
    const url = new URL(database.url)
    ;[url.username, url.password] = ['nothing_at_all', 'nothing']
    const { code, stderr } = await on(url.href, 'audit')
    expect(code).toBe(2)
    expect(stderr).toContain('the role nothing_at_all may not read the version of the schema')
    expect(stderr).not.toContain('run purser migrate')
  })

  test.each(['wallet', 'platform', 'gateway', 'migrate', 'audit', 'report', 'reconcile'])(
    'purser %s asks for a newer program when the schema is newer',
    async (command) => {
      const insert = "insert into purser.migration (version, name) values (9999, 'from the future')"
      await inSql(database.url, `${insert} on conflict do nothing`)
      const keys = { PARTNER_SECRET: 'a', OPERATOR_API_KEY: 'b', PLATFORM_API_KEY: 'c', GATEWAY_API_KEY: 'd' }
      for (const PURSER_MIGRATE of ['auto', 'never']) {
        const { code, stderr } = await run([command], {
          DATABASE_URL: database.url,
          PORT: '0',
          ...keys,
          PURSER_MIGRATE,
        })
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('use a newer program') })
        expect(stderr).not.toContain('run purser migrate')
      }
    },
  )
})
