/**
 * A wallet with a faulty setting ends before it listens. A wallet that starts keeps its secrets and
 * its number of buckets for later starts.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { changeMoneySettings } from '../support/money-settings.ts'
import { spawnWallet, startWallet } from '../support/wallet.ts'
import { DROP_EVERY_SCHEMA, newFolder, run } from './command.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  return database
}

function folder(): string {
  const { path, remove } = newFolder()
  cleanups.push(remove)
  return path
}

async function started(options: Parameters<typeof spawnWallet>[0]) {
  const wallet = await spawnWallet(options)
  cleanups.push(() => wallet.kill('SIGKILL'))
  return wallet
}

async function inSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

const KEYS = { PARTNER_SECRET: 'secret', OPERATOR_API_KEY: 'key', PORT: '0' }

describe('the settings of a server', () => {
  test('are all named at once when they are wrong, and nothing is started', async () => {
    const wrong = {
      ...{ PORT: '65536', PURSER_CLAWBACK: 'maybe', PURSER_RESETTLE_WINDOW: '-1', PURSER_FREEBET_STAKE: 'house' },
      ...{ PURSER_BUCKETS: '0', PURSER_BEHIND_AGGREGATOR: 'yes', PURSER_MINIMUM_AGE: 'old', PURSER_MIGRATE: 'later' },
      ...{
        LOG_LEVEL: 'loud',
        DATABASE_URL: 'db.example:5432/secret',
        PURSER_CURRENCIES: 'EUR:1,gold:2,SILVER:3,BTC:99',
      },
    }
    const { code, stdout, stderr } = await run(['wallet'], {
      ...KEYS,
      ...wrong,
      PARTNER_SECRET: 'a,,b',
      OPERATOR_API_KEY_FILE: '/nowhere',
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const name of [...Object.keys(wrong), 'PARTNER_SECRET'])
      expect(stderr).toMatch(new RegExp(`^  - ${name}\\b`, 'm'))
    expect(stderr).not.toContain('db.example')
    for (const entry of ['"EUR:1"', '"gold:2"', '"SILVER:3"', '"BTC:99"']) expect(stderr).toContain(entry)
  })

  test('are refused by every command that reads them when they are wrong', async () => {
    for (const command of ['sandbox', 'migrate', 'audit']) {
      expect((await run([command], { ...KEYS, PURSER_BUCKETS: 'many' })).code, command).toBe(2)
    }
  })

  test('may be secrets in files, and a file that cannot be read is named without its content', async () => {
    const path = join(folder(), 'secret')
    writeFileSync(path, 'testdemo\n')
    const [given, fromFile] = [
      await run(['sign', '--secret', 'testdemo'], {}, '{}'),
      await run(['sign'], { PARTNER_SECRET_FILE: path }, '{}'),
    ]
    expect(fromFile).toEqual(given)
    const { code, stderr } = await run(['wallet'], {
      ...KEYS,
      PARTNER_SECRET: '',
      PARTNER_SECRET_FILE: '/nowhere/secret',
    })
    expect(code).toBe(2)
    expect(stderr).toContain('PARTNER_SECRET_FILE cannot be read')
  })
})

describe('the secrets of a wallet', () => {
  test('are required in production: both missing ones are named and none is created', async () => {
    const dataDir = join(folder(), 'data')
    const { code, stderr } = await run(['wallet'], { NODE_ENV: 'production', PURSER_DATA_DIR: dataDir, PORT: '0' })
    expect(code).toBe(2)
    expect(stderr).toContain('PARTNER_SECRET must be set in production')
    expect(stderr).toContain('OPERATOR_API_KEY must be set in production')
    expect(existsSync(dataDir)).toBe(false)
  })

  test('are created at the first start, printed once, readable by the owner only, and kept for the next start', async () => {
    const [dataDir, database] = [folder(), await newDatabase()]
    const options = { databaseUrl: database.url, dataDir, env: { PARTNER_SECRET: '', OPERATOR_API_KEY: '' } }
    const first = await started(options)
    await expect.poll(() => first.output()).toContain('OPERATOR_API_KEY was not set')
    const match = /OPERATOR_API_KEY was not set; using (\S+), kept in (\S+)/.exec(first.output())
    expect(match?.[2]).toBe(join(dataDir, 'operator-api-key'))
    expect(readFileSync(match?.[2] as string, 'utf8').trim()).toBe(match?.[1])
    expect(statSync(match?.[2] as string).mode & 0o777).toBe(0o600)
    const audit = (url: string) =>
      fetch(`${url}/operator/audit`, { headers: { authorization: `Bearer ${match?.[1]}` } })
    expect((await audit(first.url)).status).toBe(200)
    expect(await first.kill('SIGTERM')).toBe(0)

    const second = await started(options)
    expect((await audit(second.url)).status).toBe(200)
    expect(second.output()).not.toContain(match?.[1])
  })

  test('are created again when a crash has left an empty file, since an empty key must open nothing', async () => {
    const [dataDir, database] = [folder(), await newDatabase()]
    writeFileSync(join(dataDir, 'operator-api-key'), '')
    const wallet = await started({ databaseUrl: database.url, dataDir, env: { OPERATOR_API_KEY: '' } })
    expect(readFileSync(join(dataDir, 'operator-api-key'), 'utf8').trim()).toMatch(/^\S{32}$/)
    for (const headers of [{}, { authorization: 'Bearer ' }]) {
      expect((await fetch(`${wallet.url}/operator/audit`, { headers })).status).toBe(401)
    }
  })
})

describe('the database of a wallet', () => {
  test('keeps its number of buckets: another number is refused, and no setting means the stored one', async () => {
    const database = await newDatabase()
    await (await startWallet({ databaseUrl: database.url, env: { PURSER_BUCKETS: '4' } })).stop()
    const { code, stderr } = await run(['wallet'], { ...KEYS, DATABASE_URL: database.url, PURSER_BUCKETS: '8' })
    expect(code).toBe(2)
    expect(stderr).toContain('the database was created with PURSER_BUCKETS=4 and cannot be used with 8')
    const wallet = await started({ databaseUrl: database.url })
    expect(wallet.output()).toContain('"buckets":4')
  })

  test('keeps the scale of a currency in use: another scale is refused, and a command changes an unused one', async () => {
    const database = await newDatabase()
    const wallet = await startWallet({ databaseUrl: database.url, env: { PURSER_CURRENCIES: 'USD:4,GOLD:2' } })
    await wallet.operator.createPlayer({ currency: 'USD', currencies: ['USD'] })
    await wallet.stop()
    const start = (currencies: string) =>
      run(['wallet'], { ...KEYS, DATABASE_URL: database.url, PURSER_CURRENCIES: currencies })
    const changed = await start('USD:3,GOLD:3')
    expect(changed.code).toBe(2)
    expect(changed.stderr).toContain('USD is stored with 4 decimals, configured are 3')
    expect(changed.stderr).not.toContain('GOLD')
    expect((await start('')).stderr).toContain('USD is stored with 4 decimals, configured are 2')
    const currencies = { PURSER_CURRENCIES: 'USD:4,GOLD:3' }
    expect((await start(currencies.PURSER_CURRENCIES)).stderr).toContain('USD:4,GOLD:3'.split(',').sort().join(','))
    await changeMoneySettings(database.url, currencies)
    const again = await startWallet({ databaseUrl: database.url, env: currencies })
    const { userId } = await again.operator.createPlayer({ currency: 'GOLD', currencies: ['GOLD'] })
    expect(await again.operator.balance(userId, 'GOLD')).toBe('0.000')
    await again.stop()
  })

  test('keeps every currency, since no account could be shown without its scale', async () => {
    const database = await newDatabase()
    const wallet = await startWallet({ databaseUrl: database.url, env: { PURSER_CURRENCIES: 'GOLD:4,TIN:2' } })
    await wallet.operator.createPlayer({ currency: 'GOLD', currencies: ['GOLD'] })
    await wallet.stop()
    const { code, stderr } = await run(['wallet'], { ...KEYS, DATABASE_URL: database.url })
    expect(code).toBe(2)
    expect(stderr).toContain('PURSER_CURRENCIES must have GOLD:4')
    expect(stderr).not.toContain('TIN')
  })

  test('is not migrated with PURSER_MIGRATE=never: an old schema is refused, a current one is used', async () => {
    const database = await newDatabase()
    const env = { PURSER_MIGRATE: 'never' }
    const wallet = await started({ databaseUrl: database.url, env })
    await wallet.auditIsClean()
    await wallet.kill('SIGTERM')
    await inSql(database.url, DROP_EVERY_SCHEMA)
    const { code, stderr } = await run(['wallet'], { ...KEYS, ...env, DATABASE_URL: database.url })
    expect(code).toBe(2)
    expect(stderr).toContain('run purser migrate')
  })

  test('is refused when it could lose an answered bet in a crash', async () => {
    const database = await newDatabase()
    await inSql(
      database.url,
      `alter database "${new URL(database.url).pathname.slice(1)}" set synchronous_commit = off`,
    )
    const { code, stdout, stderr } = await run(['wallet'], { ...KEYS, DATABASE_URL: database.url })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('synchronous_commit=off')
  })
})

test.each(['wallet', 'platform'])('a %s whose port is in use names it and ends with 2', async (command) => {
  const database = await newDatabase()
  const wallet = await started({ databaseUrl: database.url })
  const { code, stderr } = await run([command], {
    ...KEYS,
    PLATFORM_API_KEY: 'the-key-of-the-platform',
    DATABASE_URL: database.url,
    PORT: new URL(wallet.url).port,
  })
  expect(code).toBe(2)
  expect(stderr).toContain('EADDRINUSE')
})

test('a wallet ends with 0 on SIGTERM and SIGINT, after the calls that it has accepted', async () => {
  const database = await newDatabase()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const wallet = await started({ databaseUrl: database.url })
    const { userId } = await wallet.operator.createPlayer()
    const answered = Array.from({ length: 20 }, () =>
      wallet.operator.deposit(userId, '1.00').then(
        () => 1,
        () => 0,
      ),
    )
    await Promise.race(answered)
    const [code, ...counts] = await Promise.all([wallet.kill(signal), ...answered])
    expect(code).toBe(0)
    const next = await startWallet({ databaseUrl: database.url })
    const deposited = Number.parseInt(await next.operator.balance(userId), 10)
    expect(deposited).toBeGreaterThanOrEqual(counts.filter((count) => count === 1).length)
    expect(deposited).toBeGreaterThan(0)
    await next.auditIsClean()
    await next.stop()
  }
})

test('a wallet keeps serving when no console account can be created at its start', async () => {
  const database = await newDatabase()
  const holder = new pg.Client({ connectionString: database.url })
  holder.on('error', () => {}) // a failed test ends the connection early
  await holder.connect()
  await holder.query('begin; lock table purser.console_user in access exclusive mode')
  const wallet = await started({ databaseUrl: database.url })
  await expect.poll(wallet.output).toContain('the first console user could not be created')
  expect((await fetch(`${wallet.url}/readyz`)).status).toBe(200)
  await holder.end()
  expect(await wallet.kill('SIGTERM')).toBe(0)
  const next = await started({ databaseUrl: database.url })
  await expect.poll(next.output).toContain('first start: sign in at')
})
