/**
 * Delivery of events to one webhook, by the process that holds the webhook's claim.
 *
 * The events of a player are sent in order; events of different players are sent concurrently. If
 * the process dies, the next holder sends the unacknowledged events again, with the same ids.
 *
 * States of an event:
 * - read: not selected by the webhook → done; selected → queued
 * - queued: the player's earlier events are done → sent
 * - sent: 2xx → done; any other result → in backoff
 * - in backoff: its time has passed → sent
 */
import { setMaxListeners } from 'node:events'
import { sleep } from '@purser/runtime/async/sleep'
import { withTimeout } from '@purser/runtime/async/timeouts'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import type { Feed, FeedEvent } from '../change-feed/change-feed.ts'
import { MAX_CONCURRENT_SENDS, type WebhookSender, type WebhookSendResult } from './webhook-sender.ts'
import { selectActiveSecrets, type WebhookMessage } from './webhook-signature.ts'
import { MAX_STORED_ATTEMPTS, type Webhook, type WebhookAttempt } from './webhook-store.ts'

const MAX_UNACKNOWLEDGED = 1_000
/** Events that are read ahead of the last acknowledged one, and may be sent again after a crash. */
const MAX_LOOKAHEAD = 10_000n
const PAGE_EVENTS = 500
const WAIT_MS = 20_000
/** Milliseconds before the second attempt; doubled for each further one, up to MAX_BACKOFF_MS. */
const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 300_000
/** Consecutive failures. While the circuit breaker is open, one message at a time is sent. */
const CIRCUIT_OPENS_AFTER = 5

export interface WebhookDeliveryDeps {
  readonly feed: Feed
  senderTo(webhook: Pick<Webhook, 'connection'>): WebhookSender
  readonly clock: Clock
  readonly log: Logger
  messageOf(event: FeedEvent): WebhookMessage
  /** Returns the key of an event; events with the same key stay in order. */
  subjectOf(event: FeedEvent): string
  /** From 0 to 1; spreads the retries. */
  readonly random: () => number
}

export interface WebhookDelivery {
  /** All events up to this number are acknowledged. */
  acknowledgedTo(): bigint
  /**
   * Time of the first failure of the events that are not acknowledged, perhaps at an earlier
   * holder; null without a failure.
   */
  failingSince(): Date | null
  /**
   * True after a failure at this holder. An earlier holder's failures do not count, because the
   * consumer may have recovered.
   */
  hasFailed(): boolean
  lastError(): string | null
  /** Newest first. */
  lastAttempts(): readonly WebhookAttempt[]
  /** True after a 410. */
  isGone(): boolean
  /** Ends the delivery; waits up to GRACE_MS for running attempts. */
  stop(): Promise<void>
}

interface DeliveryState {
  /** The number after which the delivery began, or to which it was rewound. */
  begun: bigint
  /** The number of the last event that was read. */
  readTo: bigint
  /** Unacknowledged events in the order of reading, with the start of their failures or null. */
  readonly pending: Map<bigint, Date | null>
  /** The delivery of each player's last event, by player. */
  readonly chains: Map<string, Promise<void>>
  /** Ends all sending after a rewind of the feed. */
  round: AbortController
  /** Monotonic time; the consumer asked for no message earlier. */
  notBefore: number
  /** Consecutive. */
  failures: number
  /** The start of failures before this holder or a rewind, until an event is acknowledged. */
  carriedFailure: Date | null
  lastError: string | null
  lastAttempts: readonly WebhookAttempt[]
  isGone: boolean
  stopAll(): void
}

