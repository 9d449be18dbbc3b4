/**
 * Which webhooks this process delivers to. Each look claims those that nobody delivers to, or whose holder has not been seen alive for a
 * whole lease on our own monotonic clock (as C-12), and writes down how far those have come that it holds.
 *
 *   free ──claimed──► held ──the process stops, or a person changes it──► free
 *                       └──failing for days, or 410──► disabled
 */

import { sleep } from '../../../runtime/async/sleep.ts'
import { environment } from '../../../runtime/environment.ts'
import type { Db } from '../database/db.ts'
import type { EncryptionKeyring } from '../database/encryption/encryption-keyring.ts'
import { startWebhookDelivery, type WebhookDelivery, type WebhookDeliveryDeps } from './webhook-delivery.ts'
import {
  claimWebhook,
  listWebhooks,
  saveWebhookProgress,
  type Webhook,
  type WebhookAttempt,
  type WebhookProgress,
} from './webhook-store.ts'

/** Milliseconds between two looks. */
const POLL_MS = 500
/** Milliseconds for which a holder may be silent. */
const LEASE_MS = 8_000
const DAY_MS = 86_400_000
/** Milliseconds of failing after which it is warned about, and after which it is disabled. */
export const WEBHOOK_WARN_AFTER_MS = DAY_MS
export const WEBHOOK_DISABLE_AFTER_MS = 5 * DAY_MS

export interface WebhookDispatcherDeps extends WebhookDeliveryDeps {
  readonly db: Db
  readonly keyring: EncryptionKeyring
}

export type WebhookHealth = 'ok' | 'failing' | 'warned' | 'disabled'

export interface WebhookDispatcher {
  /** Of all webhooks, as they were at the last look. */
  health(): Readonly<Record<WebhookHealth, number>>
  /** Finishes what is under way and lets all go. */
  stop(): Promise<void>
}

interface ClaimedWebhook {
  readonly webhook: Webhook
  readonly claim: string
  readonly delivery: WebhookDelivery
  /** As they were last written down. */
  savedAttempts: readonly WebhookAttempt[]
}

interface ObservedHeartbeat {
  readonly beat: bigint
  readonly since: number
}

export function classifyWebhookHealth(
  { state, failingSince }: Pick<Webhook, 'state' | 'failingSince'>,
  now: Date,
): WebhookHealth {
  if (state !== 'active') return 'disabled'
  if (failingSince === null) return 'ok'
  return now.getTime() - failingSince.getTime() >= WEBHOOK_WARN_AFTER_MS ? 'warned' : 'failing'
}

export function startWebhookDispatcher(deps: WebhookDispatcherDeps): WebhookDispatcher {
  const { db, keyring, clock, log } = deps
  const ended = new AbortController()
  const claimed = new Map<string, ClaimedWebhook>()
  const heartbeats = new Map<string, ObservedHeartbeat>()
  let health: Record<WebhookHealth, number> = { ok: 0, failing: 0, warned: 0, disabled: 0 }

  const claim = async (webhook: Webhook) => {
    const name = environment.uuid()
    const mine = await db.transaction((tx) => claimWebhook(tx, keyring, webhook, name))
    if (mine === undefined) return
    claimed.set(mine.webhookId, {
      webhook: mine,
      claim: name,
      delivery: startWebhookDelivery(deps, mine),
      savedAttempts: mine.lastAttempts,
    })
  }

  /** Writes down how far it has come; lets it go when it is not ours any more. */
  const renewClaim = async (claimedWebhook: ClaimedWebhook, holds: boolean) => {
    const { webhook, claim: name, delivery } = claimedWebhook
    const lastAttempts = delivery.lastAttempts()
    const news = lastAttempts === claimedWebhook.savedAttempts ? undefined : lastAttempts
    const progress = { ...toProgress(delivery, clock.now(), holds), lastAttempts: news }
    const isOurs = await db.transaction((tx) => saveWebhookProgress(tx, webhook.webhookId, name, progress))
    claimedWebhook.savedAttempts = lastAttempts
    if (progress.state === 'disabled' && isOurs)
      log.error({ webhook: webhook.webhookId, lastError: progress.lastError }, 'a webhook is disabled')
    if (isOurs && progress.holds) return
    claimed.delete(webhook.webhookId)
    void delivery.stop() // the others are to be kept meanwhile
  }

  const poll = async () => {
    const now = clock.now()
    const webhooks = await listWebhooks(db.people, keyring)
    health = { ok: 0, failing: 0, warned: 0, disabled: 0 }
    for (const webhook of webhooks) health[classifyWebhookHealth(webhook, now)] += 1
    for (const claimedWebhook of [...claimed.values()]) await renewClaim(claimedWebhook, true)
    for (const webhook of webhooks) if (isFree(webhook, claimed, heartbeats)) await claim(webhook)
  }

  const work = async () => {
    let isReadable = true
    while (!ended.signal.aborted) {
      isReadable = await poll().then(
        () => true,
        (error: unknown) => {
          if (isReadable) log.warn({ err: error }, 'webhooks could not be read')
          return false
        },
      )
      await sleep(POLL_MS, ended.signal)
    }
  }
  const working = work()
  return {
    health: () => health,
    async stop() {
      ended.abort()
      await working
      const all = [...claimed.values()]
      await Promise.all(all.map(({ delivery }) => delivery.stop()))
      for (const claimedWebhook of all) await renewClaim(claimedWebhook, false).catch(() => {}) // the next holder waits for the lease then
    },
  }
}

function toProgress(delivery: WebhookDelivery, now: Date, holds: boolean): Omit<WebhookProgress, 'lastAttempts'> {
  const failingSince = delivery.failingSince()
  const forMs = failingSince === null ? 0 : now.getTime() - failingSince.getTime()
  const isOver = delivery.hasFailed() && forMs >= WEBHOOK_DISABLE_AFTER_MS
  const state = isOver || delivery.isGone() ? 'disabled' : 'active'
  const lastError = delivery.lastError()
  return { doneTo: delivery.doneTo(), failingSince, lastError, state, holds: holds && state === 'active' }
}

/** Free at once when nobody holds it; else once its holder was silent for a lease. */
function isFree(
  { webhookId, state, claim, beat }: Webhook,
  claimed: Map<string, ClaimedWebhook>,
  heartbeats: Map<string, ObservedHeartbeat>,
): boolean {
  if (state !== 'active' || claimed.has(webhookId)) return false
  if (claim === null) return true
  const last = heartbeats.get(webhookId)
  if (last?.beat === beat) return environment.monotonicNow() - last.since >= LEASE_MS
  heartbeats.set(webhookId, { beat, since: environment.monotonicNow() })
  return false
}
