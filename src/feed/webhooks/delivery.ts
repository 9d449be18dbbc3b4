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
import type { Clock } from '../../runtime/clock.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { Logger } from '../../runtime/logger.ts'
import { pause } from '../../runtime/pause.ts'
import { world } from '../../runtime/world.ts'
import type { Feed, FeedEvent } from '../feed.ts'
import { AT_ONCE, type Sender, type Sent } from './send.ts'
import { goodSecrets, type Message } from './signature.ts'
import { type Attempt, KEPT_ATTEMPTS, type Webhook } from './store.ts'

/** Events that are not acknowledged, at once. */
const AHEAD = 1_000
/** Events beyond the first of those: so many are sent again at most when the process dies. */
const FAR = 10_000n
const PAGE = 500
/** Milliseconds that one question to the feed waits. */
const WAIT_MS = 20_000
/** Milliseconds before the second attempt; twice as many before each further one, up to the longest. */
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000
/** Failures behind each other after which the consumer counts as down: then one message at a time finds out. */
const DOWN = 5

export interface DeliveryDeps {
  readonly feed: Feed
  senderTo(webhook: Pick<Webhook, 'connection'>): Sender
  readonly clock: Clock
  readonly log: Logger
  messageOf(event: FeedEvent): Message
  /** Whose events stay in order. */
  subjectOf(event: FeedEvent): string
  /** From 0 to 1; spreads the retries. */
  readonly random: () => number
}

export interface Delivery {
  /** Everything up to this event is acknowledged. */
  doneTo(): bigint
  /** At the holder before too, as long as nothing has been acknowledged since. */
  failingSince(): Date | null
  /** That this holder has tried something and failed: whatever was before, the consumer may be there again. */
  hasFailed(): boolean
  lastError(): string | null
  /** The last attempts, newest first. */
  lastAttempts(): readonly Attempt[]
  /** The consumer has said that it wants nothing any more. */
  isGone(): boolean
  /** Begins nothing any more, and waits a little for what is under way. */
  stop(): Promise<void>
}

/** What is known while it runs. */
interface Course {
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
  /** The consumer has asked for no message before; `world.elapsed()`. */
  notBefore: number
  /** Behind each other. */
  failures: number
  /** Since when it failed at the holder before, or before the feed went back; until it has come further. */
  carried: Date | null
  lastError: string | null
  lastAttempts: readonly Attempt[]
  isGone: boolean
  gone(): void
}

export function startDelivery(deps: DeliveryDeps, webhook: Webhook): Delivery {
  const { feed } = deps
  const sender = deps.senderTo(webhook)
  const ended = new AbortController()
  const end = () => {
    ended.abort()
    course.round.abort()
  }
  const course: Course = {
    ...{ begun: webhook.doneTo, readTo: webhook.doneTo, pending: new Map(), chains: new Map() },
    ...{ round: newRound(), notBefore: 0, failures: 0, isGone: false, gone: end },
    ...{ carried: webhook.failingSince, lastError: webhook.lastError, lastAttempts: webhook.lastAttempts },
  }
  const slots = createSlots(AT_ONCE)

  const take = (event: FeedEvent) => {
    const number = BigInt(event.id)
    course.readTo = number
    if (webhook.events.length > 0 && !webhook.events.includes(event.event[0])) return
    const { pending, chains, round } = course
    pending.set(number, null)
    const subject = deps.subjectOf(event)
    const attempt = () => attemptOne(deps, sender, webhook, course, number, event)
    const deliver = () => tryUntilDone(deps.random, course, slots, round.signal, attempt)
    const chain = (chains.get(subject) ?? Promise.resolve()).then(deliver)
    chains.set(subject, chain)
    void chain.then(() => {
      if (chains.get(subject) === chain) chains.delete(subject)
    })
  }

  const read = async () => {
    while (!ended.signal.aborted && !feed.isClosed()) {
      const { readTo, pending } = course
      if (pending.size >= AHEAD || readTo - doneTo(course) >= FAR) await pause(ROOM_MS, ended.signal)
      else {
        const asked = await feed.ask(String(readTo), PAGE, WAIT_MS, ended.signal).catch(() => undefined)
        if (asked?.kind === 'page') for (const event of asked.page.events) take(event)
        else if (asked?.kind === 'too_old') {
          course.lastError = `events ${readTo + 1n} to ${asked.first} were no longer kept`
          course.readTo = BigInt(asked.first)
          // the next delivery makes the error good, and nobody sends these again
          deps.log.warn({ webhook: webhook.webhookId, lastError: course.lastError }, 'a webhook has missed events')
        } else if (asked?.kind === 'unknown') {
          await goBackTo(BigInt(asked.last), course, deps, webhook)
          if (ended.signal.aborted) end()
        } else await pause(FIRST_RETRY_MS, ended.signal)
      }
    }
  }
  const reading = read()
  return {
    doneTo: () => doneTo(course),
    failingSince: () => failingSince(course),
    hasFailed: () => firstFailure(course) !== null,
    lastError: () => course.lastError,
    lastAttempts: () => course.lastAttempts,
    isGone: () => course.isGone,
    async stop() {
      end()
      await inTime<unknown>(Promise.all([reading, ...course.chains.values()]), GRACE_MS, () => undefined)
      void sender.close() // a message under way ends by its own limit; the claim is free before that
    },
  }
}

