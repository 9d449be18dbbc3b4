/**
 * When a password changes during a sign-in, the old password gives no lasting session. A full queue
 * of password checks locks no user out (U-4).
 */

import { createLogger } from '@purser/runtime/logger'
import { createCommandActor } from 'purser/core/auth/audit-log/audit-log'
import { AUTH_SETTINGS } from 'purser/core/auth/auth-settings'
import { type ConsoleAuth, createConsoleAuth } from 'purser/core/auth/server-auth'
import { openDb } from 'purser/core/database/database-factory'
import type { Db } from 'purser/core/database/db'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlatform } from '../../server/test/support/platform.ts'
import { startWallet } from '../../server/test/support/wallet.ts'

interface Server {
  readonly url: string
  readonly databaseUrl: string
  stop(): Promise<void>
}
const SERVERS: [server: 'wallet' | 'platform', start: () => Promise<Server>][] = [
  ['wallet', startWallet],
  ['platform', startPlatform],
]
const MINE = 'a password of my own'
/** MAX_WAITING_PER_ADDRESS of password-queue.ts. */
const MAX_WAITING = 8

describe.each(SERVERS)('a person of the %s', (server, start) => {
  const author = () => createCommandActor(AUTH_SETTINGS[server].schema, 'a test', 'test', { person: 'the admin' })
  let running: Server
  let db: Db
  let people: ConsoleAuth
  let maria: { name: string; password: string }
  let made = 0

  beforeAll(async () => {
    running = await start()
    db = await openDb({ kind: 'postgres', url: running.databaseUrl })
    people = createConsoleAuth(server, { db, firstKey: '', log: createLogger('silent'), consoleIdleMinutes: 30 })
  })
  afterAll(async () => {
    await db.close()
    await running.stop()
  })
  beforeEach(async () => {
    const name = `maria-${++made}`
    maria = { name, password: (await people.persons.make(author(), name, 'admin')) ?? '' }
  })

  const guess = (name: string, password: string) => ({ name, password, address: '203.0.113.7', actor: author() })
  const found = async ({ name, password } = maria) => {
    const known = await people.persons.find(guess(name, password))
    if (known === undefined) throw new Error('the password is not taken')
    return known
  }
  /** True if the server accepts the session. */
  const opens = async (begun: { token: string } | undefined) => {
    const headers = { 'x-purser-console': '1', cookie: `purser_${server}=${begun?.token}` }
    return (await fetch(`${running.url}/console/api/session`, { headers })).status === 200
  }

  test('gets a session for each sign-in with the right password', async () => {
    expect(await opens(await people.sessions.beginForUser(await found()))).toBe(true)
    expect(await opens(await people.sessions.beginForUser(await found()))).toBe(true)
  })

  test('gets no session with a password that was reset after its check', async () => {
    const known = await found()
    const earlier = await people.sessions.beginForUser(known)
    await people.persons.reset(author(), maria.name)
    expect(await opens(await people.sessions.beginForUser(known))).toBe(false)
    expect(await opens(earlier)).toBe(false)
  })

  test('gets no session after the account has ended', async () => {
    const known = await found()
    await people.persons.end(author(), maria.name)
    expect(await opens(await people.sessions.beginForUser(known))).toBe(false)
  })

  test('cannot change a password that was reset after the check of the old one', async () => {
    const known = await found()
    const password = (await people.persons.reset(author(), maria.name)) ?? ''
    await people.persons.change(author(), known, MINE)
    expect(await people.persons.find(guess(maria.name, MINE))).toBeUndefined()
    await found({ name: maria.name, password })
  })

  test('keeps the session that began with the changed password', async () => {
    const changed = await people.persons.change(author(), await found(), MINE)
    expect(changed && (await opens(await people.sessions.beginForUser(changed)))).toBe(true)
    await found({ name: maria.name, password: MINE })
  })

  test('is not locked by passwords that were never checked', async () => {
    const unknownPerson = guess('a-stranger', 'wrong')
    const line = Array.from({ length: MAX_WAITING }, () => people.persons.find(unknownPerson))
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => found()))
    await Promise.all(line)
    expect(attempts.map((attempt) => attempt.status === 'rejected' && attempt.reason.code)).toEqual(
      Array(6).fill('busy'),
    )
    await found()
  })
})
