/**
 * Composition of the platform below its API: partner clients, delivery loop, recovery, bet
 * decisions.
 */

import { createCallerRefusals, isSignatureRefused, UNKNOWN_SECRET } from '@purser/protocol/client/caller-refusals'
import type { Scales } from '@purser/protocol/values/money'
import type { Clock } from '@purser/runtime/clock'
import type { Logger } from '@purser/runtime/logger'
import type { Db } from '../core/database/db.ts'
import type { EncryptionKeyring } from '../core/database/encryption/encryption-keyring.ts'
import { createCashouts, revertRefusedCashouts } from './bets/cashout.ts'
import { createEventResults, type EventResults } from './bets/event-results.ts'
import { type CircuitBreakers, createCircuitBreakers } from './circuit-breaker.ts'
import { type Deliverer, type DelivererTimers, startDeliverer } from './delivery/deliverer.ts'
import { createDeliveryLanes } from './delivery/delivery-lanes.ts'
import { createPartners, type PartnerCallOptions } from './partner-clients.ts'
import type { PlaceDeps } from './placement/bet-placement.ts'
import { createPlacements } from './placement/placement-batch.ts'
import type { PlatformMetrics } from './platform-metrics.ts'
import { createRecoveryScan } from './recovery/recovery-scan.ts'

export interface PlatformDeps {
  readonly db: Db
  readonly clock: Clock
  readonly timers: DelivererTimers
  readonly log: Logger
  readonly scales: Scales
  /** From 0 to 1; spreads the retries. */
  readonly random: () => number
  readonly keyring: EncryptionKeyring
  readonly calling: PartnerCallOptions & { readonly connections: number }
  metricsOf(breakers: CircuitBreakers): PlatformMetrics
}

export interface Platform {
  /** The parts that decide about bets. */
  readonly deciding: PlaceDeps & {
    readonly results: EventResults
    readonly cashOut: ReturnType<typeof createCashouts>
  }
  readonly metrics: PlatformMetrics
  readonly deliverer: Deliverer
  /** Waits for the calls in progress. The event results must be stopped first. */
  stop(): Promise<void>
}

/** Starts the deliverer. */
export function createPlatform(deps: PlatformDeps): Platform {
  const { db, clock, timers, log, scales, random, calling } = deps
  const breakers = createCircuitBreakers(calling.connections)
  const metrics = deps.metricsOf(breakers)
  const refusals = createCallerRefusals(log, 'partner')
  const partners = createPartners(db, deps.keyring, {
    ...calling,
    called(partnerId, answer) {
      calling.called?.(partnerId, answer)
      if (!isSignatureRefused(answer)) return
      metrics.signatureRefused()
      refusals.add(partnerId, UNKNOWN_SECRET, clock.now())
    },
  })
  const flow = { db, clock, scales }
  const [lanes, applying] = [createDeliveryLanes(), new Set<string>()]
  const deliverer: Deliverer = startDeliverer({
    ...{ db, clock, timers, partners, breakers, log, random, metrics, lanes },
    recovery: createRecoveryScan({ ...flow, timers, log, random, lanes, applying, decided: () => deliverer.wake() }),
    onCashoutsRefused: (tx, refused) => revertRefusedCashouts(flow, tx, refused),
  })
  const [placements, cashOut] = [createPlacements(flow), createCashouts(flow)]
  const decided = deliverer.wake
  const results = createEventResults({ ...flow, decided, log, applying })
  return {
    deciding: { ...flow, partners, breakers, placements, cashOut, results, decided },
    metrics,
    deliverer,
    async stop() {
      await deliverer.stop()
      await partners.close()
    },
  }
}
