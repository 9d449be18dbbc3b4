/** Puts the partner side together: lanes over a database, the rules, and the HTTP of the wire. */
import { availableParallelism } from 'node:os'
import type { Db } from '../db/db.ts'
import { tracedBelow } from '../db/traced.ts'
import type { Journal } from '../feed/journal.ts'
import type { Entrance } from '../http/wire.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Span, Tracing } from '../runtime/tracing.ts'
import type { LaneWork } from './apply/apply-batch.ts'
import { mayPass, takePlain } from './apply/gate.ts'
import { gateOnCitus } from './apply/gate-on-citus.ts'
import { type JudgeDeps, judgeBatch } from './apply/judge.ts'
import { createLanes, type Lanes } from './apply/lanes.ts'
import type { Rules } from './decide/decision.ts'
import { createMetrics, type WalletMetrics } from './metrics.ts'
import type { DecodeSettings } from './wire/decode.ts'
import { registerCalls } from './wire/server.ts'

/**
 * Transactions of one process at once, spread over the buckets. Fewer make larger batches, which cost less per call; one
 * for every two cores keeps both sides busy. The embedded database has one connection.
 */
const MAX_LANES = 4
const ON_A_SERVER = Math.min(Math.max(1, Math.floor(availableParallelism() / 2)), MAX_LANES)
const LANES = { postgres: ON_A_SERVER, citus: ON_A_SERVER, pglite: 1 } as const

export interface WalletDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly buckets: number
  readonly secrets: readonly string[]
  /** By the place of the secret, the name of its platform; empty for those of PARTNER_SECRET (W-43). */
  readonly platforms: readonly string[]
  readonly rules: Rules
  readonly settings: DecodeSettings
  readonly journal: Journal
  readonly tracing: Tracing | undefined
  /** Made here unless given. */
  readonly metrics?: WalletMetrics
  /** How many webhooks are in which state, for the metrics. */
  webhookStates(): Readonly<Record<string, number>>
  /** `off` leaves every call to the rules. */
  readonly gate: 'on' | 'off'
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
}

export interface Wallet {
  readonly metrics: WalletMetrics
  readonly lanes: Lanes
  /** Adds the calls of the interface to an HTTP server. */
  register(entrance: Entrance): Promise<void>
}

export function createWallet(deps: WalletDeps): Wallet {
  const { db, clock, log, buckets, secrets, platforms, rules, settings, journal, isDraining } = deps
  const lanes = createLanes({
    buckets,
    lanes: LANES[db.kind],
    openLane: () => openLane(deps, (anomaly) => metrics.anomaly(anomaly)),
    onFailure: (error, calls) => log.error({ err: error, calls }, 'a batch failed'),
    onWaited: (milliseconds) => metrics.waited(milliseconds),
    onTaken: (calls) => metrics.taken(calls),
  })
  const metrics = deps.metrics ?? createMetrics(lanes.depth, journal.lost, deps.webhookStates)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a call failed')
  return {
    metrics,
    lanes,
    register: (entrance) =>
      registerCalls(entrance, {
        db,
        clock,
        buckets,
        secrets,
        platforms,
        settings,
        settingsOf: platforms.map((platform) => ({ ...settings, platform })),
        sharedBets: rules.sharedBets,
        lanes,
        metrics,
        journal,
        log,
        onFailure,
        isDraining,
        tracing: deps.tracing,
      }),
  }
}

function openLane({ db, clock, rules, gate }: WalletDeps, onAnomaly: JudgeDeps['onAnomaly']): LaneWork {
  const { transaction, alone } = db.openLane()
  const deps = { transaction, clock, rules, onAnomaly }
  const below = (span: Span | undefined) =>
    span === undefined ? deps : { ...deps, transaction: tracedBelow(span, transaction) }
  return {
    mayPass: (call) => gate === 'on' && mayPass(call, rules),
    take:
      alone === undefined ? (waiting, span) => takePlain(below(span), waiting) : gateOnCitus({ alone, clock, rules }),
    judge: (waiting, span) => judgeBatch(below(span), waiting[0]?.bucket ?? 0, waiting),
  }
}
