/**
 * Each command and server reports a typical fault of a first start with the same cause and remedy,
 * and shows no password.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../../test/tidy/source.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'
import { DROP_EVERY_SCHEMA, newFolder, run } from './command.ts'

const KEYS = { PARTNER_SECRET: 's', OPERATOR_API_KEY: 'o', PLATFORM_API_KEY: 'p', GATEWAY_API_KEY: 'g', PORT: '0' }
const SERVERS = ['wallet', 'platform', 'gateway', 'sandbox']
const COMMANDS = [...SERVERS, 'migrate', 'audit', 'reconcile']
const GUIDE = 'docs/guides/run-in-production.md'

let database: TestDatabase
/** This server accepts connections and never answers. */
let silent: Server
let silentPort: number

beforeAll(async () => {
  database = await createDatabase()
  silent = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const address = silent.address()
  silentPort = typeof address === 'object' && address ? address.port : 0
})
afterAll(async () => {
  silent.close()
  await database.drop()
})

/** All commands must end with this code and print one and the same line, on stderr only. */
async function saidBy(commands: readonly string[], code: number, env: Record<string, string>): Promise<string> {
  const ended = await Promise.all(commands.map((command) => run(command.split(' '), { ...KEYS, ...env })))
  for (const [i, one] of ended.entries()) expect(one, commands[i]).toMatchObject({ code, stdout: '' })
  const said = new Set(ended.map(({ stderr }) => stderr))
  expect([...said].length, 'the same of every command').toBe(1)
  return [...said][0] ?? ''
}

function changed(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

describe('a command names the cause and the remedy when the database', () => {
  test('does not exist', async () => {
    const said = await saidBy(COMMANDS, 3, { DATABASE_URL: 'postgres://u:secret-word@127.0.0.1:1/db' })
    expect(said).toMatch(/^purser: the database at 127\.0\.0\.1:1 cannot be reached \(connect ECONNREFUSED/)
    expect(said).toContain('check that Postgres is running, and host and port in DATABASE_URL')
  })

  test('is on a host that does not exist', async () => {
    const said = await saidBy(['wallet', 'audit'], 3, { DATABASE_URL: 'postgres://u:secret-word@no-such.invalid/db' })
    expect(said).toMatch(/the database at no-such\.invalid cannot be reached .*host/)
  })

  test('does not answer', async () => {
    const url = `postgres://u:secret-word@127.0.0.1:${silentPort}/db`
    const said = await saidBy(['wallet', 'migrate'], 3, { DATABASE_URL: url })
    expect(said).toContain(`the database at 127.0.0.1:${silentPort} cannot be reached`)
    expect(said).toContain('does not answer as Postgres does')
  })

  test('has another name or another password', async () => {
    const missing = changed((url) => {
      url.pathname = '/nobody_made_it'
    })
    expect(await saidBy(['wallet', 'audit'], 2, { DATABASE_URL: missing })).toBe(
      'purser: database "nobody_made_it" does not exist: create it, or name another one in DATABASE_URL\n',
    )
    const wrong = changed((url) => {
      url.password = 'secret-word'
    })
    const said = await saidBy(['platform', 'migrate'], 2, { DATABASE_URL: wrong })
    expect(said).toContain('check user and password in DATABASE_URL')
  })

  const unreadable = ['se#cret@h:5432/db', '12#cret@h:5432/db', 'se/cret@h/db', '12?cret@h/db', 'secret@h:99999/db']
  test.each(unreadable)('has an address that cannot be parsed: postgres://u:%s', async (rest) => {
    const said = await saidBy(['wallet', 'migrate'], 2, { DATABASE_URL: `postgres://u:${rest}` })
    expect(said).toContain('DATABASE_URL cannot be read as postgres://user:password@host:port/database')
    expect(said).toContain('write # as %23')
    expect(said).not.toContain('cret@')
  })

  test('has a password that contains a #, written as %23', async () => {
    const role = `r${randomUUID().replaceAll('-', '')}`
    const name = new URL(database.url).pathname.slice(1)
    await inSql(`create role ${role} superuser login password 'se#c/r?e@t:%'`)
    const url = changed((it) => {
      it.username = role
      it.password = encodeURIComponent('se#c/r?e@t:%')
    })
    expect(await run(['audit'], { DATABASE_URL: url }), name).toMatchObject({ code: 0 })
    await inSql(`drop role ${role}`)
  })

  test.each(['u:secret@one:5432,two:5432/db', 'u:secret@one,two/db', 'u:secret@/db?host=one,two'])(
    'has two hosts in its address: postgres://%s',
    async (rest) => {
      const said = await saidBy(['gateway', 'audit'], 2, { DATABASE_URL: `postgres://${rest}` })
      expect(said).toContain('DATABASE_URL names several hosts, which is not supported')
      expect(said).not.toContain('secret')
    },
  )

  test('does not grant the role what it needs', async () => {
    const role = `r${randomUUID().replaceAll('-', '')}`
    await inSql(`create role ${role} login password 'x'; grant usage on schema purser to ${role}`)
    await inSql(`grant select on purser.migration to ${role}`)
    const url = changed((it) => {
      it.username = role
      it.password = 'x'
    })
    const said = await saidBy(['audit'], 2, { DATABASE_URL: url })
    expect(said).toMatch(/^purser: permission denied for \w+ \w+: grant the right to the role in DATABASE_URL/)
    expect(said).toContain(GUIDE)
    await inSql(`drop owned by ${role}; drop role ${role}`)
  })

  test('has no schema, which the role may not create', async () => {
    const empty = await createDatabase()
    await inSql(DROP_EVERY_SCHEMA, empty.url)
    for (const server of ['wallet', 'platform', 'gateway'] as const) {
      const said = await saidBy([server], 2, { DATABASE_URL: asServer(server, empty.url) })
      expect(said).toMatch(/^purser: the schema must be created or updated.*run purser migrate as its owner/)
    }
    await empty.drop()
  })

  test('is reached through a pooler in transaction mode', async () => {
    const pooler = await startTransactionPooler(database.url)
    const said = await saidBy(['wallet', 'platform', 'gateway'], 2, { DATABASE_URL: pooler.url })
    expect(said).toContain('DATABASE_URL leads to a pooler in transaction mode')
    expect(said).toContain('session mode')
    pooler.stop()
  })

  test('has lost a table, which is a defect with a stack and no usage error', async () => {
    const broken = await createDatabase()
    await inSql('alter table purser.bet_call rename to lost', broken.url)
    const named = await run(['audit'], { DATABASE_URL: broken.url })
    expect(named).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"missing":"table","name":"purser.bet_call"'),
    })
    expect(named.stdout).not.toContain('"missing":"column"')
    const { code, stdout, stderr } = await run(['audit', '--changed'], { DATABASE_URL: broken.url })
    expect({ code, stdout }).toEqual({ code: 70, stdout: '' })
    expect(stderr).toMatch(
      /a defect of this program; please report it with these lines:\n.*"purser\.bet_call" does not exist\n\s+at /,
    )
    await broken.drop()
  })
})

