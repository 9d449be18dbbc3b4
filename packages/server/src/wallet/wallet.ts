/** Composition of the wallet: it connects the call queue, the rules and the partner wire. */
import { availableParallelism } from 'node:os'
import type { Clock } from '@purser/runtime/clock'
import type { Logger } from '@purser/runtime/logger'
import type { Span, Tracing } from '@purser/runtime/tracing'
import type { CallJournal } from '../core/call-journal/call-journal.ts'
import type { Db } from '../core/database/db.ts'
import { traceTransaction } from '../core/database/postgres/transaction-tracing.ts'
import type { WireServer } from '../core/partner-wire/call-server.ts'
import type { LaneWork } from './queue/batch-execution.ts'
import { type CallQueue, createCallQueue } from './queue/call-queue.ts'
import { createCitusFastPath } from './queue/citus-fast-path.ts'
import { isFastPathEligible, runFastPath } from './queue/fast-path.ts'
import { type RulesPathDeps, runRulesPath } from './queue/rules-path.ts'
import type { Rules } from './rules/decision.ts'
import { createWalletMetrics, type WalletMetrics } from './wallet-metrics.ts'
import type { DecodeSettings } from './wire/call-decoder.ts'
import { registerWalletCalls } from './wire/wallet-wire.ts'

/**
 * Lanes (parallel parts of the call queue) per process; each runs one transaction at a time. Fewer
 * lanes make larger batches, which cost less per call. One lane per two cores keeps wallet and
 * database busy. The embedded database has one connection.
 */
const MAX_LANES = 4
const SERVER_LANES = Math.min(Math.max(1, Math.floor(availableParallelism() / 2)), MAX_LANES)
const LANES_PER_DATABASE = { postgres: SERVER_LANES, citus: SERVER_LANES, pglite: 1 } as const

export interface WalletDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly buckets: number
  readonly secrets: readonly string[]
  /** Platform names by the index of their secret; empty for PARTNER_SECRET (W-43). */
  readonly platforms: readonly string[]
  readonly rules: Rules
  readonly settings: DecodeSettings
  readonly journal: CallJournal
  readonly tracing: Tracing | undefined
  /** Default: created here. */
  readonly metrics?: WalletMetrics
  webhookStates(): Readonly<Record<string, number>>
  /** `off` sends every call to the rules path. */
  readonly fastPath: 'on' | 'off'
}

export interface Wallet {
  readonly metrics: WalletMetrics
  readonly callQueue: CallQueue
  register(entrance: WireServer): Promise<void>
}

export function createWallet(deps: WalletDeps): Wallet {
  const { db, clock, log, buckets, secrets, platforms, rules, settings, journal } = deps
  const callQueue = createCallQueue({
    buckets,
    laneCount: LANES_PER_DATABASE[db.kind],
    openLane: () => openLane(deps, (anomaly) => metrics.countAnomaly(anomaly)),
    onFailure: (error, calls) => log.error({ err: error, calls }, 'a batch failed'),
    onWaited: (milliseconds) => metrics.observeWait(milliseconds),
    onFastPath: (calls) => metrics.countFastPath(calls),
  })
  const metrics = deps.metrics ?? createWalletMetrics(callQueue.depth, journal.lost, deps.webhookStates)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a call failed')
  return {
    metrics,
    callQueue,
    register: (entrance) =>
      registerWalletCalls(entrance, {
        db,
        clock,
        buckets,
        secrets,
        platforms,
        settings,
        platformSettings: platforms.map((platform) => ({ ...settings, platform })),
        sharedBets: rules.sharedBets,
        callQueue,
        metrics,
        journal,
        log,
        onFailure,
        tracing: deps.tracing,
      }),
  }
}

function openLane({ db, clock, rules, fastPath }: WalletDeps, onAnomaly: RulesPathDeps['onAnomaly']): LaneWork {
  const { transaction, autocommit } = db.openLane()
  const deps = { transaction, clock, rules, onAnomaly }
  const traceBelow = (span: Span | undefined) =>
    span === undefined ? deps : { ...deps, transaction: traceTransaction(span, transaction) }
  return {
    isFastPathEligible: (call) => fastPath === 'on' && isFastPathEligible(call, rules),
    runFastPath:
      autocommit === undefined
        ? (waiting, span) => runFastPath(traceBelow(span), waiting)
        : createCitusFastPath({ autocommit, clock, rules }),
    runRulesPath: (waiting, span) => runRulesPath(traceBelow(span), waiting[0]?.bucket ?? 0, waiting),
  }
}
