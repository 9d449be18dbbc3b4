/**
 * Retention on a running platform keeps the rows that are written while it deletes older ones
 * (O-6).
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addChanges, numberChanges, readChanges } from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { clearOld } from '../../src/platform/platform-retention.ts'
import { PLATFORM_CHANGES } from '../../src/platform/store/platform-change-feed.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const BEFORE = new Date('2026-11-01T00:00:00Z')
const OLD = new Date('2026-10-01T00:00:00Z')
const NEW = new Date('2026-11-22T12:00:00Z')

let database: TestDatabase
let db: Db
beforeEach(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

async function write(name: string, at: Date): Promise<void> {
  await db.transaction((tx) => addChanges(tx, PLATFORM_CHANGES, [[name, 'a-member']], at))
  await numberChanges(db, PLATFORM_CHANGES)
}

test('an event that is numbered while all older events are deleted stays in the feed', async () => {
  await write('old', OLD)
  const snapshot: Db['snapshot'] = async (work) => {
    const read = await db.snapshot(work)
    await write('new', NEW)
    return read
  }
  const { changes } = await clearOld({ ...db, snapshot }, BEFORE, new AbortController().signal)
  expect(changes).toBe(1)
  const left = await readChanges(db, PLATFORM_CHANGES, 0n, 10)
  expect(left.map(({ number, event: [name] }) => [number, name])).toEqual([[2n, 'new']])
})
