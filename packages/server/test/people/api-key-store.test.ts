/**
 * An API key that has ended never works again (W-25), for any order in which two concurrent changes
 * start and commit.
 */
import { EventEmitter, once } from 'node:events'
import { replaceEnvironment } from '@purser/runtime/environment'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { generateApiKey } from '../../src/core/auth/api-key.ts'
import { createApiKeyCache } from '../../src/core/auth/api-key-cache.ts'
import { createKeyStore } from '../../src/core/auth/api-key-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db, Tx } from '../../src/core/database/db.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const store = createKeyStore('purser')
let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/**
 * The result of a transaction that starts, by the database's clock, before another one starts and
 * commits.
 */
function begunBefore<T>(other: (tx: Tx) => Promise<unknown>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await store.live(tx)
    await db.transaction(other)
    return work(tx)
  })
}

const liveOf = async (name: string) => (await store.live(db)).filter((key) => key.name === name)

test('a rotation of an API key that begins before the revocation and ends after it creates no key', async () => {
  await db.transaction((tx) => store.make(tx, { name: 'revoked', role: 'admin' }))
  const rotated = await begunBefore(
    (tx) => store.revoke(tx, 'revoked'),
    (tx) => store.rotate(tx, 'revoked', 3_600),
  )
  expect(rotated).toEqual({ kind: 'ended' })
  expect(await liveOf('revoked')).toEqual([])
})

test('a revocation that begins before a rotation and ends after it ends the new key too, and only after its creation', async () => {
  await db.transaction((tx) => store.make(tx, { name: 'rotated', role: 'admin' }))
  const isRevoked = await begunBefore(
    (tx) => store.rotate(tx, 'rotated', 3_600),
    (tx) => store.revoke(tx, 'rotated'),
  )
  expect(isRevoked).toBe(true)
  expect(await liveOf('rotated')).toEqual([])
  const rows = (await store.list(db, undefined, 10)).filter(({ name }) => name === 'rotated')
  expect(rows).toHaveLength(2)
  for (const { made_at, ends_at } of rows) expect(ends_at?.getTime()).toBeGreaterThanOrEqual(made_at.getTime())
})

test('a revoked API key stops working in this process, although the keys were being read', async () => {
  const made = await db.transaction((tx) => store.make(tx, { name: 'dismissed', role: 'cash' }))
  if (made.kind !== 'made') throw new Error('not made')
  const signals = new EventEmitter()
  const [hasRead, mayAnswer] = [once(signals, 'read'), once(signals, 'answer')]
  const live: typeof store.live = async (reading) => {
    const keys = await store.live(reading)
    signals.emit('read')
    await mayAnswer
    return keys
  }
  const keyring = createApiKeyCache(db, { ...store, live }, 'KEY', '')
  const found = keyring.find(made.key)
  await hasRead
  await db.transaction((tx) => store.revoke(tx, 'dismissed'))
  keyring.invalidate()
  signals.emit('answer')
  expect(await found).toBeUndefined()
  expect(await keyring.find(made.key)).toBeUndefined()
})

test('an API key that another process revoked works for one second at most', async () => {
  const made = await db.transaction((tx) => store.make(tx, { name: 'remembered', role: 'read' }))
  if (made.kind !== 'made') throw new Error('not made')
  let [now, readings] = [100_000, 0]
  const giveBack = replaceEnvironment({ monotonicNow: () => now })
  onTestFinished(giveBack)
  const live: typeof store.live = (reading) => {
    readings += 1
    return store.live(reading)
  }
  const keyring = createApiKeyCache(db, { ...store, live }, 'KEY', '')
  expect(await keyring.find(made.key)).toMatchObject({ keyName: 'remembered' })
  await db.transaction((tx) => store.revoke(tx, 'remembered'))
  now += 1_000
  expect(await keyring.find(made.key)).toMatchObject({ keyName: 'remembered' })
  expect(readings).toBe(1)
  now += 1
  expect(await keyring.find(made.key)).toBeUndefined()
})

test('unknown API keys cost one read in 50 milliseconds, however many arrive together', async () => {
  let [now, readings] = [100_000, 0]
  const waits: number[] = []
  const giveBack = replaceEnvironment({
    monotonicNow: () => now,
    setTimer(milliseconds, run) {
      waits.push(milliseconds)
      now += milliseconds
      setImmediate(run)
      return () => {}
    },
  })
  onTestFinished(giveBack)
  const live: typeof store.live = async () => {
    readings += 1
    return []
  }
  const keyring = createApiKeyCache(db, { ...store, live }, 'KEY', '')
  const unknown = () => Promise.all(Array.from({ length: 20 }, () => keyring.find(generateApiKey())))
  expect(await unknown()).toEqual(Array(20).fill(undefined))
  expect([readings, waits]).toEqual([1, []])
  now += 20
  expect(await unknown()).toEqual(Array(20).fill(undefined))
  expect([readings, waits]).toEqual([2, [30]])
})