export function startWebhookDelivery(deps: WebhookDeliveryDeps, webhook: Webhook): WebhookDelivery {
  const { feed } = deps
  const sender = deps.senderTo(webhook)
  const ended = new AbortController()
  const end = () => {
    ended.abort()
    state.round.abort()
  }
  const state: DeliveryState = {
    ...{ begun: webhook.acknowledgedTo, readTo: webhook.acknowledgedTo, pending: new Map(), chains: new Map() },
    ...{ round: newRound(), notBefore: 0, failures: 0, isGone: false, stopAll: end },
    ...{ carriedFailure: webhook.failingSince, lastError: webhook.lastError, lastAttempts: webhook.lastAttempts },
  }
  const semaphore = createSemaphore(MAX_CONCURRENT_SENDS)

  const take = (event: FeedEvent) => {
    const number = BigInt(event.id)
    state.readTo = number
    if (webhook.events.length > 0 && !webhook.events.includes(event.event[0])) return
    const { pending, chains, round } = state
    pending.set(number, null)
    const subject = deps.subjectOf(event)
    const attempt = () => attemptDelivery(deps, sender, webhook, state, number, event)
    const deliver = () => retryUntilDelivered(deps.random, state, semaphore, round.signal, attempt)
    const chain = (chains.get(subject) ?? Promise.resolve()).then(deliver)
    chains.set(subject, chain)
    void chain.then(() => {
      if (chains.get(subject) === chain) chains.delete(subject)
    })
  }

  const read = async () => {
    while (!ended.signal.aborted && !feed.isClosed()) {
      const { readTo, pending } = state
      if (pending.size >= MAX_UNACKNOWLEDGED || readTo - findAcknowledged(state) >= MAX_LOOKAHEAD)
        await sleep(ROOM_POLL_MS, ended.signal)
      else {
        const answer = await feed.poll(String(readTo), PAGE_EVENTS, WAIT_MS, ended.signal).catch(() => undefined)
        if (answer?.kind === 'page') for (const event of answer.page.events) take(event)
        else if (answer?.kind === 'too_old') {
          state.lastError = `events ${readTo + 1n} to ${answer.first} were deleted by retention before they were sent`
          state.readTo = BigInt(answer.first)
          // The log keeps this: the next success clears lastError, and these events are never sent.
          deps.log.warn({ webhook: webhook.webhookId, lastError: state.lastError }, 'a webhook has missed events')
        } else if (answer?.kind === 'unknown') {
          await rewindDelivery(BigInt(answer.last), state, deps, webhook)
          if (ended.signal.aborted) end()
        } else await sleep(INITIAL_BACKOFF_MS, ended.signal)
      }
    }
  }
  const reading = read()
  return {
    acknowledgedTo: () => findAcknowledged(state),
    failingSince: () => findFailingSince(state),
    hasFailed: () => findFirstFailure(state) !== null,
    lastError: () => state.lastError,
    lastAttempts: () => state.lastAttempts,
    isGone: () => state.isGone,
    async stop() {
      end()
      await withTimeout<unknown>(Promise.all([reading, ...state.chains.values()]), GRACE_MS, () => undefined)
      void sender.close() // a running message ends by its own limit; the claim is released earlier
    },
  }
}

function findAcknowledged({ pending, readTo }: DeliveryState): bigint {
  const [first] = pending.keys()
  return first === undefined ? readTo : first - 1n
}

/** While an attempt hangs, the carried failure counts, unless an event was acknowledged. */
function findFailingSince(state: DeliveryState): Date | null {
  return findFirstFailure(state) ?? (findAcknowledged(state) === state.begun ? state.carriedFailure : null)
}

/** An earlier holder's failure concerns the first event only. */
function findCarriedFailure({ pending, carriedFailure }: DeliveryState, number: bigint): Date | null {
  const [first] = pending.keys()
  return first === number ? carriedFailure : null
}

function findFirstFailure({ pending }: DeliveryState): Date | null {
  return [...pending.values()].find((since) => since !== null) ?? null
}

function newRound(): AbortController {
  const round = new AbortController()
  setMaxListeners(0, round.signal) // each event that waits for its next attempt adds a listener
  return round
}

/**
 * Follows a feed that was restored to an earlier state, by a failover to a standby without the
 * newest events.
 *
 * Events after the end of the feed are dropped, because other events will get their numbers. The
 * rest is read and sent again after all running attempts have ended, so the order of a player's
 * events stays.
 */
async function rewindDelivery(
  last: bigint,
  state: DeliveryState,
  { log }: WebhookDeliveryDeps,
  { webhookId }: Webhook,
): Promise<void> {
  const { pending, chains, round } = state
  state.lastError = `the feed was restored and ends at event ${last}: events ${last + 1n} to ${state.readTo} no longer exist`
  log.warn(
    { webhook: webhookId, lastError: state.lastError },
    'the feed was restored to an earlier event, and its webhook follows',
  )
  for (const number of [...pending.keys()]) if (number > last) pending.delete(number)
  state.readTo = last
  round.abort()
  await Promise.all(chains.values())
  state.readTo = findAcknowledged(state)
  state.begun = state.readTo
  state.carriedFailure = findFirstFailure(state) ?? state.carriedFailure
  pending.clear()
  state.round = newRound()
}

