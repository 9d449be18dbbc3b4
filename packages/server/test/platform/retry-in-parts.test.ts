/**
 * The view of a bulk retry (C-16) stays consistent, although several SQL statements read it and
 * deliveries are answered between the statements.
 */

import { createDeferred } from '@purser/runtime/async/deferred'
import { expect, test } from 'vitest'
import type { Db } from '../../src/core/database/db.ts'
import { getRetry } from '../../src/platform/api/deliveries/bulk-retries.ts'
import { refusal } from '../support/scripted-wallet.ts'
import { type Scene, sceneWithDb } from './scene.ts'

let scene: Scene
let db: Db
sceneWithDb((...begun) => {
  ;[scene, db] = begun
})

/**
 * A database that runs `between` after the list of a retry is read and before its states are
 * counted, if the list is read first.
 */
function answeredAfterTheList(between: () => Promise<void>): Db {
  let list: Promise<unknown> | undefined
  const query: Db['userQueries']['query'] = (statement, values) => {
    const rows = db.userQueries.query(statement, values)
    if (statement.name === 'platform_list_retried') list = rows
    return rows as ReturnType<typeof db.userQueries.query<never>>
  }
  const sums: Db['reportSnapshot'] = async (work) => {
    if (list !== undefined) await list.then(between)
    return db.reportSnapshot(work)
  }
  return { ...db, userQueries: { query }, reportSnapshot: sums }
}

test('a bulk retry lists every delivery as finished when it counts none as pending', async () => {
  const { betId } = await scene.api.place(scene.frame, {})
  const { promise: hold, resolve: answer } = createDeferred()
  scene.wallet.next('settle', refusal(20), { hold })
  await scene.api.settle(betId, 'won', '21.00')
  await scene.time.settle()
  const { body } = await scene.api.request('POST', '/deliveries/retry', { partnerId: scene.partnerId, code: 20 })
  const { retryId } = body as { retryId: string }
  const clock = { now: () => scene.time.now() }
  await expect.poll(() => scene.wallet.heldCalls()).toBe(1)
  const answered = answeredAfterTheList(async () => {
    answer()
    await scene.time.settle()
  })
  const { states, data } = await getRetry({ db: answered, clock }, retryId, {})
  expect(data).toHaveLength(1)
  if (states?.pending === undefined) expect(data).toMatchObject([{ status: 'done' }])
  answer()
  await scene.time.settle()
  expect(await getRetry({ db, clock }, retryId, {})).toMatchObject({ states: { done: 1 }, data: [{ status: 'done' }] })
})
