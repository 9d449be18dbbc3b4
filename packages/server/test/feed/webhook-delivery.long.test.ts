/**
 * A webhook sends events, retries and pauses as documented (W-42). The test scripts the feed and
 * the consumer.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '@purser/runtime/clock'
import type { Logger } from '@purser/runtime/logger'
import { expect, test } from 'vitest'
import type { Feed, FeedAnswer, FeedEvent } from '../../src/core/change-feed/change-feed.ts'
import { startWebhookDelivery, type WebhookDelivery } from '../../src/core/webhooks/webhook-delivery.ts'
import { MAX_CONCURRENT_SENDS, type WebhookSendResult } from '../../src/core/webhooks/webhook-sender.ts'
import type { Webhook } from '../../src/core/webhooks/webhook-store.ts'

const GONE: WebhookSendResult = { kind: 'gone', httpStatus: 410, error: 'answered 410' }
const DELIVERED: WebhookSendResult = { kind: 'delivered', httpStatus: 200 }
const FAILED: WebhookSendResult = { kind: 'failed', error: 'answered 500' }

const WEBHOOK: Webhook = {
  ...{ webhookId: 'hook', url: 'http://127.0.0.1/', events: [], secrets: [], connection: {}, oldSecretsUntil: null },
  state: 'active',
  ...{
    acknowledgedTo: 0n,
    failingSince: null,
    lastError: null,
    lastAttempts: [],
    claim: null,
    heartbeat: 0n,
    madeAt: new Date(0),
  },
}

/** By default the player has the number of the event. */
function eventOf(number: bigint, name = 'made', player = `player-${number}`): FeedEvent {
  return { id: String(number), at: new Date(0), event: [name, player] }
}

const page = (...events: FeedEvent[]): FeedAnswer => ({
  kind: 'page',
  page: { events, next: events.at(-1)?.id ?? '0' },
})

interface Attempt {
  readonly id: string
  answer(sent: WebhookSendResult): void
}

/**
 * Records the reads of the feed and the messages. The feed returns each of `answers` once, and then
 * no events.
 */
function scene(...answers: FeedAnswer[]) {
  return sceneOf({}, answers)
}

function sceneOf(stored: Partial<Webhook>, answers: FeedAnswer[]) {
  const asked: (string | undefined)[] = []
  const attempts: Attempt[] = []
  const warned: unknown[] = []
  const feed: Feed = {
    async poll(after, _limit, _waitMs, ended) {
      asked.push(after)
      const answer = answers.shift()
      if (answer !== undefined) return answer
      await new Promise((resolve) => ended?.addEventListener('abort', resolve))
      return page()
    },
    close() {},
    isFollowed: () => true,
    isClosed: () => false,
  }
  const sender = {
    send: (_url: string, _secrets: readonly string[], { id }: { id: string }) =>
      new Promise<WebhookSendResult>((answer) => attempts.push({ id, answer })),
    close: async () => {},
  }
  const log = { warn: (what: unknown) => void warned.push(what) } as unknown as Logger
  const delivery: WebhookDelivery = startWebhookDelivery(
    {
      ...{ feed, senderTo: () => sender, log, clock: systemClock, random: () => 0 },
      messageOf: ({ id, event: [name] }) => ({ id: `${name} ${id}`, body: '' }),
      subjectOf: ({ event: [, player] }) => String(player),
    },
    { ...WEBHOOK, ...stored },
  )
  return { asked, attempts, delivery, warned }
}

test('status 410 is final, also when a concurrent attempt fails after it', async () => {
  const { attempts, delivery } = scene(page(eventOf(1n), eventOf(2n)))
  await expect.poll(() => attempts.length).toBe(2)
  attempts[0]?.answer(GONE)
  await expect.poll(() => delivery.isGone()).toBe(true)
  attempts[1]?.answer(FAILED)
  await expect.poll(() => delivery.lastAttempts().length).toBe(2)
  expect(delivery.isGone()).toBe(true)
  await delivery.stop()
})

test('events that a reset feed no longer contains are dropped, and new events with their numbers are sent', async () => {
  const { asked, attempts, delivery, warned } = scene(
    page(eventOf(1n), eventOf(2n, 'lost', 'of all'), eventOf(3n, 'lost', 'of all'), eventOf(4n, 'lost')),
    { kind: 'unknown', last: '1' },
    page(eventOf(1n), eventOf(2n, 'new', 'of all'), eventOf(3n, 'new', 'of all')),
  )
  await expect.poll(() => attempts.length).toBe(3)
  await expect.poll(() => delivery.lastError()).toMatch(/^the feed was restored and ends at event 1: events 2 to 4 /)
  expect(warned).toEqual([expect.objectContaining({ webhook: 'hook' })])
  expect(delivery.acknowledgedTo()).toBe(0n)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  // nothing is read again while messages are in flight
  expect([asked, attempts.length]).toEqual([['0', '4'], 3])
  const [kept, first, last] = attempts
  kept?.answer(FAILED)
  first?.answer(FAILED)
  last?.answer(DELIVERED)
  await expect.poll(() => attempts.length).toBe(5)
  expect(asked.slice(0, 3)).toEqual(['0', '4', '0'])
  expect(attempts.slice(3).map(({ id }) => id)).toEqual(['made 1', 'new 2'])
  attempts[3]?.answer(DELIVERED)
  attempts[4]?.answer(DELIVERED)
  await expect.poll(() => attempts.length).toBe(6)
  expect(delivery.acknowledgedTo()).toBe(2n)
  attempts[5]?.answer(DELIVERED)
  await expect.poll(() => delivery.acknowledgedTo()).toBe(3n)
  expect(attempts[5]?.id).toBe('new 3')
  await delivery.stop()
})

