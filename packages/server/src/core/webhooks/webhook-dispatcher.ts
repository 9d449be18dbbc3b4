/**
 * Dispatcher of webhooks: it decides to which webhooks this process delivers.
 *
 * Each poll saves the progress of the webhooks that this process has claimed, and claims free ones.
 * The claim of another process expires if its heartbeat stays unchanged for a whole lease. The
 * lease is measured on the monotonic clock of this process (as in C-12).
 *
 * States of a webhook:
 * - free: claimed → held
 * - held: the process ends, or a user changes the webhook → free; 410, or days of failures →
 *   disabled
 * - disabled: a user saves it → free
 */

import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
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

const POLL_MS = 500
/** Milliseconds without a heartbeat, after which a claim ends. */
const LEASE_MS = 8_000
const DAY_MS = 86_400_000
/** Milliseconds of failures until the warning, and until the webhook is disabled (W-42). */
export const WEBHOOK_WARN_AFTER_MS = DAY_MS
export const WEBHOOK_DISABLE_AFTER_MS = 5 * DAY_MS

export interface WebhookDispatcherDeps extends WebhookDeliveryDeps {
  readonly db: Db
  readonly keyring: EncryptionKeyring
}

export type WebhookHealth = 'ok' | 'failing' | 'warned' | 'disabled'

export interface WebhookDispatcher {
  /** Webhooks by health, at the last poll. */
  health(): Readonly<Record<WebhookHealth, number>>
  /** Waits for running deliveries and releases all claims. */
  stop(): Promise<void>
}

interface ClaimedWebhook {
  readonly webhook: Webhook
  readonly claim: string
  readonly delivery: WebhookDelivery
  /** The attempts that were last saved. */
  savedAttempts: readonly WebhookAttempt[]
}

interface ObservedHeartbeat {
  readonly heartbeat: bigint
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

  /** Saves the progress; stops the delivery if the claim is lost or released. */
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
    void delivery.stop() // without waiting, because the other claims must be renewed
  }

  const poll = async () => {
    const now = clock.now()
    const webhooks = await listWebhooks(db.userQueries, keyring)
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
      for (const claimedWebhook of all) await renewClaim(claimedWebhook, false).catch(() => {}) // after an error the next holder waits for the lease
    },
  }
}

function toProgress(delivery: WebhookDelivery, now: Date, holds: boolean): Omit<WebhookProgress, 'lastAttempts'> {
  const failingSince = delivery.failingSince()
  const forMs = failingSince === null ? 0 : now.getTime() - failingSince.getTime()
  const isOver = delivery.hasFailed() && forMs >= WEBHOOK_DISABLE_AFTER_MS
  const state = isOver || delivery.isGone() ? 'disabled' : 'active'
  const lastError = delivery.lastError()
  return {
    acknowledgedTo: delivery.acknowledgedTo(),
    failingSince,
    lastError,
    state,
    holds: holds && state === 'active',
  }
}

/** True without a claim, or if the holder's heartbeat has not changed for a lease. */
function isFree(
  { webhookId, state, claim, heartbeat }: Webhook,
  claimed: Map<string, ClaimedWebhook>,
  heartbeats: Map<string, ObservedHeartbeat>,
): boolean {
  if (state !== 'active' || claimed.has(webhookId)) return false
  if (claim === null) return true
  const last = heartbeats.get(webhookId)
  if (last?.heartbeat === heartbeat) return environment.monotonicNow() - last.since >= LEASE_MS
  heartbeats.set(webhookId, { heartbeat, since: environment.monotonicNow() })
  return false
}
