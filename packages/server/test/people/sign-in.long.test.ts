/**
 * An address that guesses passwords at the console's sign-in is throttled and locked, and delays no
 * other address (U-4).
 */

import { createLogger } from '@purser/runtime/logger'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { type ConsoleAuth, createConsoleAuth } from '../../src/core/auth/server-auth.ts'
import { findPasswordFault } from '../../src/core/auth/sign-in/password.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const HERE = '203.0.113.7'
const ELSEWHERE = '198.51.100.9'
const author = createCommandActor('purser', 'a test', 'makeConsolePerson')

let wallet: TestWallet
let db: Db
let people: ConsoleAuth
let maria: { name: string; password: string }
let made = 0

beforeAll(async () => {
  wallet = await startWallet()
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  people = createConsoleAuth('wallet', { db, firstKey: '', log: createLogger('silent'), consoleIdleMinutes: 30 })
})
afterAll(async () => {
  await db.close()
  await wallet.stop()
})
beforeEach(async () => {
  const name = `maria-${++made}`
  maria = { name, password: (await people.persons.make(author, name, 'support')) ?? '' }
})

const guess = (address: string, password = 'wrong', name = maria.name) =>
  people.persons.find({ name, password, address, actor: author })

describe('a name at the sign-in', () => {
  test('is locked for the address of five wrong passwords, and can be used from another one', async () => {
    for (let i = 0; i < 5; i++) expect(await guess(ELSEWHERE)).toBeUndefined()
    expect(await guess(ELSEWHERE, maria.password)).toBeUndefined()
    expect(await guess(HERE, maria.password)).toMatchObject({ name: maria.name })
    expect(await guess(ELSEWHERE, maria.password)).toBeUndefined()
    const listed = (await people.persons.list()).find(({ name }) => name === maria.name)
    expect(listed).toMatchObject({ is_locked: true })
  })

  test('can be used everywhere after an admin has set a new password', async () => {
    for (let i = 0; i < 5; i++) await guess(ELSEWHERE)
    const password = await people.persons.reset(author, maria.name)
    expect(await guess(ELSEWHERE, password)).toMatchObject({ name: maria.name })
  })

  test('that no person can have counts as unknown', async () => {
    for (const name of ['with a \0', 'A B', ''])
      expect(await guess(HERE, 'wrong', name), JSON.stringify(name)).toBeUndefined()
  })
})

test.each<[string, string | undefined]>([
  ['a short one', 'must have 12 to 256 characters'],
  ['i am Maria-the-First', 'contains your own name'],
  ['aaaaaaaaaaaa', 'repeats the same few characters'],
  ['Abc123abc123', 'repeats the same few characters'],
  ['the password of before', 'is your current password'],
  ['correct horse battery', undefined],
])('the new password "%s" is answered %s', (password, fault) => {
  expect(findPasswordFault(password, 'maria-the-first', 'the password of before')).toBe(fault)
})

describe('an address at the sign-in', () => {
  test('waits for one hash of each other address, however many guesses these send', async () => {
    const order: string[] = []
    const note = (what: string) => () => void order.push(what)
    const guesses = Array.from({ length: 8 }, (_, i) => guess(ELSEWHERE, 'wrong', 'nobody').then(note(`guess ${i}`)))
    await Promise.all([...guesses, guess(HERE, maria.password).then(note('maria'))])
    expect(order.indexOf('maria'), order.join(', ')).toBeLessThan(3)
  })

  test('with too many guesses is answered as busy, which counts as no attempt, and other addresses are not', async () => {
    const guesses = Array.from({ length: 16 }, () => guess(ELSEWHERE))
    const mine = guess(HERE, maria.password)
    const answers = await Promise.allSettled(guesses)
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(8)
    expect(await mine).toMatchObject({ name: maria.name })
  })
})

describe('the action log of sign-ins', () => {
  const actions = async () => {
    const headers = { authorization: `Bearer ${wallet.operatorKey}` }
    const log = await fetch(`${wallet.url}/operator/actions?limit=20`, { headers })
    return ((await log.json()) as { data: { operation: string; on: { person?: string } }[] }).data.filter(
      ({ on }) => on.person === maria.name,
    )
  }
  const signIn = (body: object, headers = {}) =>
    fetch(`${wallet.url}/console/api/session`, {
      method: 'POST',
      headers: { 'x-purser-console': '1', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('has each sign-in and sign-out, each refusal of a known name, and its lock', async () => {
    for (let i = 0; i < 4; i++) expect((await signIn({ name: maria.name, password: 'wrong' })).status).toBe(401)
    const cookie = ((await signIn(maria)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const out = { method: 'DELETE', headers: { 'x-purser-console': '1', cookie } }
    expect((await fetch(`${wallet.url}/console/api/session`, out)).status).toBe(204)
    for (let i = 0; i < 6; i++) await signIn({ name: maria.name, password: 'wrong' })
    const [lock, ...others] = await actions()
    const refusal = (failures: number) => ({ operation: 'refuseSignIn', key: { name: 'console' }, after: { failures } })
    expect(lock).toMatchObject({ ...refusal(5), after: { failures: 5, lockedUntil: expect.any(String) } })
    const mine = { key: { name: maria.name }, person: maria.name }
    expect(others).toMatchObject([
      ...[4, 3, 2, 1].map(refusal),
      { operation: 'signOut', ...mine },
      { operation: 'signIn', ...mine, after: { signedIn: true, ip: '127.0.0.1' } },
      ...[4, 3, 2, 1].map(refusal),
      { operation: 'makeConsolePerson' },
    ])
    const metrics = await (await fetch(`${wallet.url}/metrics`)).text()
    for (const [outcome, count] of Object.entries({ signed_in: 1, signed_out: 1, refused: 10, locked: 1 }))
      expect(metrics).toContain(`purser_console_sign_ins_total{outcome="${outcome}"} ${count}\n`)
    expect(metrics).toMatch(/purser_api_calls_total\{route="POST \/console\/api\/session",status="401"\} 10/)
  })

  test('has no entry of an unknown name', async () => {
    expect((await signIn({ name: 'nobody', password: 'wrong' })).status).toBe(401)
    expect(await actions()).toHaveLength(1)
  })
})