async function inSql(sql: string, url = database.url): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

describe('a server names the cause and the remedy when its port', () => {
  test('is in use', async () => {
    const env = { DATABASE_URL: database.url, PORT: String(silentPort) }
    expect(await saidBy(SERVERS, 2, env)).toMatch(
      new RegExp(
        `^purser: port ${silentPort} of 127\\.0\\.0\\.1 is in use: stop the program that uses it, or choose another`,
      ),
    )
    const { code, stderr } = await run(['conformance', 'platform', '--listen', `${silentPort}`, '--drive', 'true'])
    expect(code).toBe(2)
    expect(stderr).toContain(`port ${silentPort} of 127.0.0.1 is in use`)
  })

  test('is on an address that this machine does not have', async () => {
    const env = { DATABASE_URL: database.url }
    expect(await saidBy(['wallet'], 2, { ...env, HOST: '192.0.2.1' })).toContain(
      'HOST=192.0.2.1 is not an address of this machine',
    )
    expect(await saidBy(['gateway'], 2, { ...env, HOST: 'no-such.invalid' })).toContain(
      'HOST=no-such.invalid is not an address',
    )
  })
})

describe('a server names the cause and the remedy when its data folder', () => {
  /** The files of an embedded database, in a temporary folder. */
  async function withFiles(files: Record<string, string>, look: (path: string) => Promise<void>): Promise<void> {
    const folder = newFolder()
    chmodSync(folder.path, 0o700)
    mkdirSync(join(folder.path, 'pglite/global'), { recursive: true, mode: 0o700 })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, 'pglite', name), text)
    await look(folder.path).finally(folder.remove)
  }

  test('is of another Postgres version', async () => {
    await withFiles({ PG_VERSION: '17\n' }, async (path) => {
      const said = await saidBy(['wallet'], 3, { PURSER_DATA_DIR: path })
      expect(said).toContain(`the embedded database in ${path} cannot be opened: it was made with Postgres 17`)
      expect(said).toContain('Keep a copy of the folder')
    })
  })

  test('is damaged', async () => {
    await withFiles({ PG_VERSION: '18\n', 'global/pg_control': '' }, async (path) => {
      const said = await saidBy(['audit'], 3, { PURSER_DATA_DIR: path })
      expect(said).toContain(`the embedded database in ${path} cannot be opened: its files are damaged or not complete`)
      expect(said).not.toContain('[object')
    })
  })

  const hasMounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0
  test.runIf(hasMounts)('has no space for a database, and the next start with space creates it', () => {
    const folder = newFolder()
    const main = join(ROOT, 'packages/server/dist/main.js')
    const command = `mount -t tmpfs -o size=6m tmpfs ${folder.path}; chmod 700 ${folder.path}
      ${process.execPath} ${main} migrate; echo $?; ls ${folder.path}
      mount -o remount,size=200m ${folder.path}; ${process.execPath} ${main} migrate; echo $?`
    const env = { PATH: process.env.PATH, PURSER_DATA_DIR: folder.path }
    const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', command], { encoding: 'utf8', env })
    expect(stderr).toContain(`the embedded database in ${folder.path} cannot be opened: its disk is full`)
    expect(stderr).not.toMatch(/damaged|\[object/)
    expect(stdout).toMatch(/^3\n(?!.*pglite)[\s\S]*schema version[\s\S]*\n0\n$/)
    folder.remove()
  })

  test('is a file', async () => {
    const folder = newFolder()
    const path = join(folder.path, 'file')
    writeFileSync(path, '')
    expect(await saidBy(['migrate', 'wallet'], 2, { PURSER_DATA_DIR: path })).toContain(
      `purser: ${path} cannot be used`,
    )
    folder.remove()
  })
})

