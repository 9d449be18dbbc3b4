/**
 * The deliveries of one webhook by the process that holds it. Events are read from where all is acknowledged; those of one player go one
 * after another, players beside each other. What was not acknowledged when the process dies is sent again by the next one, with the same ids.
 *
 *   read ──not asked for──► done
 *     └──► waits for its player's ──► sent ──2xx──► done
 *                                      ▲   └──else──► waits ──┐
 *                                      └──────────────────────┘
 */
import { setMaxListeners } from 'node:events'
import { withTimeout } from '../../../runtime/async/promise-timeout.ts'
import { sleep } from '../../../runtime/async/sleep.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { environment } from '../../../runtime/environment.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { Feed, FeedEvent } from '../change-feed/change-feed.ts'
import { MAX_CONCURRENT_SENDS, type WebhookSender, type WebhookSendResult } from './webhook-sender.ts'
import { selectActiveSecrets, type WebhookMessage } from './webhook-signature.ts'
import { MAX_STORED_ATTEMPTS, type Webhook, type WebhookAttempt } from './webhook-store.ts'

/** Events that are not acknowledged, at once. */
const MAX_UNACKNOWLEDGED = 1_000
/** Events beyond the first of those: so many are sent again at most when the process dies. */
const MAX_LOOKAHEAD = 10_000n
const PAGE_EVENTS = 500
/** Milliseconds that one question to the feed waits. */
const WAIT_MS = 20_000
/** Milliseconds before the second attempt; twice as many before each further one, up to the longest. */
const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 300_000
/** Failures behind each other after which the consumer counts as down: then one message at a time finds out. */
const CIRCUIT_OPENS_AFTER = 5

export interface WebhookDeliveryDeps {
  readonly feed: Feed
  senderTo(webhook: Pick<Webhook, 'connection'>): WebhookSender
  readonly clock: Clock
  readonly log: Logger
  messageOf(event: FeedEvent): WebhookMessage
  /** Whose events stay in order. */
  subjectOf(event: FeedEvent): string
  /** From 0 to 1; spreads the retries. */
  readonly random: () => number
}

export interface WebhookDelivery {
  /** Everything up to this event is acknowledged. */
  doneTo(): bigint
  /** At the holder before too, as long as nothing has been acknowledged since. */
  failingSince(): Date | null
  /** That this holder has tried something and failed: whatever was before, the consumer may be there again. */
  hasFailed(): boolean
  lastError(): string | null
  /** The last attempts, newest first. */
  lastAttempts(): readonly WebhookAttempt[]
  /** The consumer has said that it wants nothing any more. */
  isGone(): boolean
  /** Begins nothing any more, and waits a little for what is under way. */
  stop(): Promise<void>
}

/** What is known while it runs. */
interface DeliveryState {
  /** Where it began, or went back to. */
  begun: bigint
  /** Everything up to this event was read. */
  readTo: bigint
  /** By number, in the order in which they were read; the value is since when it fails. */
  readonly pending: Map<bigint, Date | null>
  /** The last event of each player, by player. */
  readonly chains: Map<string, Promise<void>>
  /** Ends the sending of what was read until the feed went back, if it ever does. */
  round: AbortController
  /** The consumer has asked for no message before; `environment.monotonicNow()`. */
  notBefore: number
  /** Behind each other. */
  failures: number
  /** Since when it failed at the holder before, or before the feed went back; until it has come further. */
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
    ...{ begun: webhook.doneTo, readTo: webhook.doneTo, pending: new Map(), chains: new Map() },
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
          // the next delivery makes the error good, and nobody sends these again
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
    doneTo: () => findAcknowledged(state),
    failingSince: () => findFailingSince(state),
    hasFailed: () => findFirstFailure(state) !== null,
    lastError: () => state.lastError,
    lastAttempts: () => state.lastAttempts,
    isGone: () => state.isGone,
    async stop() {
      end()
      await withTimeout<unknown>(Promise.all([reading, ...state.chains.values()]), GRACE_MS, () => undefined)
      void sender.close() // a message under way ends by its own limit; the claim is free before that
    },
  }
}

function findAcknowledged({ pending, readTo }: DeliveryState): bigint {
  const [first] = pending.keys()
  return first === undefined ? readTo : first - 1n
}

/** A consumer that hangs says nothing for a while: until then it fails as it did, if it has come no further. */
function findFailingSince(state: DeliveryState): Date | null {
  return findFirstFailure(state) ?? (findAcknowledged(state) === state.begun ? state.carriedFailure : null)
}

/** The first one is what the holder before did not get rid of. */
function findCarriedFailure({ pending, carriedFailure }: DeliveryState, number: bigint): Date | null {
  const [first] = pending.keys()
  return first === number ? carriedFailure : null
}

function findFirstFailure({ pending }: DeliveryState): Date | null {
  return [...pending.values()].find((since) => since !== null) ?? null
}

function newRound(): AbortController {
  const round = new AbortController()
  setMaxListeners(0, round.signal) // each event that waits for its next attempt listens
  return round
}

/**
 * The database was taken back (a failover to a standby that had not everything): what was read behind the feed's end is dropped, as its numbers come
 * again for other events. The rest is read and sent again, once nothing is under way any more, so that no player's events are sent beside each other.
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

/** While the consumer is down a slot is kept between two attempts, so that there is one of them at a time. */
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
  if (since !== undefined) state.pending.set(number, since ?? findCarriedFailure(state, number) ?? clock.now()) // else it is gone from the feed
  state.isGone ||= sent.kind === 'gone' // for good, whatever comes of those that are under way beside it
  if (state.isGone) state.stopAll()
  return false
}

/** Characters of an error that are kept. */
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

/** Milliseconds that what is under way has at the end; what comes later is sent again by the next holder. */
const GRACE_MS = 2_000
/** Milliseconds between two looks whether there is room for more. */
const ROOM_POLL_MS = 50

/** `jitter` from 0 to 1: a quarter less to a quarter more. */
export function computeBackoffMs(tries: number, jitter: number): number {
  return Math.min(INITIAL_BACKOFF_MS * 2 ** tries, MAX_BACKOFF_MS) * (0.75 + jitter / 2)
}

/** So many at once, and fewer when less is free; in the order in which they came. */
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
