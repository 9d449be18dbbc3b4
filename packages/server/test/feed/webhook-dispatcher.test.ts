/**
 * One process holds the lease of a webhook and sends the webhook's events. It records its position
 * in the feed before it releases the lease (W-42).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '@purser/runtime/clock'
import { environment, replaceEnvironment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Feed, FeedAnswer, FeedEvent } from '../../src/core/change-feed/change-feed.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createEncryptionKeyring } from '../../src/core/database/encryption/encryption-keyring.ts'
import { startWebhookDispatcher, type WebhookDispatcher } from '../../src/core/webhooks/webhook-dispatcher.ts'
import type { WebhookSendResult } from '../../src/core/webhooks/webhook-sender.ts'
import { listWebhooks, saveWebhook } from '../../src/core/webhooks/webhook-store.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const DELIVERED: WebhookSendResult = { kind: 'delivered', httpStatus: 200 }
/** Milliseconds between two polls, and the duration of a poll here. */
const [LOOK_MS, HERE_MS] = [500, 5]
const keyring = createEncryptionKeyring([])

let database: TestDatabase
let db: Db
let giveBack = () => {}
beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  const { setTimer } = environment
  giveBack = replaceEnvironment({ setTimer: (ms, run) => setTimer(ms === LOOK_MS ? HERE_MS : ms, run) })
  await db.transaction((tx) =>
    saveWebhook(tx, keyring, {
      ...{
        webhookId: 'hook',
        url: 'http://127.0.0.1/',
        events: [],
        secrets: [],
        connection: {},
        oldSecretsUntil: null,
      },
      state: 'active',
      ...{ acknowledgedTo: 0n, madeAt: new Date(0) },
    }),
  )
})
afterEach(() => giveBack())

const stored = async () => (await listWebhooks(db, keyring))[0]

/** Two events of two players, then none. */
function twoEvents(): Feed {
  const event = (number: number): FeedEvent => ({
    id: `${number}`,
    at: new Date(0),
    event: ['made', `player-${number}`],
  })
  const page = (events: FeedEvent[]): FeedAnswer => ({ kind: 'page', page: { events, next: '2' } })
  return {
    async poll(after, _limit, _waitMs, ended) {
      if (after === '0') return page([event(1), event(2)])
      await new Promise((resolve) => ended?.addEventListener('abort', resolve))
      return page([])
    },
    ...{ close() {}, isFollowed: () => true, isClosed: () => false },
  }
}

/** `before` runs in each transaction, before its statements. */
function start(before: () => Promise<void> = async () => {}) {
  const attempts: ((sent: WebhookSendResult) => void)[] = []
  const [warned, errors]: [string[], string[]] = [[], []]
  const seen = { transactions: 0, open: 0 }
  const transaction: Db['transaction'] = async (work) => {
    seen.transactions += 1
    seen.open += 1
    try {
      await before()
      return await db.transaction(work)
    } finally {
      seen.open -= 1
    }
  }
  const into = (texts: string[]) => (_what: unknown, text: string) => void texts.push(text)
  const log = { warn: into(warned), error: into(errors) } as unknown as Logger
  const dispatcher: WebhookDispatcher = startWebhookDispatcher({
    ...{ db: { ...db, transaction }, keyring, log, clock: systemClock, random: () => 0, feed: twoEvents() },
    senderTo: () => ({ send: () => new Promise((answer) => attempts.push(answer)), close: async () => {} }),
    messageOf: ({ id }) => ({ id, body: '' }),
    subjectOf: ({ event: [, player] }) => String(player),
  })
  onTestFinished(() => dispatcher.stop())
  return { attempts, dispatcher, seen, warned, errors }
}

/** A transaction waits here until `letGo` is called. */
function gate() {
  let letGo = () => {}
  const opened = new Promise<void>((resolve) => {
    letGo = resolve
  })
  return { opened, letGo }
}

test('stop waits for the calls in flight, records what they acknowledged, and releases the webhook', async () => {
  const { attempts, dispatcher, seen, warned, errors } = start()
  await expect.poll(() => attempts.length).toBe(2)
  expect((await stored())?.claim).not.toBeNull()
  const stopped = dispatcher.stop()
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  for (const answer of attempts) answer(DELIVERED)
  await stopped
  expect(seen.open).toBe(0)
  expect([...warned, ...errors]).toEqual([])
  expect(await stored()).toMatchObject({
    claim: null,
    acknowledgedTo: 2n,
    lastAttempts: [{ event: '2' }, { event: '1' }],
  })
})

test('stop waits for a claim in progress and releases its webhook too', async () => {
  const { opened, letGo } = gate()
  const { attempts, dispatcher, seen } = start(() => opened)
  await expect.poll(() => seen.open).toBe(1)
  const stopped = dispatcher.stop()
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  letGo()
  await expect.poll(() => attempts.length).toBe(2)
  for (const answer of attempts) answer(DELIVERED)
  await stopped
  const { transactions } = seen
  expect([seen.open, (await stored())?.claim]).toEqual([0, null])
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  expect(seen.transactions).toBe(transactions)
})

test('one transaction at a time claims webhooks and records acknowledgements', async () => {
  let most = 0
  const scene = start(async () => {
    most = Math.max(most, scene.seen.open)
    await nextTurn()
  })
  await expect.poll(() => scene.seen.transactions).toBeGreaterThan(5)
  for (const answer of scene.attempts) answer(DELIVERED)
  await scene.dispatcher.stop()
  expect(most).toBe(1)
})

test('a failing database is retried: the log reports it once, and the webhook is claimed and kept afterwards', async () => {
  let fails = true
  const { attempts, dispatcher, seen, warned } = start(async () => {
    if (fails) throw new Error('not there')
  })
  await expect.poll(() => seen.transactions).toBeGreaterThan(2)
  expect(warned).toEqual(['webhooks could not be read'])
  fails = false
  await expect.poll(() => attempts.length).toBe(2)
  fails = true
  const { transactions } = seen
  await expect.poll(() => seen.transactions).toBeGreaterThan(transactions + 2)
  expect(warned).toHaveLength(2)
  fails = false
  for (const answer of attempts) answer(DELIVERED)
  await expect.poll(async () => (await stored())?.acknowledgedTo).toBe(2n)
  await dispatcher.stop()
})