/** With an open circuit breaker an event keeps the only slot between its attempts. */
async function retryUntilDelivered(
  random: () => number,
  state: DeliveryState,
  semaphore: ReturnType<typeof createSemaphore>,
  ended: AbortSignal,
  attempt: () => Promise<boolean>,
): Promise<void> {
  const readRetryAfterMs = () => state.notBefore - environment.monotonicNow()
  for (let tries = 0; !ended.aborted; tries++) {
    while (readRetryAfterMs() > 0 && !ended.aborted) await sleep(readRetryAfterMs(), ended)
    const wait = computeBackoffMs(tries, random())
    const isDone = await semaphore.use(
      () => (state.failures >= CIRCUIT_OPENS_AFTER ? 1 : MAX_CONCURRENT_SENDS),
      async () => {
        if (ended.aborted || (await attempt())) return true
        if (state.failures >= CIRCUIT_OPENS_AFTER) await sleep(Math.max(wait, readRetryAfterMs()), ended)
        return false
      },
    )
    if (isDone) return
    if (state.failures < CIRCUIT_OPENS_AFTER) await sleep(wait, ended)
  }
}

async function attemptDelivery(
  { clock, messageOf }: WebhookDeliveryDeps,
  sender: WebhookSender,
  webhook: Webhook,
  state: DeliveryState,
  number: bigint,
  event: FeedEvent,
): Promise<boolean> {
  const send = async () =>
    sender.send(webhook.url, selectActiveSecrets(webhook, clock.now()), messageOf(event), clock.now())
  const begun = { at: clock.now().toISOString(), elapsed: environment.monotonicNow() }
  const sent = await send().catch((error: unknown): WebhookSendResult => ({ kind: 'failed', error: String(error) }))
  const made = {
    at: begun.at,
    event: event.id,
    name: event.event[0],
    ...toAttemptResult(sent, environment.monotonicNow() - begun.elapsed),
  }
  state.lastAttempts = [made, ...state.lastAttempts].slice(0, MAX_STORED_ATTEMPTS)
  if (sent.kind === 'delivered') {
    Object.assign(state, { failures: 0, lastError: null })
    state.pending.delete(number)
    if (findAcknowledged(state) !== state.begun) state.carriedFailure = null
    return true
  }
  state.failures += 1
  if (sent.kind === 'failed')
    state.notBefore = Math.max(state.notBefore, environment.monotonicNow() + (sent.retryAfterMs ?? 0))
  state.lastError = `event ${number}: ${sent.error}`
  const since = state.pending.get(number)
  if (since !== undefined) state.pending.set(number, since ?? findCarriedFailure(state, number) ?? clock.now()) // undefined: removed by a rewind
  state.isGone ||= sent.kind === 'gone' // for good, even if a concurrent attempt succeeds
  if (state.isGone) state.stopAll()
  return false
}

const MAX_ERROR_CHARS = 200

function toAttemptResult(
  sent: WebhookSendResult,
  ms: number,
): Pick<WebhookAttempt, 'durationMs' | 'httpStatus' | 'error'> {
  return {
    durationMs: Math.floor(ms),
    ...(sent.httpStatus !== undefined && { httpStatus: sent.httpStatus }),
    ...(sent.kind !== 'delivered' && { error: sent.error.slice(0, MAX_ERROR_CHARS) }),
  }
}

/** Milliseconds for running attempts; the next holder repeats attempts that end later. */
const GRACE_MS = 2_000
const ROOM_POLL_MS = 50

/** `jitter` is from 0 to 1 and changes the result by up to a quarter in both directions. */
export function computeBackoffMs(tries: number, jitter: number): number {
  return Math.min(INITIAL_BACKOFF_MS * 2 ** tries, MAX_BACKOFF_MS) * (0.75 + jitter / 2)
}

/** The limit can change between uses. Waiters are served in order. */
function createSemaphore(most: number) {
  const waiting: (() => void)[] = []
  let used = 0
  return {
    async use<T>(limit: () => number, work: () => Promise<T>): Promise<T> {
      while (used >= Math.min(most, limit())) await new Promise<void>((wake) => waiting.push(wake))
      used += 1
      try {
        return await work()
      } finally {
        used -= 1
        for (let free = Math.min(most, limit()) - used; free > 0; free--) waiting.shift()?.()
      }
    },
  }
}
