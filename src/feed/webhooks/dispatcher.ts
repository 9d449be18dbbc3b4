/**
 * Which webhooks this process delivers to. Each look claims those that nobody delivers to, or whose holder has not been seen alive for a
 * whole lease on our own monotonic clock (as C-12), and writes down how far those have come that it holds.
 *
 *   free ──claimed──► held ──the process stops, or a person changes it──► free
 *                       └──failing for days, or 410──► disabled
 */
import type { Db } from '../../db/db.ts'
import type { Keyring } from '../../db/keyring.ts'
import { pause } from '../../runtime/pause.ts'
import { world } from '../../runtime/world.ts'
import { type Delivery, type DeliveryDeps, startDelivery } from './delivery.ts'
import { type Attempt, claimWebhook, keepWebhook, listWebhooks, type Progress, type Webhook } from './store.ts'

/** Milliseconds between two looks. */
const LOOK_MS = 500
/** Milliseconds for which a holder may be silent. */
const LEASE_MS = 8_000
const DAY_MS = 86_400_000
/** Milliseconds of failing after which it is warned about, and after which it is disabled. */
export const WARN_AFTER_MS = DAY_MS
export const DISABLE_AFTER_MS = 5 * DAY_MS

export interface DispatcherDeps extends DeliveryDeps {
  readonly db: Db
  readonly keyring: Keyring
}

export type WebhookHealth = 'ok' | 'failing' | 'warned' | 'disabled'

export interface Dispatcher {
  /** Of all webhooks, as they were at the last look. */
  health(): Readonly<Record<WebhookHealth, number>>
  /** Finishes what is under way and lets all go. */
  stop(): Promise<void>
}

interface Held {
  readonly webhook: Webhook
  readonly claim: string
  readonly delivery: Delivery
  /** As they were last written down. */
  kept: readonly Attempt[]
}

interface Seen {
  readonly beat: bigint
  readonly since: number
}

export function healthOf({ state, failingSince }: Pick<Webhook, 'state' | 'failingSince'>, now: Date): WebhookHealth {
  if (state !== 'active') return 'disabled'
  if (failingSince === null) return 'ok'
  return now.getTime() - failingSince.getTime() >= WARN_AFTER_MS ? 'warned' : 'failing'
}

export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, keyring, clock, log } = deps
  const ended = new AbortController()
  const held = new Map<string, Held>()
  const seen = new Map<string, Seen>()
  let health: Record<WebhookHealth, number> = { ok: 0, failing: 0, warned: 0, disabled: 0 }

  const claim = async (webhook: Webhook) => {
    const name = world.uuid()
    const mine = await db.transaction((tx) => claimWebhook(tx, keyring, webhook, name))
    if (mine === undefined) return
    held.set(mine.webhookId, {
      webhook: mine,
      claim: name,
      delivery: startDelivery(deps, mine),
      kept: mine.lastAttempts,
    })
  }

  /** Writes down how far it has come; lets it go when it is not ours any more. */
  const keep = async (one: Held, holds: boolean) => {
    const { webhook, claim: name, delivery } = one
    const lastAttempts = delivery.lastAttempts()
    const news = lastAttempts === one.kept ? undefined : lastAttempts
    const progress = { ...progressOf(delivery, clock.now(), holds), lastAttempts: news }
    const isOurs = await db.transaction((tx) => keepWebhook(tx, webhook.webhookId, name, progress))
    one.kept = lastAttempts
    if (progress.state === 'disabled' && isOurs)
      log.error({ webhook: webhook.webhookId, lastError: progress.lastError }, 'a webhook is disabled')
    if (isOurs && progress.holds) return
    held.delete(webhook.webhookId)
    void delivery.stop() // the others are to be kept meanwhile
  }

  const look = async () => {
    const now = clock.now()
    const webhooks = await listWebhooks(db.people, keyring)
    health = { ok: 0, failing: 0, warned: 0, disabled: 0 }
    for (const webhook of webhooks) health[healthOf(webhook, now)] += 1
    for (const one of [...held.values()]) await keep(one, true)
    for (const webhook of webhooks) if (isFree(webhook, held, seen)) await claim(webhook)
  }

  const work = async () => {
    let isLookedAt = true
    while (!ended.signal.aborted) {
      isLookedAt = await look().then(
        () => true,
        (error: unknown) => {
          if (isLookedAt) log.warn({ err: error }, 'webhooks cannot be looked at')
          return false
        },
      )
      await pause(LOOK_MS, ended.signal)
    }
  }
  const working = work()
  return {
    health: () => health,
    async stop() {
      ended.abort()
      await working
      const all = [...held.values()]
      await Promise.all(all.map(({ delivery }) => delivery.stop()))
      for (const one of all) await keep(one, false).catch(() => {}) // the next holder waits for the lease then
    },
  }
}

function progressOf(delivery: Delivery, now: Date, holds: boolean): Omit<Progress, 'lastAttempts'> {
  const failingSince = delivery.failingSince()
  const forMs = failingSince === null ? 0 : now.getTime() - failingSince.getTime()
  const isOver = delivery.hasFailed() && forMs >= DISABLE_AFTER_MS
  const state = isOver || delivery.isGone() ? 'disabled' : 'active'
  const lastError = delivery.lastError()
  return { doneTo: delivery.doneTo(), failingSince, lastError, state, holds: holds && state === 'active' }
}

/** Free at once when nobody holds it; else once its holder was silent for a lease. */
function isFree({ webhookId, state, claim, beat }: Webhook, held: Map<string, Held>, seen: Map<string, Seen>): boolean {
  if (state !== 'active' || held.has(webhookId)) return false
  if (claim === null) return true
  const last = seen.get(webhookId)
  if (last?.beat === beat) return world.elapsed() - last.since >= LEASE_MS
  seen.set(webhookId, { beat, since: world.elapsed() })
  return false
}
