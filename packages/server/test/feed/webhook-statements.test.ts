/**
 * The transaction that saves a webhook waits for each of its SQL statements before its COMMIT
 * (W-42, O-4).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '@purser/runtime/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db, Tx } from '../../src/core/database/db.ts'
import { createEncryptionKeyring } from '../../src/core/database/encryption/encryption-keyring.ts'
import type { Routes } from '../../src/core/http/api/route-description.ts'
import { addWebhookRoutes, type WebhookDeps } from '../../src/core/webhooks/webhook-routes.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

type Put = (request: object, reply: object) => Promise<unknown>

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

/** The handler of PUT on this database. */
function putOf(transaction: Db['transaction']): Put {
  let put: Put | undefined
  const none = () => {}
  const api = {
    get: none,
    post: none,
    delete: none,
    put: (_path: string, _shape: object, handler: Put) => (put = handler),
  }
  const deps = {
    ...{ db: { ...db, transaction }, clock: systemClock, keyring: createEncryptionKeyring([]) },
    feed: { poll: async () => ({ kind: 'page', page: { events: [], next: '0' } }) },
    actions: { actorOf: () => createCommandActor('purser', 'test', 'saveWebhook') },
    reach: { privateAddresses: true, plainHttp: true },
  } as unknown as WebhookDeps
  addWebhookRoutes(api as unknown as Routes, deps, { key: 'operatorKey', tag: 'Webhooks', events: [] })
  if (put === undefined) throw new Error('no route saves a webhook')
  return put
}

test.each(['save_webhook', 'purser_insert_action'])('a webhook is not saved before %s has completed', async (name) => {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let isHeld = false
  const holding = (tx: Tx): Tx => ({
    ...tx,
    async execute(statement, values) {
      const rows = await tx.execute(statement, values)
      if (statement.name !== name) return rows
      isHeld = true
      await finished
      return rows
    },
  })
  let isWorkDone = false
  const put = putOf((work) =>
    db.transaction(async (tx) => {
      const result = await work(holding(tx))
      isWorkDone = true
      return result
    }),
  )
  const request = { params: { webhookId: name }, body: { url: 'http://127.0.0.1:1/hook' } }
  const reply = { code: () => ({ send: () => {} }) }
  const answered = put(request, reply)
  await expect.poll(() => isHeld).toBe(true)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  expect(isWorkDone).toBe(false)
  finish()
  await answered
  expect(isWorkDone).toBe(true)
})
