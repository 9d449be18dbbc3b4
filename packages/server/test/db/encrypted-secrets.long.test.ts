/**
 * The database stores secrets of partners and operators encrypted, under a key that is kept outside
 * the database (O-5).
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { startPlatform } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'

const newKey = () => randomBytes(32).toString('hex')
const OLD = newKey()
const NEW = newKey()

let database: TestDatabase
let wallet: ScriptedWallet
beforeEach(async () => {
  database = await createDatabase()
  wallet = await startScriptedWallet()
})
afterEach(async () => {
  await wallet.stop()
  await database.drop()
})

async function sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  return client
    .query(text, values)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

/** A server that stores secrets of other servers. */
interface Keeper {
  readonly table: string
  readonly id: string
  readonly things: string
  withServer(keys: string, work: (server: Server) => Promise<void>): Promise<void>
}
interface Server {
  save(id: string): Promise<unknown>
  /**
   * Requests a profile from the scripted wallet, which throws at its end if a signature was wrong.
   */
  call(id: string): Promise<unknown>
}

const envOf = (keys: string) => ({ ...(keys !== '' && { PURSER_ENCRYPTION_KEY: keys }) })
const token = 'a-token-of-the-player'

const KEEPERS: Record<string, Keeper> = {
  platform: {
    ...{ table: 'platform.partner', id: 'partner_id', things: 'partners' },
    async withServer(keys, work) {
      const { api, stop } = await startPlatform({ databaseUrl: database.url, env: envOf(keys) })
      const save = (id: string) => api.savePartner(wallet, id)
      await work({ save, call: (id) => api.loadFrame(id, token) }).finally(stop)
    },
  },
  gateway: {
    ...{ table: 'gateway.operator', id: 'operator_id', things: 'operators' },
    async withServer(keys, work) {
      const { api, stop } = await startGateway({ databaseUrl: database.url, env: envOf(keys) })
      const save = (id: string) => api.saveOperator(id, wallet)
      await work({ save, call: (id) => api.exchange(id, token) }).finally(stop)
    },
  },
}

describe.each(Object.entries(KEEPERS))('the secrets of a %s', (_name, { table, id, things, withServer }) => {
  const kept = async () =>
    (await sql(`select secrets::text as secrets from ${table} order by ${id}`)).map((row) => row.secrets)
  const keysIn = async () => (await kept()).map((text) => (JSON.parse(String(text)) as { key?: string }).key)
  const nothing = async () => {}

  test('are unreadable with an encryption key, and never encrypted twice to the same bytes', async () => {
    await withServer(NEW, async ({ save, call }) => {
      await save('one')
      await save('two')
      await call('one')
    })
    const texts = await kept()
    expect(new Set(texts).size).toBe(2)
    for (const text of texts) {
      expect(text).toMatch(/^\{"key":"[0-9a-f]{8}","sealed":"[\w-]+"\}$/)
      expect(text).not.toContain(wallet.secret)
    }
    await withServer(NEW, async ({ call }) => void (await call('two')))
  })

  test('are encrypted at the first start with a key, and still sign', async () => {
    await withServer('', ({ save }) => save('one').then(() => {}))
    expect(await kept()).toEqual([JSON.stringify([wallet.secret])])
    await withServer(NEW, async ({ call }) => void (await call('one')))
    expect(await kept()).toEqual([expect.stringContaining('"sealed"')])
  })

  test('are read with an old key, and encrypted again with the first key', async () => {
    await withServer(OLD, ({ save }) => save('one').then(() => {}))
    const [old] = await keysIn()
    await withServer(`${OLD},${NEW}`, async ({ call }) => void (await call('one')))
    expect(await keysIn()).toEqual([old])
    await withServer(`${NEW},${OLD}`, async ({ call }) => void (await call('one')))
    expect(await keysIn()).not.toContain(old)
    await withServer(NEW, async ({ call }) => void (await call('one')))
  })

  test.each([
    ['another key', newKey()],
    ['no key', ''],
  ])('prevent a start with %s, which names the missing key and changes nothing', async (_what, keys) => {
    await withServer(NEW, ({ save }) => save('one').then(() => {}))
    const before = await kept()
    const [key] = await keysIn()
    await expect(withServer(keys, nothing)).rejects.toThrow(
      new RegExp(`secrets of 1 of 1 ${things} cannot be read.*\\n.*encrypted with the key ${key}`),
    )
    expect(await kept()).toEqual(before)
    await withServer(NEW, async ({ call }) => void (await call('one')))
  })

  test('are not used if they are inserted readable while a key is set, and a start encrypts them', async () => {
    await withServer(NEW, async ({ save, call }) => {
      await save('one')
      const plant = `insert into ${table} (${id}, base_url, secrets, created_at)
        select $1, base_url, $2::json, created_at from ${table} where ${id} = 'one'`
      for (const planted of ['two', 'three']) await sql(plant, [planted, JSON.stringify([wallet.secret])])
      await expect(call('two')).rejects.toThrow('500')
      await save('two')
      await call('two')
    })
    await withServer(NEW, async ({ call }) => void (await call('three')))
  })

  test('prevent a start if a row was changed, or copied from another row', async () => {
    await withServer(NEW, async ({ save }) => {
      await save('one')
      await save('two')
    })
    await sql(`update ${table} set secrets = (select secrets from ${table} where ${id} = 'one') where ${id} = 'two'`)
    await expect(withServer(NEW, nothing)).rejects.toThrow(
      'the secrets of two have been changed, or moved from another row',
    )
  })
})

describe('the encryption key', () => {
  const production = {
    ...{
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://db/x?sslmode=verify-full',
      PARTNER_SECRET: newKey(),
      OPERATOR_API_KEY: newKey(),
    },
    ...{ PLATFORM_API_KEY: newKey(), GATEWAY_API_KEY: newKey() },
  }
  const problemsOf = (env: Record<string, string>, role: 'wallet' | 'platform' | 'gateway' | 'tool') => {
    try {
      return [readConfig(env, PROCESS_ROLES[role])].slice(1)
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }

  test('is required in production by a platform and a gateway only', () => {
    for (const role of ['platform', 'gateway'] as const) {
      expect(problemsOf(production, role)).toEqual([expect.stringMatching(/^PURSER_ENCRYPTION_KEY must be set/)])
      expect(problemsOf({ ...production, PURSER_ENCRYPTION_KEY: `${NEW},${OLD}` }, role)).toEqual([])
    }
    expect([problemsOf(production, 'wallet'), problemsOf(production, 'tool')]).toEqual([[], []])
  })

  test.each([
    ['a word', 'secret'],
    ['a digit too few', NEW.slice(1)],
    ['an empty part', `${NEW},`],
  ])('consists of 64 hexadecimal digits: %s is rejected, and not shown', (_what, key) => {
    const problems = problemsOf({ PURSER_ENCRYPTION_KEY: key, PURSER_DATA_DIR: 'memory://' }, 'platform')
    expect(problems).toEqual([expect.stringMatching(/^PURSER_ENCRYPTION_KEY must be 64 hexadecimal digits/)])
    expect(String(problems)).not.toContain(key)
  })

  test('must differ from other secrets, and from other keys', () => {
    const same = problemsOf({ ...production, PURSER_ENCRYPTION_KEY: production.PLATFORM_API_KEY }, 'platform')
    expect(same).toEqual([expect.stringContaining('PURSER_ENCRYPTION_KEY is the same as PLATFORM_API_KEY')])
    expect(problemsOf({ ...production, PURSER_ENCRYPTION_KEY: `${NEW},${NEW}` }, 'platform')).toHaveLength(1)
  })
})
