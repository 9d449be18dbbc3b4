/**
 * A user must replace a password that another user has set, and an idle session ends (U-4). Servers
 * record the last use of keys and users (W-25).
 */

import { createLogger } from '@purser/runtime/logger'
import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKeyCache } from '../../src/core/auth/api-key-cache.ts'
import { createKeyStore } from '../../src/core/auth/api-key-store.ts'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { type ConsoleAuth, createConsoleAuth } from '../../src/core/auth/server-auth.ts'
import { createConsoleSessions } from '../../src/core/auth/sign-in/console-session.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { SERVERS } from './servers.ts'

const OURS = { 'x-purser-console': '1' }
const OWN = 'a password of my own'
const author = createCommandActor('purser', 'a test', 'makeConsolePerson')

const WITH_CONSOLE = SERVERS.filter(({ server }) => server !== 'gateway')

describe.each(WITH_CONSOLE)('a session of a $server', ({ server, schema, prefix, list, start }) => {
  let keyed: Awaited<ReturnType<typeof start>>
  let db: Db
  let people: ConsoleAuth
  let client: pg.Client
  beforeAll(async () => {
    keyed = await start()
    client = new pg.Client(keyed.databaseUrl)
    await client.connect()
    db = await openDb({ kind: 'postgres', url: keyed.databaseUrl })
    const deps = { db, firstKey: '', log: createLogger('silent'), consoleIdleMinutes: 30 }
    people = createConsoleAuth(server as 'wallet', deps)
  })
  afterAll(async () => {
    await client.end()
    await db.close()
    await keyed.stop()
  })

  const execute = async (text: string) => (await client.query(text)).rows
  const ago = (minutes: number) => `statement_timestamp() - interval '${minutes} minutes'`
  const ask = (method: string, path: string, cookie: string, body?: object, headers = {}) =>
    fetch(keyed.url + path, {
      method,
      headers: { ...OURS, cookie, ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const cookieOf = (answer: Response) => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const signIn = (as: { name?: string; password?: string; key?: string }) => ask('POST', '/console/api/session', '', as)
  const make = async (name: string) => ({
    name,
    password: (await people.persons.make({ ...author, record: async () => {} }, name, 'admin')) ?? '',
  })
  const listed = async (name: string) => (await people.persons.list()).find((one) => one.name === name)

  test('with a password that another person has set may only change it', async () => {
    const maria = await make('maria')
    const answer = await signIn(maria)
    expect(await answer.json()).toMatchObject({ name: 'maria', mustChange: true })
    const cookie = cookieOf(answer)
    for (const [method, path] of [
      ['GET', list],
      ['GET', '/console/api/people'],
      ['POST', '/console/api/people'],
      ['GET', `${prefix}/keys`],
    ] as const) {
      const refused = await ask(method, path, cookie)
      expect({ path, status: refused.status }).toEqual({ path, status: 403 })
      expect(await refused.json()).toMatchObject({ code: 'password_change_needed' })
    }
    expect(await listed('maria')).toMatchObject({ must_change: true })
    const changed = await ask('POST', '/console/api/password', cookie, { password: maria.password, next: OWN })
    expect(changed.status).toBe(204)
    expect((await ask('GET', list, cookieOf(changed))).status).toBe(200)
    const session = await (await ask('GET', '/console/api/session', cookieOf(changed))).json()
    expect(session).toEqual({ name: 'maria', role: 'admin', isPerson: true })
    expect(await listed('maria')).toMatchObject({ must_change: false })
    const reset = await ask('POST', '/console/api/people/maria/password', cookieOf(changed))
    expect(await (await signIn((await reset.json()) as { password: string })).json()).toMatchObject({
      mustChange: true,
    })
  })

  test('ends when it is idle for the minutes of the setting', async () => {
    const cookie = cookieOf(await signIn({ key: keyed.firstKey }))
    await execute(`update ${schema}.console_session set used_at = ${ago(29)}`)
    expect((await ask('GET', list, cookie)).status).toBe(200)
    await execute(`update ${schema}.console_session set used_at = ${ago(29)} where used_at < ${ago(10)}`)
    expect((await ask('GET', list, cookie)).status, 'the use began the time anew').toBe(200)
    await execute(`update ${schema}.console_session set used_at = ${ago(31)}`)
    expect((await ask('GET', list, cookie)).status).toBe(401)
  })

  test('is not used by a page that polls', async () => {
    const cookie = cookieOf(await signIn({ key: keyed.firstKey }))
    const age = () => execute(`update ${schema}.console_session set used_at = ${ago(29)}`)
    const used = () => execute(`select from ${schema}.console_session where used_at > ${ago(10)}`)
    await age()
    expect((await ask('GET', list, cookie, undefined, { 'x-purser-unattended': '1' })).status).toBe(200)
    expect(await used()).toHaveLength(0)
    expect((await ask('GET', list, cookie)).status).toBe(200)
    expect(await used()).toHaveLength(1)
  })

  const sessionsOf = async (idleMinutes: number, { canWrite = true } = {}) => {
    const store = createKeyStore(schema as 'purser')
    const ring = createApiKeyCache(db, store, 'KEY', 'the first key')
    const writes = { ...db, transaction: () => Promise.reject(new Error('no writes')) } as Db
    const of = (one: Db) => createConsoleSessions(server as 'wallet', schema as 'purser', one, ring, idleMinutes)
    const { token = '' } = (await of(db).begin('the first key')) ?? {}
    const headers = { cookie: `purser_${server}=${token}`, ...OURS }
    const sessions = of(canWrite ? db : writes)
    return (asked?: 'again') => sessions.authenticate({ headers } as unknown as FastifyRequest, asked)
  }
  const wasUsed = async () =>
    (await execute(`select from ${schema}.console_session where used_at > ${ago(0.1)}`)).length

  test('is not used by the check whether a stream may continue', async () => {
    const find = await sessionsOf(30)
    await execute(`update ${schema}.console_session set used_at = ${ago(29)}`)
    expect(await find('again')).toMatchObject({ role: 'admin' })
    expect(await wasUsed()).toBe(0)
    await find()
    expect(await wasUsed()).toBe(1)
  })

  test('with one idle minute continues while it is used', async () => {
    const find = await sessionsOf(1)
    await execute(`update ${schema}.console_session set used_at = ${ago(0.75)}`)
    expect(await find()).toMatchObject({ role: 'admin' })
    expect(await wasUsed()).toBe(1)
  })

  test('continues in use while the database accepts no writes', async () => {
    const find = await sessionsOf(30, { canWrite: false })
    await execute(`update ${schema}.console_session set used_at = ${ago(29)}`)
    expect(await find()).toMatchObject({ role: 'admin' })
    await execute(`update ${schema}.console_session set used_at = ${ago(31)}`)
    expect(await find()).toMatchObject({ role: 'admin' })
  })

  test('updates the last use of its person at the sign-in, and then once a minute', async () => {
    const anna = await make('anna')
    expect(await listed('anna')).toMatchObject({ used_at: null })
    const cookie = cookieOf(await signIn(anna))
    const signedIn = (await listed('anna'))?.used_at
    expect(signedIn).toBeInstanceOf(Date)
    await ask('GET', '/console/api/session', cookie)
    expect((await listed('anna'))?.used_at, 'within the minute').toEqual(signedIn)
    await execute(`update ${schema}.console_session set used_at = ${ago(2)} where person = 'anna'`)
    await ask('GET', '/console/api/session', cookie)
    expect((await listed('anna'))?.used_at?.getTime()).toBeGreaterThan(signedIn?.getTime() ?? 0)
    const boss = cookieOf(await signIn({ key: keyed.firstKey }))
    const { data } = (await (await ask('GET', '/console/api/people', boss)).json()) as { data: { name: string }[] }
    expect(data.find(({ name }) => name === 'anna')).toMatchObject({ lastUsedAt: expect.any(String) })
  })
})

describe.each(SERVERS)('the key list of a $server', ({ prefix, list, start }) => {
  test('shows the last use of a key to the minute', async () => {
    const keyed = await start()
    const { key } = await keyed.asked.must('POST', `${prefix}/keys`, { name: 'robot', role: 'read' })
    const robot = async () => {
      const { data } = await keyed.asked.must('GET', `${prefix}/keys`)
      return (data as { name: string; lastUsedAt?: string }[])[0]
    }
    expect(await robot()).not.toHaveProperty('lastUsedAt')
    const use = () => fetch(keyed.url + list, { headers: { authorization: `Bearer ${key}` } })
    expect((await use()).status).toBe(200)
    await expect.poll(robot).toHaveProperty('lastUsedAt')
    const first = await robot()
    await use()
    expect(await robot()).toEqual(first)
    await keyed.stop()
  })
})