function doneTo({ pending, readTo }: Course): bigint {
  const [first] = pending.keys()
  return first === undefined ? readTo : first - 1n
}

/** A consumer that hangs says nothing for a while: until then it fails as it did, if it has come no further. */
function failingSince(course: Course): Date | null {
  return firstFailure(course) ?? (doneTo(course) === course.begun ? course.carried : null)
}

/** The first one is what the holder before did not get rid of. */
function carriedBy({ pending, carried }: Course, number: bigint): Date | null {
  const [first] = pending.keys()
  return first === number ? carried : null
}

function firstFailure({ pending }: Course): Date | null {
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
async function goBackTo(last: bigint, course: Course, { log }: DeliveryDeps, { webhookId }: Webhook): Promise<void> {
  const { pending, chains, round } = course
  course.lastError = `the feed ends at event ${last} again: events ${last + 1n} to ${course.readTo} are not there any more`
  log.warn({ webhook: webhookId, lastError: course.lastError }, 'a webhook goes back with its feed')
  for (const number of [...pending.keys()]) if (number > last) pending.delete(number)
  course.readTo = last
  round.abort()
  await Promise.all(chains.values())
  course.readTo = doneTo(course)
  course.begun = course.readTo
  course.carried = firstFailure(course) ?? course.carried
  pending.clear()
  course.round = newRound()
}

/** While the consumer is down a slot is kept between two attempts, so that there is one of them at a time. */
async function tryUntilDone(
  random: () => number,
  course: Course,
  slots: ReturnType<typeof createSlots>,
  ended: AbortSignal,
  attempt: () => Promise<boolean>,
): Promise<void> {
  const untilAsked = () => course.notBefore - world.elapsed()
  for (let tries = 0; !ended.aborted; tries++) {
    while (untilAsked() > 0 && !ended.aborted) await pause(untilAsked(), ended)
    const wait = retryAfter(tries, random())
    const isDone = await slots.use(
      () => (course.failures >= DOWN ? 1 : AT_ONCE),
      async () => {
        if (ended.aborted || (await attempt())) return true
        if (course.failures >= DOWN) await pause(Math.max(wait, untilAsked()), ended)
        return false
      },
    )
    if (isDone) return
    if (course.failures < DOWN) await pause(wait, ended)
  }
}

async function attemptOne(
  { clock, messageOf }: DeliveryDeps,
  sender: Sender,
  webhook: Webhook,
  course: Course,
  number: bigint,
  event: FeedEvent,
): Promise<boolean> {
  const send = async () => sender.send(webhook.url, goodSecrets(webhook, clock.now()), messageOf(event), clock.now())
  const begun = { at: clock.now().toISOString(), elapsed: world.elapsed() }
  const sent = await send().catch((error: unknown): Sent => ({ kind: 'failed', error: String(error) }))
  const made = { at: begun.at, event: event.id, name: event.event[0], ...told(sent, world.elapsed() - begun.elapsed) }
  course.lastAttempts = [made, ...course.lastAttempts].slice(0, KEPT_ATTEMPTS)
  if (sent.kind === 'delivered') {
    Object.assign(course, { failures: 0, lastError: null })
    course.pending.delete(number)
    if (doneTo(course) !== course.begun) course.carried = null
    return true
  }
  course.failures += 1
  if (sent.kind === 'failed') course.notBefore = Math.max(course.notBefore, world.elapsed() + (sent.retryAfterMs ?? 0))
  course.lastError = `event ${number}: ${sent.error}`
  const since = course.pending.get(number)
  if (since !== undefined) course.pending.set(number, since ?? carriedBy(course, number) ?? clock.now()) // else it is gone from the feed
  course.isGone ||= sent.kind === 'gone' // for good, whatever comes of those that are under way beside it
  if (course.isGone) course.gone()
  return false
}

/** Characters of an error that are kept. */
const KEPT_ERROR = 200

function told(sent: Sent, ms: number): Pick<Attempt, 'durationMs' | 'httpStatus' | 'error'> {
  return {
    durationMs: Math.floor(ms),
    ...(sent.httpStatus !== undefined && { httpStatus: sent.httpStatus }),
    ...(sent.kind !== 'delivered' && { error: sent.error.slice(0, KEPT_ERROR) }),
  }
}

/** Milliseconds that what is under way has at the end; what comes later is sent again by the next holder. */
const GRACE_MS = 2_000
/** Milliseconds between two looks whether there is room for more. */
const ROOM_MS = 50

/** `spread` from 0 to 1: a quarter less to a quarter more. */
export function retryAfter(tries: number, spread: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** tries, LONGEST_RETRY_MS) * (0.75 + spread / 2)
}

/** So many at once, and fewer when less is free; in the order in which they came. */
function createSlots(most: number) {
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
