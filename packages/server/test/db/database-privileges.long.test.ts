/**
 * Each server needs exactly its documented database privileges. A server that lacks one does not
 * start, and a running server that loses one is no longer ready. Both name the privilege.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import {
  findMissingPrivileges,
  formatGrants,
  formatGrantTarget,
  PRIVILEGES,
  requirePrivileges,
  type ServerKind,
} from '../../src/core/database/schema/database-privileges.ts'
import { DROP_EVERY_SCHEMA, run } from '../cli/command.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'

const SERVERS = ['wallet', 'platform', 'gateway'] as const
const START = { wallet: startWallet, platform: startPlatform, gateway: startGateway } as const
const roleOf = (server: ServerKind) => new URL(asServer(server, inject('postgresUrl'))).username

let database: TestDatabase
let owner: pg.Client

beforeAll(async () => {
  database = await createDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})

async function asRole<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await openDb({ kind: 'postgres', url })
  return work(db).finally(() => db.close())
}

function actionsOf(server: ServerKind): string {
  return Object.keys(PRIVILEGES[server]).find((name) => name.endsWith('.action')) ?? ''
}

describe.each(SERVERS)('the role of a %s', (server) => {
  const role = roleOf(server)
  afterEach(() => owner.query(formatGrants(server, role)))

  test('has exactly its rights: it cannot delete, and cannot change rows that are written once', async () => {
    await owner.query('select purser.rotate_journal(), gateway.rotate_journal()')
    const has = `select n.nspname || '.' || c.relname as name, array(
        select r from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger', 'references']) r
        where has_table_privilege('${role}', c.oid, r)) || array(
        select format('%s (%s)', r, attname) from unnest(array['select', 'insert', 'update', 'references']) r, pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped
          and has_column_privilege('${role}', c.oid, attnum, r) and not has_table_privilege('${role}', c.oid, r)) as rights
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind in ('r', 'p', 'S') and nspname in ('purser', 'platform', 'gateway')
      union all
      select n.nspname || '.' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')', array(
        select 'execute' where has_function_privilege('${role}', p.oid, 'execute'))
      from pg_proc p join pg_namespace n on n.oid = pronamespace where nspname in ('purser', 'platform', 'gateway')`
    const { rows } = await owner.query<{ name: string; rights: string[] }>(has)
    const some = rows.filter(({ rights }) => rights.length > 0).map(({ name, rights }) => [name, rights])
    expect(Object.fromEntries(some)).toEqual(PRIVILEGES[server])
  })

  test('can add to its audit log and read it, and has no other right on it (O-4)', async () => {
    const table = actionsOf(server)
    const client = new pg.Client({ connectionString: asServer(server, database.url) })
    await client.connect()
    await client.query(
      `insert into ${table} (subject, at, request_id, operation, ids, key_name, key_hash, before, after)
       values ('alice', now(), 'request-1', 'changePlayer', '{}', 'KEY', 'hash', '{}', '{}')`,
    )
    for (const change of [`update ${table} set person = 'mallory'`, `delete from ${table}`, `truncate ${table}`])
      await expect(client.query(change)).rejects.toThrow('permission denied')
    expect((await client.query(`select person from ${table}`)).rows).toEqual([{ person: null }])
    await client.end()
  })

  test('is reported with each missing right and the GRANT that adds it', async () => {
    await asRole(asServer(server, database.url), async (db) => {
      for (const [table, rights] of Object.entries(PRIVILEGES[server])) {
        for (const right of rights) {
          await owner.query(`revoke ${right} on ${formatGrantTarget(table)} from ${role}`)
          const grant = `grant ${right} on ${formatGrantTarget(table)} to ${role};`
          expect(await findMissingPrivileges(db, server)).toEqual([grant])
          await owner.query(grant)
          expect(await findMissingPrivileges(db, server)).toEqual([])
        }
      }
    })
  })

  test('does not start without one of its rights, also without access to the schema', async () => {
    const start = () => START[server]({ databaseUrl: database.url })
    const table = actionsOf(server)
    for (const right of [`insert on ${table}`, 'usage on schema purser', 'select on purser.migration']) {
      await owner.query(`revoke ${right} from ${role}`)
      await expect(start()).rejects.toThrow(`grant ${right} to ${role};`)
      await owner.query(formatGrants(server, role))
    }
    await (await start()).stop()
  })

  test('is not ready while a right is missing, and the answer names the right', async () => {
    const running = await START[server]({ databaseUrl: database.url })
    const ready = async () => {
      const reply = await fetch(`${running.url}/readyz`)
      return { status: reply.status, ...((await reply.json()) as object) }
    }
    const table = actionsOf(server)
    expect(await ready()).toEqual({ status: 'ready' })
    await owner.query(`revoke insert on ${table} from ${role}`)
    // The readiness result is cached briefly (http-app.ts).
    const missing = [`grant insert on ${table} to ${role};`]
    await expect.poll(ready).toEqual({ status: 'rights are missing', missing })
    await owner.query(formatGrants(server, role))
    await expect.poll(ready).toEqual({ status: 'ready' })
    await running.stop()
  })
})

describe('the owner of a schema', () => {
  const name = `o_${randomBytes(6).toString('hex')}`
  let ownersUrl: string
  let empty: TestDatabase

  beforeAll(async () => {
    empty = await createDatabase()
    const { password } = new URL(empty.url)
    const admin = new pg.Client({ connectionString: empty.url })
    await admin.connect()
    await admin.query(DROP_EVERY_SCHEMA)
    await admin.query(`create role ${name} login password '${password}'`)
    await admin.query(`alter database ${new URL(empty.url).pathname.slice(1)} owner to ${name}`)
    await admin.end()
    ownersUrl = Object.assign(new URL(empty.url), { username: name }).href
  })
  afterAll(async () => {
    await empty.drop()
    await owner.query(`drop role ${name}`)
  })

  test('creates it and grants the servers their rights with one command, which a server names before that', async () => {
    await expect(startWallet({ databaseUrl: empty.url })).rejects.toThrow('run purser migrate as its owner')
    const roles = SERVERS.map((server) => `${server}=${roleOf(server)}`)
    expect(await run(['migrate', '--grant', ...roles], { DATABASE_URL: ownersUrl })).toMatchObject({
      code: 0,
      stderr: '',
    })
    const wallet = await startWallet({ databaseUrl: empty.url, env: { PURSER_MIGRATE: 'never' } })
    const player = await playerWithMoney(wallet.operator)
    const bet = { ...player, amount: 10, transactionId: 'a-bet-of-the-owner' }
    expect(await wallet.wire.place(bet)).toMatchObject({ status: 200 })
    expect(await wallet.wire.settle({ ...bet, amount: 20, resultType: 'won' })).toMatchObject({ status: 200 })
    await wallet.auditIsClean()
    await wallet.stop()
    for (const server of ['platform', 'gateway'] as const)
      await (await START[server]({ databaseUrl: empty.url })).stop()
  })

  test('adds a table later, which the servers can use at once', async () => {
    const client = new pg.Client({ connectionString: ownersUrl })
    await client.connect()
    await client.query('create table purser.later (number integer); insert into purser.later values (1)')
    await client.end()
    const wallet = new pg.Client({ connectionString: asServer('wallet', empty.url) })
    await wallet.connect()
    expect((await wallet.query('update purser.later set number = 2')).rowCount).toBe(1)
    await expect(wallet.query('delete from purser.later')).rejects.toThrow('permission denied')
    await wallet.end()
  })

  test('gets the same rights as SQL for manual use', async () => {
    const { code, stdout } = await run(['grants', 'wallet', 'My Wallet'])
    expect(code).toBe(0)
    expect(stdout).toBe(`${formatGrants('wallet', 'My Wallet')}\n`)
    expect(stdout).toContain('grant select, insert on purser.transfer to "My Wallet";')
  })

  test.each(['bank=x', 'wallet', 'wallet='])('gets an error about --grant %s', async (grant) => {
    const { code, stderr } = await run(['migrate', '--grant', grant], { DATABASE_URL: ownersUrl })
    expect(code).toBe(2)
    expect(stderr).toContain('wallet=purser_wallet')
  })
})

test('the embedded database and an owner of everything lack no right', async () => {
  const memory = await openDb({ kind: 'pglite', dataDir: 'memory://' })
  for (const server of SERVERS) await requirePrivileges(memory, server)
  await memory.close()
})