describe('a command names the error when the command line', () => {
  test.each([...COMMANDS, 'sign', 'conformance wallet', 'conformance platform'])(
    'of %s has an unknown option',
    async (command) => {
      expect(await saidBy([`${command} --xyzzy`], 2, {})).toBe(
        `error: unknown option '--xyzzy'\n(purser ${command} --help lists commands and options)\n`,
      )
    },
  )

  test('has a misspelt command', async () => {
    expect(await saidBy(['walet'], 2, {})).toBe(
      "error: unknown command 'walet'\n(Did you mean wallet?)\n(purser --help lists commands and options)\n",
    )
  })

  test.each([
    'import /nowhere/x.csv',
    'import .',
    'reconcile --platform-csv /nowhere/x.csv',
    'reconcile --platform-csv .',
  ])('names a file that cannot be read: %s', async (command) => {
    const said = await saidBy([command], 2, { DATABASE_URL: database.url })
    expect(said).toMatch(/^purser: (\/nowhere\/x\.csv|\.) cannot be read: /)
  })

  test('has an invalid address', async () => {
    const commands = ['calls', 'changes', 'webhooks list', 'show an-id'].map(
      (command) => `${command} --api foo --key k`,
    )
    expect(await saidBy(commands, 2, {})).toBe(
      'purser: the address of the API is not a URL of http or https: write it as in http://127.0.0.1:8080\n',
    )
  })

  test('names a file that cannot be written', async () => {
    const env = { DATABASE_URL: database.url }
    await inSql(
      `insert into platform.partner (partner_id, base_url, secrets, created_at) values ('one', 'http://127.0.0.1:1', '["s"]', now()) on conflict do nothing`,
    )
    expect(await saidBy(['reconcile --csv /nowhere/x.csv'], 2, env)).toContain('purser: /nowhere/x.csv cannot be used')
  })
})

test('an unhandled rejection ends a server with 70 and its stack, and not with 1', async () => {
  const planted =
    'data:text/javascript,setInterval(()=>{if(process.listenerCount(`uncaughtException`)>0)throw%20new%20Error(`planted`)},50)'
  const env = { ...KEYS, DATABASE_URL: database.url, NODE_OPTIONS: `--import=${planted}` }
  const { code, stderr } = await run(['wallet'], env)
  expect(code).toBe(70)
  expect(stderr).toMatch(/a defect of this program[\s\S]*Error: planted\n\s+at /)
})
