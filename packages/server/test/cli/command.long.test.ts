/**
 * The commands suit a script: they write data to stdout and messages to stderr, and end with a
 * documented exit code.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listSettings, SETTINGS } from '../../src/core/config/settings.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet } from '../support/wallet.ts'
import { DROP_EVERY_SCHEMA, newFolder, run } from './command.ts'

const COMMANDS = ['sandbox', 'wallet', 'platform', 'gateway', 'migrate', 'audit', 'reconcile', 'load', 'sign']
/** A port without a listener: it was opened and closed again. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? `postgres://purser:x@127.0.0.1:${address.port}/purser` : ''
}

describe('the help', () => {
  test('of the program names every command and ends with 0', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  })

  test.each(COMMANDS)('of %s begins with examples and ends with 0', async (command) => {
    const { code, stdout, stderr } = await run([command, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Examples:\n {2}\$ .*purser/)
    expect(stdout).toContain(`Usage: purser ${command}`)
    expect(stdout.includes('\u001b'), 'colour off a terminal').toBe(false)
  })

  test.each([
    ['sandbox', ['wallet', 'platform']],
    ['wallet', ['wallet']],
    ['platform', ['platform']],
    ['gateway', ['gateway']],
    ['audit', ['tool']],
    ['reconcile', ['tool']],
  ] as const)('of %s names exactly the settings that it reads, with their defaults', async (command, readers) => {
    const { stdout } = await run([command, '--help'])
    const [, environment = ''] = stdout.split('Environment:\n')
    const named = [...environment.matchAll(/^ {2}([A-Z_]+) +\S/gm)].map(([, name]) => name)
    expect(named).toEqual(listSettings(readers).map(({ name }) => name))
    expect(named.length).toBeLessThan(SETTINGS.length)
    expect(environment).toContain('[.purser]')
    expect(environment.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  const wrong: [string, string[]][] = [
    ['no command', []],
    ['an unknown command', ['walet']],
    ['an unknown option', ['audit', '--jsno']],
    ['an argument too many', ['migrate', 'now']],
    ['an option without its value', ['sign', '--secret']],
  ]
  test.each(wrong)('purser with %s ends with 2, a message on stderr and nothing on stdout', async (_name, args) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toBe('')
  })
})

describe('purser sign', () => {
  const { secret, vectors }: { secret: string; vectors: { header: string; body: string; signature: string }[] } =
    JSON.parse(readFileSync(new URL('../../../../docs/reference/signature-vectors.json', import.meta.url), 'utf8'))
  // The published vectors spell the JSON header differently, and the signature covers the header.
  const ours = vectors.filter(
    ({ header }) => header === Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
  )

  test('has at least three vectors to compare with', () => expect(ours.length).toBeGreaterThanOrEqual(3))

  test.each(ours)('prints the header for the body $body', async ({ header, body, signature }) => {
    const expected = { code: 0, stdout: `${header}..${signature}\n`, stderr: '' }
    expect(await run(['sign', '--secret', secret], {}, body)).toEqual(expected)
    expect(await run(['sign'], { PARTNER_SECRET: `${secret},an-older-one` }, body)).toEqual(expected)
  })

  test('signs the bytes as they are, with a line break at the end', async () => {
    const [plain, broken] = [
      await run(['sign', '--secret', secret], {}, '{}'),
      await run(['sign', '--secret', secret], {}, '{}\n'),
    ]
    expect(plain.stdout).not.toBe(broken.stdout)
  })

  test('ends with a usage error when no secret is given', async () => {
    const { code, stdout, stderr } = await run(['sign'], {}, '{}')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('--secret')
  })
})

describe('purser migrate', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createDatabase()
    await withSql(database.url, DROP_EVERY_SCHEMA)
  })
  afterAll(() => database.drop())

  test('creates the schema, and says on a second run that nothing is to do', async () => {
    const env = { DATABASE_URL: database.url }
    const first = await run(['migrate', '--json'], env)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const { version, applied } = JSON.parse(first.stdout)
    expect(applied.at(-1)).toMatch(new RegExp(`^${version} `))
    expect(await run(['migrate', '--json'], env)).toEqual({
      code: 0,
      stdout: `{"version":${version},"applied":[]}\n`,
      stderr: '',
    })
    expect((await run(['migrate'], env)).stdout).toBe(
      `schema version ${version}; applied: nothing, it was up to date\n`,
    )
  })

  test('creates the schema once when two of them run at the same time', async () => {
    await withSql(database.url, DROP_EVERY_SCHEMA)
    const both = await Promise.all([1, 2].map(() => run(['migrate', '--json'], { DATABASE_URL: database.url })))
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    const applied = both.map(({ stdout }) => JSON.parse(stdout).applied.length)
    expect(applied.sort()).toEqual([0, expect.any(Number)])
    expect(applied[1]).toBeGreaterThan(0)
  })

  test('refuses a database whose schema is newer than the program', async () => {
    await withSql(database.url, "insert into purser.migration (version, name) values (9999, 'from the future')")
    const { code, stderr } = await run(['migrate'], { DATABASE_URL: database.url })
    expect(code).toBe(2)
    expect(stderr).toContain('9999')
    await withSql(database.url, 'delete from purser.migration where version = 9999')
  })

  test('ends with 3 when no server listens at the address', async () => {
    const { code, stdout, stderr } = await run(['migrate'], { DATABASE_URL: await deadAddress() })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/ECONNREFUSED|connect/)
  })
})

describe('purser audit', () => {
  let database: TestDatabase
  let userId: string

  beforeAll(async () => {
    database = await createDatabase()
    const wallet = await startWallet({ databaseUrl: database.url })
    userId = (await playerWithMoney(wallet.operator, '100.00')).userId
    await wallet.stop()
  })
  afterAll(() => database.drop())

  test('reports a clean database as clean and ends with 0', async () => {
    const env = { DATABASE_URL: database.url }
    expect(await run(['audit'], env)).toEqual({ code: 0, stdout: 'audit: no findings\n', stderr: '' })
    expect(await run(['audit', '--json'], env)).toEqual({ code: 0, stdout: '{"ok":true,"findings":[]}\n', stderr: '' })
  })

  test('prints each finding of a damaged database and ends with 1', async () => {
    await withSql(
      database.url,
      `update purser.account set balance = balance - 1 where player = '${userId}' and currency = 'EUR'`,
    )
    const env = { DATABASE_URL: database.url }
    const words = await run(['audit'], env)
    expect(words).toMatchObject({ code: 1, stderr: '' })
    expect(words.stdout).toContain(`a balance is the sum of its transfers: {"player":"${userId}"`)
    const json = await run(['audit', '--json'], env)
    expect(json).toMatchObject({ code: 1, stderr: '' })
    const { ok, findings } = JSON.parse(json.stdout)
    expect(ok).toBe(false)
    expect(findings).toContainEqual({
      check: 'a balance is the sum of its transfers',
      row: { player: userId, currency: 'EUR', balance: '9999', total: '10000' },
    })
  })

  test('ends with a usage error and the remedy when the database has no schema', async () => {
    await withSql(database.url, DROP_EVERY_SCHEMA)
    const { code, stdout, stderr } = await run(['audit'], { DATABASE_URL: database.url })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('run purser migrate')
  })

  test('ends with 3 when no server listens at the address', async () => {
    expect(await run(['audit'], { DATABASE_URL: await deadAddress() })).toMatchObject({ code: 3, stdout: '' })
  })

  test('ends with 3 for a folder without a database, and creates none', async () => {
    const folder = newFolder()
    const empty = await run(['audit', '--json'], { PURSER_DATA_DIR: folder.path })
    const missing = await run(['audit'], { PURSER_DATA_DIR: join(folder.path, 'nowhere') })
    expect(readdirSync(folder.path)).toEqual([])
    folder.remove()
    for (const { code, stdout, stderr } of [empty, missing]) {
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain(`there is no database in ${folder.path}`)
    }
    expect(await run(['audit'], { PURSER_DATA_DIR: 'memory://' })).toMatchObject({ code: 3, stdout: '' })
  })

  test('ends with 2 for a wrong password, since the server is reachable', async () => {
    const url = new URL(database.url)
    url.password = 'wrong'
    const { code, stderr } = await run(['audit'], { DATABASE_URL: url.href })
    expect(code).toBe(2)
    expect(stderr).toContain('password authentication failed')
    expect(stderr).not.toContain('wrong')
  })
})

async function withSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