test(`at most ${MAX_CONCURRENT_SENDS} messages are in flight, and the next one starts when one ends`, async () => {
  const events = Array.from({ length: MAX_CONCURRENT_SENDS + 2 }, (_, i) => eventOf(BigInt(i + 1)))
  const { attempts, delivery } = scene(page(...events))
  for (let done = 0; done < 2; done++) {
    await expect.poll(() => attempts.length).toBe(MAX_CONCURRENT_SENDS + done)
    for (let turn = 0; turn < 50; turn++) await nextTurn()
    expect(attempts.length).toBe(MAX_CONCURRENT_SENDS + done)
    attempts[done]?.answer(DELIVERED)
  }
  await expect.poll(() => attempts.length).toBe(MAX_CONCURRENT_SENDS + 2)
  for (const { answer } of attempts.slice(2)) answer(DELIVERED)
  await expect.poll(() => delivery.acknowledgedTo()).toBe(BigInt(MAX_CONCURRENT_SENDS + 2))
  await delivery.stop()
})

test('a consumer that requests a pause receives no message before the pause ends', async () => {
  const { attempts, delivery } = scene(page(eventOf(1n)))
  await expect.poll(() => attempts.length).toBe(1)
  const [asked, early] = [1_500, 50]
  const begun = performance.now()
  attempts[0]?.answer({ ...FAILED, retryAfterMs: asked })
  await expect.poll(() => attempts.length, { timeout: 10_000 }).toBe(2)
  expect(performance.now() - begun).toBeGreaterThan(asked - early)
  await delivery.stop()
})

test('events that retention has deleted are skipped, and the log names them', async () => {
  const { attempts, delivery, warned } = scene({ kind: 'too_old', first: '4' }, page(eventOf(5n)))
  await expect.poll(() => attempts.map(({ id }) => id)).toEqual(['made 5'])
  const lastError = 'events 1 to 4 were deleted by retention before they were sent'
  expect([delivery.lastError(), warned]).toEqual([lastError, [{ webhook: 'hook', lastError }]])
  attempts[0]?.answer(DELIVERED)
  await expect.poll(() => delivery.acknowledgedTo()).toBe(5n)
  await delivery.stop()
})

test('a new holder keeps the time of the first failure until an acknowledgement, and tries before it gives up', async () => {
  const failingSince = new Date('2031-05-10T00:00:00Z')
  const { attempts, delivery } = sceneOf({ failingSince }, [page(eventOf(1n))])
  expect([delivery.failingSince(), delivery.hasFailed()]).toEqual([failingSince, false])
  await expect.poll(() => attempts.length).toBe(1)
  // the consumer does not answer
  expect([delivery.failingSince(), delivery.hasFailed()]).toEqual([failingSince, false])
  attempts[0]?.answer(FAILED)
  await expect.poll(() => delivery.hasFailed()).toBe(true)
  expect(delivery.failingSince()).toEqual(failingSince)
  await expect.poll(() => attempts.length, { timeout: 5_000 }).toBe(2)
  attempts[1]?.answer(DELIVERED)
  await expect.poll(() => delivery.acknowledgedTo()).toBe(1n)
  expect([delivery.failingSince(), delivery.hasFailed()]).toEqual([null, false])
  await delivery.stop()
})

test('a failed event that retention has deleted no longer counts as a failure', async () => {
  const { delivery } = sceneOf({ failingSince: new Date(0) }, [{ kind: 'too_old', first: '4' }])
  await expect.poll(() => delivery.acknowledgedTo()).toBe(4n)
  expect(delivery.failingSince()).toBe(null)
  await delivery.stop()
})

test('an event that is never acknowledged keeps its first failure while other events are acknowledged', async () => {
  const failingSince = new Date('2031-05-10T00:00:00Z')
  const events = [eventOf(1n), eventOf(2n), eventOf(3n)]
  const { attempts, delivery } = sceneOf({ failingSince }, [page(...events)])
  await expect.poll(() => attempts.length).toBe(3)
  attempts[1]?.answer(DELIVERED)
  attempts[2]?.answer(FAILED)
  await expect.poll(() => delivery.lastAttempts().length).toBe(2)
  // the time of the third event, which has failed newly
  expect(delivery.failingSince()).not.toEqual(failingSince)
  attempts[0]?.answer(FAILED)
  await expect.poll(() => delivery.lastAttempts().length).toBe(3)
  expect(delivery.failingSince()).toEqual(failingSince)
  await expect.poll(() => attempts.length, { timeout: 5_000 }).toBe(5)
  for (const { answer } of attempts.slice(3)) answer(DELIVERED)
  await expect.poll(() => delivery.failingSince()).toBe(null)
  await delivery.stop()
})
